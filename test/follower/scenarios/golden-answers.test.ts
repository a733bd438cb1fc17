import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import {
  type GoldenCase,
  goldenCases,
  NodeProcess,
  type RecordedL1,
  startRecordedL1,
} from "../../world/node/recorded-node.ts";
import { comparable, isComparable } from "../../world/node/recording-limits.ts";

/** Concurrent calls. */
const AT_ONCE = 16;

let l1: RecordedL1;
const nodes: NodeProcess[] = [];

beforeAll(async () => {
  l1 = await startRecordedL1();
});
afterAll(async () => {
  for (const node of nodes.reverse()) await node.remove();
  l1?.stop();
});

test("a follower of a follower gives all recorded answers, its own and those that it forwards", async () => {
  const [first, second] = [await freePort(), await freePort()];
  const feed = (port: number) => `http://127.0.0.1:${port}`;
  nodes.push(await NodeProcess.start(l1, undefined, { SVC_FEED_PORT: String(first), SVC_RPC_THREADS: "1" }));
  const settings = { SVC_FEED_PORT: String(second), SVC_RPC_THREADS: "1" };
  nodes.push(await NodeProcess.startFollower(feed(first), undefined, settings));
  const follower = await NodeProcess.startFollower(feed(second), undefined, { SVC_RPC_THREADS: "2" });
  nodes.push(follower);
  await nodes[0].ready();
  await expect
    .poll(
      () =>
        follower.ask("getBlockNumber").then(
          ({ body }) => body.result,
          () => undefined,
        ),
      { timeout: 150_000 },
    )
    .toBe(59);
  const cases = goldenCases().filter(isComparable);
  let asked = 0;
  for (let from = 0; from < cases.length; from += AT_ONCE) {
    await Promise.all(
      cases.slice(from, from + AT_ONCE).map(async ({ method, params, status, result, error }) => {
        const given = await follower.ask(method, params);
        const { jsonrpc: _, id: __, ...answer } = given.body as GoldenCase & { jsonrpc: string; id: number };
        const expected = error === undefined ? { result: result ?? null } : { error };
        const question = `${method}(${JSON.stringify(params).slice(0, 200)})`;
        expect(JSON.stringify(comparable(method, answer)), question).toBe(JSON.stringify(comparable(method, expected)));
        expect(given.status, question).toBe(status);
        asked += 1;
      }),
    );
  }
  expect(asked).toBe(cases.length);
  expect(asked).toBeGreaterThan(1_500);
});
