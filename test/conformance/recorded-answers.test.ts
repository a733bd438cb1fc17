import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GoldenCase,
  goldenCases,
  NodeProcess,
  type RecordedL1,
  startRecordedL1,
} from "../world/node/recorded-node.ts";
import { comparable, isComparable, NOT_COMPARED } from "../world/node/recording-limits.ts";

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

describe("recorded answers of the network's node", () => {
  const golden = goldenCases();
  const methods = [...new Set(golden.map(({ method }) => method))];

  test.each(methods)("node_%s gives all recorded answers", async (method) => {
    for (const recorded of golden.filter((c) => c.method === method && isComparable(c))) {
      const { params, status, result, error } = recorded;
      const question = `${method}(${JSON.stringify(params).slice(0, 200)})`;
      const { status: gotStatus, body } = await node.ask(method, params);
      const { jsonrpc: _, id: __, ...answer } = body as GoldenCase & { jsonrpc: string; id: number };
      const expected = error === undefined ? { result: result ?? null } : { error };
      expect(comparable(method, answer), question).toEqual(comparable(method, expected));
      expect(gotStatus, question).toBe(status);
      // Compared as text too: members must have the recorded order.
      expect(JSON.stringify(comparable(method, answer)), question).toBe(JSON.stringify(comparable(method, expected)));
    }
  });

  test("the comparison leaves out only answers that a replay cannot repeat", () => {
    const skipped = golden.filter((c) => !isComparable(c));
    expect([...new Set(skipped.map(({ method }) => method))].sort()).toEqual(Object.keys(NOT_COMPARED).sort());
    expect(skipped.length).toBe(18);
    expect(golden.length).toBe(1693);
  });
});

describe("svc_ methods of the same form as node_", () => {
  const golden = goldenCases();
  /** svc_ has its own error text for the short address 0x01. */
  const ofDevelopment = (error: NonNullable<GoldenCase["error"]>) =>
    error.message === "Invalid input (1)"
      ? { ...error, message: "An address has 64 hex digits, received 2 (1)" }
      : error;

  test.each([
    "svc_findLeavesIndexes",
    "svc_getAllowedPublicSetup",
    "svc_getBlockHashMembershipWitness",
    "svc_getChainId",
    "svc_getContractClass",
    "svc_getCurrentMinFees",
    "svc_getEncodedEnr",
    "svc_getL1ContractAddresses",
    "svc_getL1ToL2MessageCheckpoint",
    "svc_getL1ToL2MessageMembershipWitness",
    "svc_getL2ToL1Messages",
    "svc_getMaxPriorityFees",
    "svc_getNodeVersion",
    "svc_getNoteHashMembershipWitness",
    "svc_getNullifierMembershipWitness",
    "svc_getPendingTxCount",
    "svc_getProtocolContractAddresses",
    "svc_getPublicDataWitness",
    "svc_getPublicStorageAt",
    "svc_getValidatorsStats",
    "svc_getVersion",
    "svc_getWorldStateSyncStatus",
    "svc_isReady",
    "svc_isValidTx",
    "svc_registerContractFunctionSignatures",
  ])("%s gives the recorded answers of its node_ namesake", async (full) => {
    const method = full.slice("svc_".length);
    const own = golden.filter((c) => c.method === method);
    expect(own.length).toBeGreaterThan(0);
    for (const { params, status, result, error } of own) {
      const question = `${full}(${JSON.stringify(params).slice(0, 200)})`;
      const { status: gotStatus, body } = await node.call(full, params);
      const expected = error === undefined ? { result: result ?? null } : { error: ofDevelopment(error) };
      const given = error === undefined ? { result: body.result } : { error: body.error };
      expect(comparable(method, given), question).toEqual(comparable(method, expected));
      expect(gotStatus, question).toBe(status);
    }
  });
});

/**
 * Calls recorded from a node on another chain: parameters that it refused must be refused with the same error, and
 * those that it accepted must be accepted. Results were not recorded.
 */
describe("parameter rules recorded on another chain", () => {
  const file = new URL("../fixtures/rpc/parameter-rules.jsonl.gz", import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  const cases = lines.map((line) => JSON.parse(line) as GoldenCase);
  /** A method that only this node has. */
  const OWN = "svc_getVersion";
  const methods = [...new Set(cases.map(({ method }) => method))].filter((method) => method !== OWN);

  /** Error messages name the tip, which differs between the chains. */
  const ofTip = (error: GoldenCase["error"]) =>
    error && { ...error, message: error.message.replace(/synced upto \d+/, "synced upto the tip") };
  /** Calls that name a block of that chain by hash, which is unknown here. */
  const namesItsBlock = ({ params, error }: GoldenCase) =>
    error === undefined && params.some((value) => BLOCKS.includes(String(value)));
  const BLOCKS = [
    "0x086de85482b62adf0222b93a05acdb61bdc821eca11c52ad9194042839259ccf",
    "0x1ee7908f4fb869de28dbb8a929303dc7835553e82af64b616a9344b90d571bda",
  ];
  /** Calls refused only here: a cursor in a block of that chain, and a page that is a fraction. */
  const isRefusedHere = ({ method, params, error }: GoldenCase) => {
    if (error !== undefined) return false;
    if (/Logs$/.test(method)) return (params[0] as { afterLog?: object } | undefined)?.afterLog !== undefined;
    return /LogsByTags/.test(method) && params.some((value) => typeof value === "number" && !Number.isInteger(value));
  };
  /** Calls refused only there, because that chain has no block 13. */
  const isPastItsTip = ({ error }: GoldenCase) => /^Queried block 13 not yet synced/.test(error?.message ?? "");

  test.each(methods)("%s refuses and accepts parameters as recorded", async (method) => {
    const own = cases.filter((c) => c.method === method && !namesItsBlock(c) && !isPastItsTip(c) && !isRefusedHere(c));
    for (const recorded of own) {
      const { params, status, error } = recorded;
      const { status: gotStatus, body } = await node.call(method, params);
      const question = `${method}(${JSON.stringify(params).slice(0, 200)})`;
      expect({ error: ofTip(body.error) }, question).toEqual({ error: ofTip(error) });
      expect(gotStatus, question).toBe(status);
    }
  });
});
