import { describe, expect, test } from "vitest";
import type { BlockRecord, CheckpointRecord } from "../../src/archiver/tables/records.ts";
import type { Core } from "../../src/core/core.ts";
import { genesisHeader } from "../../src/protocol/block-header.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { SEPARATOR } from "../../src/protocol/constants.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { Dispatcher } from "../../src/rpc/calls/dispatcher.ts";
import type { RpcAnswer } from "../../src/rpc/jsonrpc/answer.ts";
import type { NodeServices } from "../../src/rpc/ports/node-services.ts";
import { publicRegistry } from "../../src/rpc/server/public-registry.ts";
import { UnknownStateError } from "../../src/world-state/errors.ts";
import { fakeChain, fakeContent, fakeServices, fakeWorld, GENESIS_BLOCK, recordingLogger } from "../world/rpc/fakes.ts";

function word(value: number): Uint8Array {
  return new Uint8Array(32).fill(value, 31);
}

/** Block 1 and 2 are checkpointed, 3 is proposed. */
const blocks = [1, 2, 3].map((number) => ({
  block: {
    ...GENESIS_BLOCK,
    number,
    hash: word(0x10 + number),
    archiveRoot: word(0x20 + number),
    header: genesisHeader([]),
    checkpointNumber: number,
  } satisfies BlockRecord,
  body: new Uint8Array(),
}));

const checkpoint: CheckpointRecord = {
  number: 1,
  header: new Uint8Array(V4.headers.checkpointBytes),
  archiveRoot: word(0x21),
  outHash: word(0),
  startBlock: 1,
  blockCount: 1,
  feeAssetPriceModifier: 5n,
  l1: { number: 7, hash: word(9), timestamp: 1_700_000_000 },
  attestations: [
    { address: new Uint8Array(20).fill(1), signature: Uint8Array.of(...new Array(64).fill(0xab), 27) },
    { address: new Uint8Array(20).fill(2), signature: undefined },
  ],
};

const chain = fakeChain({ blocks, checkpointed: 2, checkpoints: [checkpoint, { ...checkpoint, number: 3 }] });

function ask(method: string, params: unknown[], services: Partial<NodeServices> = {}): unknown {
  const registry = publicRegistry(fakeServices({ chain, world: fakeWorld(3), ...services }));
  const options = { maxBatchSize: 1, namespaces: ["node"] as const, expectedErrors: [UnknownStateError] };
  const dispatcher = new Dispatcher(registry, options, recordingLogger());
  const { body } = dispatcher.answer({ method: `node_${method}`, params }) as RpcAnswer;
  const { result, error } = JSON.parse(Buffer.from(body).toString());
  return error?.message ?? result;
}

describe("blocks", () => {
  test.each<[string, unknown, number | undefined]>([
    ["getBlock", 3, 3],
    ["getBlock", "latest", 3],
    ["getBlock", 4, undefined],
    ["getBlock", 1e300, undefined],
    ["getBlock", toHex(word(0x12)), 2],
    ["getBlock", toHex(word(0x13)), undefined],
    ["getBlock", toHex(GENESIS_BLOCK.hash), 0],
    ["getBlock", 0, 0],
    ["getBlockByHash", toHex(word(0x11)), 1],
    ["getBlockByHash", toHex(word(0x13)), undefined],
    ["getBlockByHash", toHex(GENESIS_BLOCK.hash), 0],
    ["getBlockByArchive", toHex(word(0x22)), 2],
    ["getBlockByArchive", toHex(word(0x23)), undefined],
  ])("%s of %s finds block %s", (method, param, number) => {
    expect((ask(method, [param]) as { checkpointNumber: number } | undefined)?.checkpointNumber).toBe(number);
  });

  test("a header is found by hash before its block is checkpointed", () => {
    expect(ask("getBlockHeader", [toHex(word(0x13))])).toBeDefined();
    expect(ask("getBlockHeader", [])).toBeDefined();
    expect(ask("getBlockHeader", [toHex(word(0x99))])).toBeNull();
  });

  test("lists of blocks and checkpoints end at their own tip", () => {
    const numbers = (method: string, ...params: unknown[]) =>
      (ask(method, params) as { checkpointNumber: number }[]).map(({ checkpointNumber }) => checkpointNumber);
    expect(numbers("getBlocks", 2, 50)).toEqual([2, 3]);
    expect(numbers("getBlocks", 1, 2)).toEqual([1, 2]);
    expect(numbers("getBlocks", 4, 1)).toEqual([]);
    expect(numbers("getCheckpointedBlocks", 1, 50)).toEqual([1]);
    expect(ask("getCheckpoints", [1, 50])).toHaveLength(1);
    expect(ask("getCheckpointsDataForEpoch", [1e18])).toEqual([]);
  });

  test("a missing attestation is written as a signature of zeros", () => {
    const [published] = ask("getCheckpoints", [1, 1]) as Record<string, never>[];
    expect(published.l1).toEqual({ blockNumber: "7", timestamp: "1700000000", blockHash: toHex(word(9)) });
    expect(published.attestations).toEqual([
      { address: `0x${"01".repeat(20)}`, signature: `0x${"ab".repeat(64)}1b` },
      { address: `0x${"02".repeat(20)}`, signature: `0x${"0".repeat(128)}0` },
    ]);
    expect(published.checkpoint).toMatchObject({ feeAssetPriceModifier: "0", number: 1 });
  });
});

