import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type GoldenCase,
  goldenCases,
  NodeProcess,
  type RecordedL1,
  startRecordedL1,
} from "../world/node/recorded-node.ts";
import { comparable, isComparable } from "../world/node/recording-limits.ts";
import "../support/soak.ts";

/** Concurrent calls: enough for every thread to get some. */
const AT_ONCE = 16;

let l1: RecordedL1;
beforeAll(async () => {
  l1 = await startRecordedL1();
});
afterAll(() => l1?.stop());

/** Each call is made twice, so that the second answer may come from the result cache. */
test.each([0, 2])("a node with %i RPC threads gives all recorded answers, cached or not", async (threads) => {
  const node = await NodeProcess.start(l1, undefined, { SVC_RPC_THREADS: String(threads) });
  try {
    await node.ready();
    const cases = goldenCases().filter(isComparable);
    let asked = 0;
    for (let from = 0; from < cases.length; from += AT_ONCE) {
      const some = cases.slice(from, from + AT_ONCE);
      for (let times = 0; times < 2; times++) {
        await Promise.all(
          some.map(async ({ method, params, status, result, error }) => {
            const given = await node.ask(method, params);
            const { jsonrpc: _, id: __, ...answer } = given.body as GoldenCase & { jsonrpc: string; id: number };
            const expected = error === undefined ? { result: result ?? null } : { error };
            const question = `${method}(${JSON.stringify(params).slice(0, 200)})`;
            expect(JSON.stringify(comparable(method, answer)), question).toBe(
              JSON.stringify(comparable(method, expected)),
            );
            expect(given.status, question).toBe(status);
            asked += 1;
          }),
        );
      }
    }
    expect(asked).toBe(2 * cases.length);
    expect(asked).toBeGreaterThan(3_000);
  } finally {
    await node.remove();
  }
});

test("a node says by default that a transaction reverted in the words of release 4.3", async () => {
  const recorded = goldenCases().find(({ method, result }) => {
    const receipt = result as { executionResult?: string } | null | undefined;
    return method === "getTxReceipt" && receipt?.executionResult === "app_logic_reverted";
  })!;
  const node = await NodeProcess.start(l1, undefined, { SVC_RPC_REVERT_WORDS: "", SVC_RPC_THREADS: "1" });
  try {
    await node.ready();
    const { body } = await node.ask("getTxReceipt", recorded.params);
    expect(body.result).toEqual({ ...(recorded.result as object), executionResult: "reverted" });
  } finally {
    await node.remove();
  }
});
