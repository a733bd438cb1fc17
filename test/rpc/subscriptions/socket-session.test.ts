import { expect, test } from "vitest";
import { AnswerBudget } from "../../../src/rpc/limits/answer-budget.ts";
import { TurnShare } from "../../../src/rpc/limits/turn-share.ts";
import { type SessionParts, SocketSession } from "../../../src/rpc/subscriptions/socket-session.ts";

const LARGE = 100_000;
const CALL = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"node_getBlocks","params":[1,50]}');

/** A connection whose client reads nothing, and one call on it; `answer` ends the call. */
function silentClient(budget: AnswerBudget) {
  const ended: number[] = [];
  const called = Promise.withResolvers<{ status: number; body: Uint8Array }>();
  const dispatcher = { answerBytes: () => called.promise };
  const parts = {
    access: () => ({ dispatcher, rateLimit: undefined }),
    hub: { forget: () => undefined },
    budget,
    share: new TurnShare(),
    limits: { maxSubscriptions: 1, maxFilters: 1, maxBuffered: LARGE, maxWaitingBytes: LARGE },
    unread: () => undefined,
    failed: (error: unknown) => expect.unreachable(String(error)),
    cut: () => undefined,
    closed: () => undefined,
  } as unknown as SessionParts;
  let buffered = 0;
  const socket = {
    send: () => undefined,
    give: (text: Uint8Array) => {
      buffered += text.length;
    },
    together: (sends: () => void) => sends(),
    get buffered() {
      return buffered;
    },
    end: (code: number) => void ended.push(code),
  };
  const session = new SocketSession(socket, "192.0.2.1", parts);
  session.message(CALL);
  const body = new Uint8Array(LARGE);
  const answer = async () => {
    called.resolve({ status: 200, body });
    await called.promise;
  };
  return { session, body, ended, answer };
}

test("an answer that comes after the end of its connection gives its memory back", async () => {
  const budget = new AnswerBudget();
  const { session, body, ended, answer } = silentClient(budget);
  session.end(1013, "the client does not read");
  await answer();
  await expect.poll(() => body.buffer.byteLength).toBe(0);
  expect([ended, budget.waiting]).toEqual([[1013], 0]);
});

test("an answer that finds no room beside others ends its connection and gives its memory back", async () => {
  const budget = new AnswerBudget(1.5 * LARGE);
  const first = silentClient(budget);
  const second = silentClient(budget);
  await first.answer();
  await second.answer();
  await expect.poll(() => second.body.buffer.byteLength).toBe(0);
  expect([first.ended, second.ended, budget.waiting]).toEqual([[], [1013], LARGE]);
});