describe("world state", () => {
  /** The block whose state was read, or the error. */
  const stateRead = (method: string, reference: unknown, ...params: unknown[]) => {
    let asked: number | undefined;
    const world = fakeWorld(3, {
      findLeaf: (block) => {
        asked = block;
        return undefined;
      },
    });
    const answer = ask(method, [reference, ...params], { world });
    return answer ?? asked;
  };

  test.each<[unknown, unknown]>([
    ["latest", 3],
    [2, 2],
    [0, 0],
    [toHex(GENESIS_BLOCK.hash), 0],
    [toHex(word(0x12)), 2],
    [4, "Queried block 4 not yet synced by the node (node is synced upto 3)."],
  ])("reference block %s reads the state of %s", (reference, state) => {
    expect(stateRead("getNoteHashMembershipWitness", reference, "0x1")).toBe(state);
  });

  test.each<[unknown, unknown]>([
    ["latest", 2],
    [1, 0],
    [4, 3],
    [toHex(word(0x11)), 0],
    [5, "Queried block 4 not yet synced by the node (node is synced upto 3)."],
    [0, "BlockNumber must be non-negative, got -1"],
    [toHex(GENESIS_BLOCK.hash), "BlockNumber must be non-negative, got -1"],
    ["0x5", `Block hash ${toHex(word(5))} not found.`],
  ])("a block hash witness of reference block %s uses the archive before that block", (reference, state) => {
    expect(stateRead("getBlockHashMembershipWitness", reference, "0x1")).toBe(state);
  });

  test("a read of a pruned state gives an error that says so", () => {
    const world = fakeWorld(3, {
      lowLeaf: (block) => {
        throw new UnknownStateError(block);
      },
    });
    expect(ask("getPublicDataWitness", [1, "0x1"], { world })).toBe(
      "Unable to get meta data for block 1, failed to get block data.",
    );
  });

  test("public storage is the value of the leaf of contract and slot, or zero", () => {
    const leafSlot = word(0x77);
    let hashed: unknown;
    const core = {
      hashWithSeparator(separator: number, fields: Uint8Array) {
        hashed = [separator, toHex(fields)];
        return leafSlot;
      },
    } as unknown as Core;
    const world = (present: boolean) =>
      fakeWorld(3, {
        leaf: (_block, tree, key) =>
          present && tree === 2 && key === leafSlot
            ? { index: 1, key, value: word(42), nextKey: word(0), nextIndex: 0 }
            : undefined,
      });
    const params = ["latest", toHex(word(5)), "0x1"];
    expect(ask("getPublicStorageAt", params, { core, world: world(true) })).toBe(toHex(word(42)));
    expect(hashed).toEqual([SEPARATOR.PUBLIC_LEAF_SLOT, toHex(Buffer.concat([word(5), word(1)]))]);
    expect(ask("getPublicStorageAt", params, { core, world: world(false) })).toBe(toHex(word(0)));
  });

  test("findLeavesIndexes finds leaves one by one, and none of the public data tree", () => {
    const world = fakeWorld(3, {
      findLeaf: (_b, _t, value) => (value[31] === 1 ? 9 : undefined),
      blockOfLeaf: () => 2,
    });
    expect(ask("findLeavesIndexes", ["latest", 1, ["0x1", "0x2"]], { world })).toEqual([
      { l2BlockNumber: 2, l2BlockHash: toHex(word(0x12)), data: "9" },
      null,
    ]);
    expect(ask("findLeavesIndexes", ["latest", 2, []], { world })).toEqual([]);
    expect(ask("findLeavesIndexes", ["latest", 2, ["0x1"]], { world })).toMatch(/^Attempted to read beyond buffer/);
  });
});

test("the checkpoint of a message from L1 follows from its global index", () => {
  const messages = [0, 1023, 1024].map((index) => ({ leaf: word(index % 250), index }));
  const services = { chain: fakeChain({ messages }) };
  const checkpoints = messages.map(({ leaf }) => ask("getL1ToL2MessageCheckpoint", [toHex(leaf)], services));
  expect(checkpoints).toEqual([1, 1, 2]);
  expect(ask("getL1ToL2MessageCheckpoint", ["0xff"], services)).toBeNull();
  expect(ask("isL1ToL2MessageSynced", [toHex(word(0))], services)).toBe(true);
  expect(ask("isL1ToL2MessageSynced", ["0xff"], services)).toBe(false);
});

test("answers about logs of a range have at most the configured number", async () => {
  for (const maxLogs of [undefined, 3]) {
    const limits: (number | undefined)[] = [];
    const find = ({ limit }: { limit?: number }) => {
      limits.push(limit);
      return { logs: [], maxLogsHit: false };
    };
    const services = fakeServices({ content: fakeContent({ publicLogs: find, contractClassLogs: find }) });
    const registry = publicRegistry(services, { maxLogs });
    for (const name of ["getPublicLogs", "getContractClassLogs"]) {
      registry.find("node", name)!.handle([{}], { namespace: "node" });
    }
    expect(limits).toEqual([maxLogs ?? 1_000, maxLogs ?? 1_000]);
  }
});
