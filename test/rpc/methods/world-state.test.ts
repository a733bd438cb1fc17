import { describe, expect, test } from "vitest";
import type { TaggedLog, TagRange } from "../../../src/archiver/content-types.ts";
import { L1EndpointError } from "../../../src/l1/errors.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { checkpointOutHash, epochOutHash } from "../../../src/protocol/sha-trees.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { chain, checkpoints, EPOCH, svc } from "../../world/rpc/development-chain.ts";
import { fakeContent, fakeWorld, IDENTITY, settledTx, wordOf } from "../../world/rpc/fakes.ts";

const { ask } = svc();

describe("world state of svc_", () => {
  const unknownHash = toHex(wordOf(0x2e));
  test.each<[unknown, string]>([
    [
      unknownHash,
      `Block hash ${unknownHash} not found when querying world state. If the node API has been queried with anchor block hash possibly a reorg has occurred.`,
    ],
    [{ archive: unknownHash }, `Block with archive ${unknownHash} not found.`],
    [{ number: 4 }, "Queried block 4 not yet synced by the node (node is synced upto 3)."],
    [4, "Queried block 4 not yet synced by the node (node is synced upto 3)."],
  ])("reference block %j is refused when this node does not have it", async (reference, message) => {
    expect(await ask("svc_getNoteHashMembershipWitness", reference, "0x1")).toEqual([-32702, message]);
  });

  test.each<[unknown, number]>([
    ["latest", 3],
    ["proposed", 3],
    [{ tag: "checkpointed" }, 2],
    ["proven", 1],
    [{ archive: toHex(wordOf(0x21)) }, 1],
    [toHex(wordOf(0x21)), 1],
    [toHex(wordOf(0x12)).slice(2), 2],
    [{ archive: toHex(IDENTITY.genesisArchiveRoot) }, 0],
  ])("reference block %j reads the state of block %i", async (reference, state) => {
    let asked: number | undefined;
    const reading = fakeWorld(3, {
      findLeaf: (block) => {
        asked = block;
        return undefined;
      },
    });
    expect(await svc({ world: reading }).ask("svc_getNoteHashMembershipWitness", reference, "0x1")).toBeNull();
    expect(asked).toBe(state);
  });

  test.each(["svc", "node"])("%s_getLowNullifierMembershipWitness refuses an existing nullifier", async (namespace) => {
    const leaf = { index: 1, key: wordOf(0), nextKey: wordOf(0), nextIndex: 0 };
    const holding = fakeWorld(3, { lowLeaf: () => ({ leaf, present: true }) });
    const { ask: askHolding } = svc({ world: holding });
    expect(await askHolding(`${namespace}_getLowNullifierMembershipWitness`, "latest", "0xff")).toEqual([
      -32702,
      "Cannot prove nullifier non-inclusion: nullifier 255 already exists in the tree",
    ]);
  });

  test("svc_getBlockHashMembershipWitness of genesis is null; node_ gives an error", async () => {
    expect(await ask("svc_getBlockHashMembershipWitness", 0, unknownHash)).toBeNull();
    expect(await ask("node_getBlockHashMembershipWitness", 0, "0x1")).toEqual([
      -32702,
      "BlockNumber must be non-negative, got -1",
    ]);
    expect(await ask("svc_getBlockHashMembershipWitness", unknownHash, unknownHash)).toEqual([
      -32702,
      expect.stringMatching(/possibly a reorg has occurred\.$/),
    ]);
  });
});

const slot = wordOf(0x17);
const holding = fakeWorld(3, {
  findLeaf: (_block, tree, value) => (tree === 2 && value[0] === slot[0] ? 140 : undefined),
  blockOfLeaf: (tree, position) => (tree === 2 && position === 140 ? 2 : undefined),
});

