import { expect, test } from "vitest";
import type { LongCalls } from "../../../src/rpc/calls/long-calls.ts";
import { LIMIT_EXCEEDED } from "../../../src/rpc/jsonrpc/errors.ts";
import { LimitedLongCalls, MAX_WAITING_PER_CLIENT } from "../../../src/rpc/threads/long-call-limits.ts";

test("too many long calls of one client are refused without asking the node's thread; those of others are not", async () => {
  const asked: (() => void)[] = [];
  const waiting = <T>(value: T) => new Promise<T>((resolve) => asked.push(() => resolve(value)));
  const remote: LongCalls = {
    answer: () => waiting({ isBatch: false, slots: [{ status: 200, body: Buffer.from("one") }], notifications: [] }),
  };
  const limited = new LimitedLongCalls(remote);
  const body = Buffer.from("{}");
  const refused = { code: LIMIT_EXCEEDED, message: "The node is busy: too many long calls are waiting" };

  let underWay = 0;
  const answers: Promise<unknown>[] = [];
  for (; underWay < 2 * MAX_WAITING_PER_CLIENT; underWay++) {
    const before = asked.length;
    const answer = limited.answer(body, "192.0.2.1");
    if (asked.length === before) {
      await expect(answer).rejects.toMatchObject(refused);
      break;
    }
    answers.push(answer);
  }
  expect(underWay).toBeGreaterThanOrEqual(MAX_WAITING_PER_CLIENT);
  expect(underWay).toBeLessThan(2 * MAX_WAITING_PER_CLIENT);

  answers.push(limited.answer(body, "192.0.2.2"));
  expect(asked.length).toBe(underWay + 1);
  asked.shift()!();
  await answers.shift();
  answers.push(limited.answer(body, "192.0.2.1"));
  await expect(limited.answer(body, "192.0.2.1")).rejects.toMatchObject(refused);
  for (const end of asked) end();
  expect(await Promise.all(answers)).toHaveLength(underWay + 1);
});
