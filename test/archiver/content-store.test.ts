import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ContentStore } from "../../src/archiver/content-store.ts";
import type { TagRange } from "../../src/archiver/content-types.ts";
import { rebuildCheckpoint } from "../../src/archiver/rebuild-checkpoint.ts";
import type { LogPosition } from "../../src/archiver/tables/log-keys.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { concat, toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { slotTimestamp } from "../../src/protocol/time.ts";
import { openChain } from "../world/archiver/open-chain.ts";
import {
  CONSTANTS,
  GENESIS_ARCHIVE,
  proposal,
  rebuildInput,
  seeded,
  synthesize,
  type TxLogs,
} from "../world/archiver/synthetic-chain.ts";
import { madeClass, madeInstance, updateLog } from "./contract-logs.ts";

const core = loadCore();
const TAG = seeded("tag");
const OTHER_TAG = seeded("other tag");
const [A, B] = [seeded("contract a"), seeded("contract b")];
const first = madeClass("first", core);
const second = madeClass("second", core);
const empty = madeClass("empty", core, new Uint8Array(0));
const instance = madeInstance("instance", first.id, core);
const late = slotTimestamp(40, CONSTANTS);

const publicLog = (contractAddress: Uint8Array, tag: Uint8Array, n: number) => ({
  contractAddress,
  fields: concat(tag, fr(n)),
});
const noFields = { contractAddress: A, fields: new Uint8Array(0) };

/** By checkpoint, block and tx. The checkpoints have blocks 1; 2 and 3; 4 and 5. */
const LOGS: TxLogs[][][] = [
  [
    [
      {
        private: [concat(TAG, fr(1)), OTHER_TAG, concat(TAG, fr(2))],
        public: [publicLog(A, TAG, 1)],
        class: first.log,
      },
      {
        private: [concat(TAG, fr(3))],
        public: [publicLog(A, TAG, 2), noFields, publicLog(B, TAG, 3), publicLog(A, TAG, 4)],
      },
    ],
  ],
  [[{ private: [instance.log], class: second.log }], [{ public: [publicLog(A, OTHER_TAG, 5)], class: first.log }]],
  [
    [{ public: [updateLog(instance.address, fr(0), second.id, late)] }, {}],
    [{ public: [updateLog(instance.address, second.id, empty.id, late + 10), publicLog(A, TAG, 6)], class: empty.log }],
  ],
];
const MESSAGES: Uint8Array[][][][] = [
  [[[seeded("m1")], [seeded("m2"), seeded("m3")]]],
  [[[]], [[seeded("m4")]]],
  [[[], []], [[]]],
];
const SLOTS = [3, 9, 20];