test("svc_findLeavesIndexes finds leaves of the public data tree by slot; node_ refuses", async () => {
  const { ask: askHolding } = svc({ world: holding });
  expect(await askHolding("svc_findLeavesIndexes", "latest", 2, [toHex(slot), "0x1"])).toEqual([
    { l2BlockNumber: 2, l2BlockHash: toHex(wordOf(0x12)), data: "140" },
    null,
  ]);
  expect(await askHolding("node_findLeavesIndexes", "latest", 2, [toHex(slot)])).toEqual([
    -32702,
    expect.stringMatching(/^Attempted to read beyond buffer length/),
  ]);
});

describe("cross-chain messages", () => {
  const message = wordOf(0x21);
  const other = wordOf(0x22);
  /** Two checkpoints of one block each. The tx is the second one of the second checkpoint and sends `message` twice. */
  const messages = [[[[other]]], [[[], [message, other, message]]]];
  const outHashes = messages.map(checkpointOutHash);
  const epochCheckpoints = outHashes.map((outHash, i) => ({ ...checkpoints[i], outHash }));
  const root = epochOutHash(outHashes);
  const l1Block = { number: 5, hash: wordOf(1), timestamp: 2000 };
  const hash = toHex(wordOf(7));
  const outbox = (services: Partial<NodeServices> = {}) =>
    svc({
      chain: { ...chain, checkpointsOfEpoch: (epoch) => (epoch === EPOCH ? epochCheckpoints : []) },
      content: fakeContent({
        settledTx: () => settledTx(),
        l2ToL1Messages: (epoch) => (epoch === EPOCH ? messages : []),
      }),
      sync: { lastProcessedL1Block: () => l1Block },
      outbox: { roots: async () => [{ root, checkpoints: undefined }] },
      ...services,
    });
  const witness = (services: Partial<NodeServices>, ...params: unknown[]) =>
    outbox(services).ask("svc_getL2ToL1MembershipWitness", ...params);

  test("svc_getL1ToL2MessageCheckpoint gives the checkpoint of a message, or null", async () => {
    expect(await ask("svc_getL1ToL2MessageCheckpoint", toHex(wordOf(5)))).toBe(2);
    expect(await ask("svc_getL1ToL2MessageCheckpoint", "0x1")).toBeNull();
  });

  test("getL2ToL1Messages gives the messages of an epoch by checkpoint, block and tx", async () => {
    const shown = messages.map((of) => of.map((txs) => txs.map((own) => own.map(toHex))));
    expect(await outbox().ask("svc_getL2ToL1Messages", EPOCH)).toEqual(shown);
    expect(await outbox().ask("node_getL2ToL1Messages", 1e300)).toEqual([]);
  });

  test("a witness of a message to L1 says how many checkpoints its root covers", async () => {
    expect(await witness({}, hash, toHex(other))).toMatchObject({
      epochNumber: EPOCH,
      numCheckpointsInEpoch: 2,
      root: toHex(root),
    });
    // Checkpoint 1 of 32, tx alone in its block, message 1 of 3.
    expect(await witness({}, hash, toHex(other))).toMatchObject({ leafIndex: String(1 * 4 + 1) });
    expect(await witness({}, hash, toHex(message), 2)).toMatchObject({ leafIndex: String(1 * 2 + 1) });
    expect(await witness({}, hash, toHex(message), "0")).toMatchObject({ leafIndex: String(1 * 4) });
  });

  test("a witness of an ambiguous, wrong or unknown message is refused", async () => {
    expect(await witness({}, hash, toHex(message))).toEqual([
      -32702,
      `Multiple messages with the same value ${toHex(message)} found in tx (indices: 0, 2). Provide messageIndexInTx to disambiguate.`,
    ]);
    expect(await witness({}, hash, toHex(message), 1)).toEqual([
      -32702,
      `Message at index 1 in tx does not match the expected message ${toHex(message)}`,
    ]);
    expect(await witness({}, hash, "0x1")).toEqual([
      -32702,
      "The L2ToL1Message you are trying to prove inclusion of does not exist",
    ]);
  });

  test("a witness of a message to L1 is null until a root on L1 covers its tx", async () => {
    const params = [hash, toHex(other)];
    const first = epochOutHash(outHashes.slice(0, 1));
    expect(
      await witness({ outbox: { roots: async () => [{ root: first, checkpoints: undefined }] } }, ...params),
    ).toBeNull();
    expect(await witness({ outbox: { roots: async () => [] } }, ...params)).toBeNull();
    expect(await witness({ sync: { lastProcessedL1Block: () => undefined } }, ...params)).toBeNull();
    expect(await witness({ content: fakeContent() }, ...params)).toBeNull();
  });

  test("of several roots, the one that covers the fewest checkpoints with the tx is chosen", async () => {
    const third = checkpointOutHash([[[message]]]);
    const chainOfThree = {
      ...chain,
      checkpointsOfEpoch: () => [...epochCheckpoints, { ...checkpoints[0], outHash: third }],
    };
    const all = [...outHashes, third].map((_, i) => ({
      root: epochOutHash([...outHashes, third].slice(0, i + 1)),
      checkpoints: i + 1,
    }));
    const chosen = (roots: typeof all) =>
      witness({ chain: chainOfThree, outbox: { roots: async () => roots } }, hash, toHex(other));
    expect(await chosen(all)).toMatchObject({ numCheckpointsInEpoch: 2, root: toHex(all[1].root) });
    expect(await chosen([all[0], all[2]])).toMatchObject({ numCheckpointsInEpoch: 3, root: toHex(all[2].root) });
    expect(await chosen([all[0]])).toBeNull();
    const lie = { root: all[2].root, checkpoints: 2 };
    expect(await chosen([lie])).toEqual([
      -32702,
      `Local epoch out-hash does not match Outbox at epoch 2 numCheckpointsInEpoch 2: local=${toHex(all[1].root)} outbox=${toHex(all[2].root)}`,
    ]);
  });

  test("an Outbox root that does not match the local one is an error, or null while L1 moves on", async () => {
    const wrong = { roots: async () => [{ root: wordOf(0x0f), checkpoints: undefined }] };
    expect(await witness({ outbox: wrong }, hash, toHex(other))).toEqual([
      -32702,
      `Local epoch out-hash does not match Outbox at epoch 2 numCheckpointsInEpoch 2: local=${toHex(root)} outbox=${toHex(wordOf(0x0f))}`,
    ]);
    let number = 5;
    const sync = { lastProcessedL1Block: () => ({ ...l1Block, number: number++ }) };
    expect(await witness({ outbox: wrong, sync }, hash, toHex(other))).toBeNull();
  });

  test("a failing L1 gives an error that does not show its URL", async () => {
    const down = new L1EndpointError("unreachable", "cannot be reached", { url: "http://secret.example" });
    const broken = outbox({ outbox: { roots: () => Promise.reject(down) } });
    expect(await broken.ask("svc_getL2ToL1MembershipWitness", hash, toHex(other))).toEqual([
      -32702,
      "L1 cannot be asked at the moment",
    ]);
    expect(broken.log.entries).toEqual([]);
  });
});

