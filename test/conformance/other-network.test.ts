import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asRelease43 } from "../world/node/later-release.ts";
import { type GoldenCase, NodeProcess, type RecordedL1, startRecordedL1 } from "../world/node/recorded-node.ts";
import { EXCEPTIONS } from "./other-network-exceptions.ts";

/**
 * Answers of the network's node over another chain of 12 blocks with the same genesis, whose L1 was not recorded.
 * Answers that do not depend on its blocks must be equal; the cases that do are listed with their reasons.
 */
const cases: GoldenCase[] = gunzipSync(readFileSync(new URL("../fixtures/rpc/other-network.jsonl.gz", import.meta.url)))
  .toString("utf8")
  .trim()
  .split("\n")
  .map((line): GoldenCase => asRelease43(JSON.parse(line)))
  // The recorded node left out a result of nothing.
  .map((one) => (one.error === undefined ? { ...one, result: one.result ?? null } : one));

const reasons = new Map(EXCEPTIONS.flatMap(({ reason, cases: listed }) => listed.map((index) => [index, reason])));

/** JSON without `_cachedHash`, an internal member that the recorded node leaked into headers. */
const text = (value: unknown) =>
  JSON.stringify(value, (key, item) => (key === "_cachedHash" ? undefined : item)) ?? "none";

let l1: RecordedL1;
let node: NodeProcess;
beforeAll(async () => {
  l1 = await startRecordedL1();
  node = await NodeProcess.start(l1);
  await node.ready();
});
afterAll(async () => {
  await node?.remove();
  l1?.stop();
});

test("answers recorded over another chain are equal, except the listed cases, which all differ", async () => {
  const wrong: string[] = [];
  for (const [index, { method, params, status, result, error }] of cases.entries()) {
    const answer = await node.call(method, params);
    const expected = `${status} ${text(result)} ${text(error)}`;
    const got = `${answer.status} ${text(answer.body.result)} ${text(answer.body.error)}`;
    if ((got === expected) === reasons.has(index)) {
      wrong.push(`${index} ${method}(${text(params).slice(0, 80)}): ${expected.slice(0, 120)} / ${got.slice(0, 120)}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("most answers recorded over another chain are compared", () => {
  expect(cases).toHaveLength(291);
  expect(reasons.size).toBeLessThan(105);
});
