import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GoldenCase, goldenCases, NodeProcess, type RecordedL1, startRecordedL1 } from "./recorded-node.ts";

/** Methods that this release of the node answers. */
const METHODS = [
  "getBlockNumber",
  "getProvenBlockNumber",
  "getCheckpointedBlockNumber",
  "getCheckpointNumber",
  "getL2Tips",
  "getBlock",
  "getBlockByHash",
  "getBlockByArchive",
  "getBlocks",
  "getBlockHeader",
  "getBlockHeaderByArchive",
  "getCheckpoints",
  "getCheckpointedBlocks",
  "getCheckpointsDataForEpoch",
  "findLeavesIndexes",
  "getNullifierMembershipWitness",
  "getLowNullifierMembershipWitness",
  "getPublicDataWitness",
  "getBlockHashMembershipWitness",
  "getNoteHashMembershipWitness",
  "getL1ToL2MessageMembershipWitness",
  "getL1ToL2MessageCheckpoint",
  "isL1ToL2MessageSynced",
  "getPublicStorageAt",
  "getWorldStateSyncStatus",
  "isReady",
  "getNodeVersion",
  "getVersion",
  "getChainId",
  "noSuchMethod",
];

/**
 * What cannot be equal, by method:
 * - finalized tip: the recording's node read the proven checkpoint at the finalized L1 block; a replayed L1 has no state of older
 *   blocks, so the tip stays where it was until the endpoint can tell.
 * - `_cachedHash` in block headers: an internal member that the recording's node leaked.
 */
function comparable(method: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(value ?? null), (key, item) => (key === "_cachedHash" ? undefined : item));
  if (method === "getL2Tips" && copy.result) delete copy.result.finalized;
  if (method === "getWorldStateSyncStatus" && copy.result) delete copy.result.finalizedBlockNumber;
  return copy;
}

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

const cases = goldenCases().filter(({ method }) => METHODS.includes(method));

describe("answers recorded from the network's node", () => {
  it.each(METHODS)("%s", async (method) => {
    const own = cases.filter((c) => c.method === method);
    expect(own.length).toBeGreaterThan(0);
    for (const { params, status, result, error } of own) {
      const question = `${method}(${JSON.stringify(params).slice(0, 200)})`;
      const { status: gotStatus, body } = await node.ask(method, params);
      const { jsonrpc: _, id: __, ...answer } = body as GoldenCase & { jsonrpc: string; id: number };
      const expected = { ...(result === undefined ? {} : { result }), ...(error === undefined ? {} : { error }) };
      expect(comparable(method, answer), question).toEqual(comparable(method, expected));
      expect(gotStatus, question).toBe(status);
      // Same members in the same order: the text is the same, not only the value.
      expect(JSON.stringify(comparable(method, answer)), question).toBe(JSON.stringify(comparable(method, expected)));
    }
  });

  it("covers every recorded case of these methods", () => {
    expect(cases.length).toBeGreaterThan(1400);
  });
});