describe("logs by tag", () => {
  const tag = toHex(wordOf(1));
  const found: TaggedLog = {
    blockNumber: 2,
    txIndexInBlock: 1,
    logIndexWithinTx: 3,
    blockHash: wordOf(0x12),
    blockTimestamp: 17n,
    txHash: wordOf(7),
    logData: concat(wordOf(1), wordOf(2)),
    noteHashes: wordOf(3),
    nullifiers: wordOf(4),
  };
  const shown = {
    logData: [tag, toHex(wordOf(2))],
    blockNumber: 2,
    blockHash: toHex(wordOf(0x12)),
    blockTimestamp: "17",
    txHash: toHex(wordOf(7)),
    txIndexWithinBlock: 1,
    logIndexWithinTx: 3,
  };
  /** The answer, and the ranges that were searched for it. */
  const search = async (query: object, method = "svc_getPrivateLogsByTags") => {
    const ranges: object[] = [];
    const find = (range: TagRange) => {
      ranges.push({ ...range, ...(range.txHash && { txHash: toHex(range.txHash) }) });
      return [found];
    };
    const content = fakeContent({
      settledTx: (hash) => (hash[0] === 7 ? settledTx() : undefined),
      privateLogsByTag: (_, range) => find(range),
      publicLogsByTag: (_, __, range) => find(range),
    });
    return { answer: await svc({ content }).ask(method, query), ranges };
  };

  test("logs come as one array per tag, with effects on request", async () => {
    expect((await search({ tags: [tag, { tag }] })).answer).toEqual([[shown], [shown]]);
    const effects = { noteHashes: [toHex(wordOf(3))], nullifiers: [toHex(wordOf(4))] };
    expect((await search({ tags: [tag], includeEffects: true })).answer).toEqual([[{ ...shown, ...effects }]]);
    const contractAddress = toHex(wordOf(5));
    expect((await search({ tags: [tag], contractAddress }, "svc_getPublicLogsByTags")).answer).toEqual([[shown]]);
  });

  test.each<[object, object]>([
    [{}, { limit: 20 }],
    [{ limitPerTag: 3 }, { limit: 3 }],
    [
      { fromBlock: 2, toBlock: 5 },
      { fromBlock: 2, toBlock: 5, limit: 20 },
    ],
    [{ referenceBlock: toHex(wordOf(0x12)) }, { toBlock: 3, limit: 20 }],
    [
      { referenceBlock: { number: 2, hash: toHex(wordOf(0x12)) }, toBlock: 2 },
      { toBlock: 2, limit: 20 },
    ],
    [{ txHash: toHex(wordOf(7)) }, { txHash: toHex(wordOf(7)), limit: 20 }],
  ])("log query %j searches its range", async (query, range) =>
    expect((await search({ tags: [tag], ...query })).ranges).toEqual([range]),
  );

  test("a log cursor names its tx by number or hash, and overrides fromBlock", async () => {
    const after = { blockNumber: 2, txIndexInBlock: 1, logIndexWithinTx: 0 };
    for (const tx of [{ txIndexWithinBlock: 1 }, { txHash: toHex(wordOf(7)) }]) {
      const afterLog = { blockNumber: 2, logIndexWithinTx: 0, ...tx };
      expect((await search({ tags: [{ tag, afterLog }], fromBlock: 9 })).ranges).toEqual([{ after, limit: 20 }]);
    }
  });

  const gone = (what: string, hash: Uint8Array) => [
    -32702,
    `${what} ${toHex(hash)} not found in the node. This might indicate a reorg has occurred.`,
  ];
  test.each<[object, unknown]>([
    [
      { tags: [tag], txHash: tag, fromBlock: 1 },
      [-32701, "`txHash` is mutually exclusive with `fromBlock`/`toBlock` (0)"],
    ],
    [{ tags: [] }, [-32701, "Array must contain at least 1 element(s) (0.tags)"]],
    [{ tags: new Array(101).fill(tag) }, [-32701, "tags must have at most 100 entries (0.tags)"]],
    [{ tags: [tag], limitPerTag: 21 }, [-32701, "limitPerTag must be <= 20 (0.limitPerTag)"]],
    [{ tags: [5] }, [-32701, "Expected string, received number (0.tags.0)"]],
    [{}, [-32701, "Required (0.tags)"]],
    [
      { tags: [{ tag, afterLog: { blockNumber: 1 } }] },
      [-32701, "Required (0.tags.0.afterLog.txHash). Invalid input (0.tags.0.afterLog.logIndexWithinTx)"],
    ],
    [{ tags: [tag], referenceBlock: "latest" }, [-32701, "Not a valid hex string (0.referenceBlock)"]],
    [{ tags: [tag], referenceBlock: toHex(wordOf(9)) }, gone("Reference block", wordOf(9))],
    [
      { tags: [{ tag, afterLog: { blockNumber: 2, txHash: toHex(wordOf(8)), logIndexWithinTx: 0 } }] },
      gone("Tx of a log cursor", wordOf(8)),
    ],
  ])("log query %j is refused", async (query, expected) => expect((await search(query)).answer).toEqual(expected));
});