describe("reads over a synthetic chain", () => {
  let opened: ReturnType<typeof openChain>;
  let content: ContentStore;
  beforeAll(() => {
    opened = openChain();
    content = opened.content;
    let [firstBlock, lastArchive] = [1, GENESIS_ARCHIVE];
    LOGS.forEach((logs, i) => {
      const made = synthesize(
        { number: i + 1, slot: SLOTS[i], firstBlock, lastArchive, salt: `content ${i}`, blocks: MESSAGES[i], logs },
        core,
      );
      const l1 = { number: i + 1, hash: seeded(`l1 ${i}`), timestamp: 5 };
      opened.store.transaction(() =>
        opened.chain.addCheckpoint(rebuildCheckpoint(rebuildInput(made), core, V4), proposal(made, l1)),
      );
      [firstBlock, lastArchive] = [made.lastBlock + 1, made.archiveRoot];
    });
  });
  afterAll(() => opened.close());

  const txHash = (block: number, tx: number) => opened.chain.txEffects(block)[tx].txHash;
  const at = ({ blockNumber, txIndexInBlock, logIndexWithinTx }: LogPosition) => [
    blockNumber,
    txIndexInBlock,
    logIndexWithinTx,
  ];
  const position = (blockNumber: number, txIndexInBlock: number, logIndexWithinTx: number) => ({
    blockNumber,
    txIndexInBlock,
    logIndexWithinTx,
  });

  describe("logs by tag", () => {
    const privately = (range: Partial<TagRange>) => content.privateLogsByTag(TAG, { limit: 10, ...range }).map(at);
    const publicly = (range: Partial<TagRange>) => content.publicLogsByTag(A, TAG, { limit: 10, ...range }).map(at);

    test("logs by tag come in chain order; the index of a public log counts the tx's private logs too", () => {
      expect(privately({})).toEqual([
        [1, 0, 0],
        [1, 0, 2],
        [1, 1, 0],
      ]);
      expect(publicly({})).toEqual([
        [1, 0, 3],
        [1, 1, 1],
        [1, 1, 4],
        [5, 0, 1],
      ]);
      expect(content.publicLogsByTag(B, TAG, { limit: 10 }).map(at)).toEqual([[1, 1, 3]]);
      expect(content.publicLogsByTag(B, OTHER_TAG, { limit: 10 })).toEqual([]);
    });

    test("logs by tag come with their fields and the effects of their tx", () => {
      const [, log] = content.privateLogsByTag(TAG, { limit: 2 });
      const { hash } = opened.chain.block(1)!;
      const tx = opened.chain.txEffects(1)[0];
      expect(log.blockTimestamp).toBe(BigInt(slotTimestamp(3, CONSTANTS)));
      expect([log.blockHash, log.txHash, log.logData, log.noteHashes, log.nullifiers].map(toHex)).toEqual(
        [hash, tx.txHash, concat(TAG, fr(2)), tx.noteHashes, tx.nullifiers].map(toHex),
      );
      expect(toHex(content.publicLogsByTag(A, TAG, { limit: 9 })[2].logData)).toBe(toHex(concat(TAG, fr(4))));
    });

    test("logs by tag continue strictly after a position, whatever fromBlock is", () => {
      expect(publicly({ after: position(1, 0, 3) })).toEqual([
        [1, 1, 1],
        [1, 1, 4],
        [5, 0, 1],
      ]);
      expect(publicly({ after: position(1, 1, 1), fromBlock: 5 })).toEqual([
        [1, 1, 4],
        [5, 0, 1],
      ]);
      expect(publicly({ after: position(1, 0, 2 ** 40) })).toEqual([
        [1, 1, 1],
        [1, 1, 4],
        [5, 0, 1],
      ]);
      expect(publicly({ after: position(1, 2 ** 40, 0) })).toEqual([[5, 0, 1]]);
      expect(publicly({ after: position(1, 2 ** 16 - 1, 2 ** 16 - 1) })).toEqual([[5, 0, 1]]);
      expect(publicly({ after: position(2 ** 40, 0, 0) })).toEqual([]);
    });

    test("logs by tag can be limited to blocks, pages and a number of logs", () => {
      expect(publicly({ fromBlock: 2 })).toEqual([[5, 0, 1]]);
      expect(publicly({ fromBlock: -4, toBlock: 5 })).toHaveLength(3);
      expect(publicly({ toBlock: 1 })).toEqual([]);
      expect(publicly({ fromBlock: 5, toBlock: 2 })).toEqual([]);
      expect(publicly({ fromBlock: 2 ** 40 })).toEqual([]);
      expect(publicly({ toBlock: 2 ** 40 })).toHaveLength(4);
      expect(publicly({ skip: 1, limit: 2 })).toEqual([
        [1, 1, 1],
        [1, 1, 4],
      ]);
      expect(publicly({ skip: 4 })).toEqual([]);
      expect(publicly({ limit: 0 })).toEqual([]);
    });

    test("logs by tag can be limited to one tx", () => {
      expect(publicly({ txHash: txHash(1, 1) })).toEqual([
        [1, 1, 1],
        [1, 1, 4],
      ]);
      expect(publicly({ txHash: txHash(1, 1), after: position(1, 1, 1) })).toEqual([[1, 1, 4]]);
      expect(publicly({ txHash: txHash(1, 0), after: position(1, 1, 1) })).toEqual([]);
      expect(publicly({ txHash: txHash(5, 0), toBlock: 5 })).toEqual([]);
      expect(publicly({ txHash: seeded("unknown") })).toEqual([]);
    });

    test("a lookup by a tag that is not 32 bytes finds no logs", () => {
      expect(content.privateLogsByTag(TAG.subarray(1), { limit: 1 })).toEqual([]);
      expect(content.publicLogsByTag(A, concat(TAG, TAG), { limit: 1 })).toEqual([]);
    });
  });

  describe("logs by range", () => {
    type Range = Omit<Parameters<ContentStore["publicLogs"]>[0], "limit"> & { limit?: number };
    const search = (kind: "publicLogs" | "contractClassLogs", range: Range) => {
      const { logs, maxLogsHit } = content[kind]({ limit: 1000, ...range });
      return { logs: logs.map((l) => [l.blockNumber, l.txIndex, l.logIndex]), maxLogsHit };
    };
    const found = (logs: number[][], maxLogsHit = false) => ({ logs, maxLogsHit });
    const ALL = [
      [1, 0, 0],
      [1, 1, 0],
      [1, 1, 1],
      [1, 1, 2],
      [1, 1, 3],
      [3, 0, 0],
      [4, 0, 0],
      [5, 0, 0],
      [5, 0, 1],
    ];

    test("a range query without a filter returns all logs of its kind in chain order", () => {
      expect(search("publicLogs", {})).toEqual(found(ALL));
      expect(search("contractClassLogs", {})).toEqual(
        found([
          [1, 0, 0],
          [2, 0, 0],
          [3, 0, 0],
          [5, 0, 0],
        ]),
      );
    });

    test("public logs can be filtered by contract and tag, contract class logs only by contract", () => {
      expect(search("publicLogs", { contractAddress: B })).toEqual(found([[1, 1, 2]]));
      expect(search("publicLogs", { contractAddress: A }).logs).toHaveLength(6);
      expect(search("publicLogs", { tag: TAG })).toEqual(
        found([
          [1, 0, 0],
          [1, 1, 0],
          [1, 1, 2],
          [1, 1, 3],
          [5, 0, 1],
        ]),
      );
      expect(search("publicLogs", { contractAddress: A, tag: TAG })).toEqual(
        found([
          [1, 0, 0],
          [1, 1, 0],
          [1, 1, 3],
          [5, 0, 1],
        ]),
      );
      expect(search("publicLogs", { contractAddress: B, tag: OTHER_TAG })).toEqual(found([]));
      expect(search("contractClassLogs", { contractAddress: A })).toEqual(found([]));
      expect(search("contractClassLogs", { contractAddress: fr(3), tag: TAG }).logs).toHaveLength(4);
    });

    test("a range query includes fromBlock, excludes toBlock, and reports more logs for an inverted range", () => {
      expect(search("publicLogs", { fromBlock: 3, toBlock: 5 })).toEqual(
        found([
          [3, 0, 0],
          [4, 0, 0],
        ]),
      );
      expect(search("publicLogs", { fromBlock: -3, toBlock: 4 }).logs).toHaveLength(6);
      expect(search("publicLogs", { fromBlock: 4, toBlock: 3 })).toEqual(found([], true));
      expect(search("publicLogs", { toBlock: 0 })).toEqual(found([], true));
      expect(search("publicLogs", { toBlock: 1 })).toEqual(found([]));
      expect(search("publicLogs", { fromBlock: 4, toBlock: 4 })).toEqual(found([]));
      expect(search("publicLogs", { fromBlock: 2 ** 40 })).toEqual(found([]));
      expect(search("publicLogs", { fromBlock: 2 ** 40, toBlock: 2 ** 41 })).toEqual(found([]));
    });

    test("a range query continues strictly after any log, with any filter", () => {
      for (const filter of [{}, { contractAddress: A }, { tag: TAG }, { contractAddress: A, tag: TAG }]) {
        const { logs } = search("publicLogs", filter);
        logs.forEach(([blockNumber, txIndex, logIndex], i) => {
          const after = { blockNumber, txIndex, logIndex };
          expect(search("publicLogs", { ...filter, after })).toEqual(found(logs.slice(i + 1)));
        });
      }
      const after = { blockNumber: 3, txIndex: 0, logIndex: 0 };
      expect(search("publicLogs", { after, fromBlock: 5 }).logs).toEqual(ALL.slice(6));
      expect(search("publicLogs", { after, toBlock: 2 })).toEqual(found([], true));
    });

    test("a range query stops at its limit and reports more logs, even if none follow", () => {
      expect(search("publicLogs", { limit: 4 })).toEqual(found(ALL.slice(0, 4), true));
      expect(search("publicLogs", { limit: 9 })).toEqual(found(ALL, true));
      expect(search("publicLogs", { limit: 10 })).toEqual(found(ALL));
    });

    test("a range query can be limited to one tx", () => {
      expect(search("publicLogs", { txHash: txHash(1, 1) })).toEqual(found(ALL.slice(1, 5)));
      expect(search("publicLogs", { txHash: txHash(1, 1), contractAddress: B })).toEqual(found([[1, 1, 2]]));
      expect(search("publicLogs", { txHash: txHash(1, 1), fromBlock: 2 })).toEqual(found([]));
      expect(search("publicLogs", { txHash: txHash(5, 0), toBlock: 5 })).toEqual(found([]));
      expect(search("publicLogs", { txHash: seeded("unknown") })).toEqual(found([]));
      const after = { blockNumber: 1, txIndex: 1, logIndex: 1 };
      expect(search("publicLogs", { txHash: txHash(1, 1), after })).toEqual(found(ALL.slice(3, 5)));
      expect(search("contractClassLogs", { txHash: txHash(2, 0) })).toEqual(found([[2, 0, 0]]));
    });
  });

  test("the content store returns the effects and the position of a tx", () => {
    const settled = content.settledTx(txHash(4, 1))!;
    expect(settled).toMatchObject({ blockNumber: 4, slotNumber: 20, txIndexInBlock: 1 });
    expect(settled.blockTimestamp).toBe(BigInt(slotTimestamp(20, CONSTANTS)));
    expect(toHex(settled.blockHash)).toBe(toHex(opened.chain.block(4)!.hash));
    expect(toHex(settled.effect.words)).toBe(toHex(opened.chain.txEffects(4)[1].words));
    expect(content.settledTx(seeded("unknown"))).toBeUndefined();
    expect(content.settledTx(new Uint8Array(3))).toBeUndefined();
  });

  test("the content store returns a contract class with the block that registered it first", () => {
    for (const [made, blockNumber] of [
      [first, 1],
      [second, 2],
      [empty, 5],
    ] as const) {
      const { log: _, ...parts } = made;
      const found = content.contractClass(made.id)!;
      expect(found.blockNumber).toBe(blockNumber);
      for (const [name, value] of Object.entries(parts)) {
        expect(toHex(found[name as keyof typeof parts])).toBe(toHex(value));
      }
    }
    expect(content.contractClass(seeded("unknown"))).toBeUndefined();
    expect(content.contractClass(new Uint8Array(0))).toBeUndefined();
  });

  test("the content store returns a contract instance with its class at a timestamp; of updates with one timestamp the last counts", () => {
    const current = (timestamp?: bigint) => {
      const found = content.contractInstance(instance.address, timestamp)!;
      expect(toHex(found.originalContractClassId)).toBe(toHex(first.id));
      return toHex(found.currentContractClassId);
    };
    const announced = BigInt(slotTimestamp(20, CONSTANTS));
    // Of several updates with one timestamp of change the last counts; until then the class is the one that it names as
    // the previous one.
    expect(current(announced - 1n)).toBe(toHex(first.id));
    expect(current(announced)).toBe(toHex(second.id));
    expect(current()).toBe(toHex(second.id));
    expect(current(BigInt(late) + 9n)).toBe(toHex(second.id));
    expect(current(BigInt(late) + 10n)).toBe(toHex(empty.id));
    expect(current(2n ** 70n)).toBe(toHex(empty.id));
    expect(current(-1n)).toBe(toHex(first.id));
    const { log: _, ...parts } = instance;
    const found = content.contractInstance(instance.address)!;
    expect(found.blockNumber).toBe(2);
    for (const [name, value] of Object.entries(parts)) {
      expect(toHex(found[name as keyof typeof parts])).toBe(toHex(value));
    }
    expect(content.contractInstance(seeded("unknown"))).toBeUndefined();
    expect(content.contractInstance(new Uint8Array(31))).toBeUndefined();
  });

  test("the content store groups messages to L1 by checkpoint, block and tx", () => {
    const text = (epoch: number) => content.l2ToL1Messages(epoch).map((c) => c.map((b) => b.map((t) => t.map(toHex))));
    const expected = MESSAGES.map((c) => c.map((b) => b.map((t) => t.map(toHex))));
    expect(text(0)).toEqual(expected.slice(0, 2));
    expect(text(1)).toEqual(expected.slice(2));
    expect(text(2)).toEqual([]);
    expect(text(-1)).toEqual([]);
  });
});

test("before the first block only the protocol contracts are known", async () => {
  const { content, close } = openChain();
  try {
    expect(content.contractInstance(fr(5))).toMatchObject({ blockNumber: 0, salt: fr(1), deployer: fr(5) });
    expect(content.contractInstance(fr(7))).toBeUndefined();
    expect(content.publicLogs({ limit: 5 })).toEqual({ logs: [], maxLogsHit: false });
    expect(content.l2ToL1Messages(0)).toEqual([]);
  } finally {
    await close();
  }
});
