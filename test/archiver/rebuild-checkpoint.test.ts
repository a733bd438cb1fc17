import { describe, expect, test } from "vitest";
import { InvalidCheckpointError } from "../../src/archiver/errors.ts";
import { rebuildCheckpoint } from "../../src/archiver/rebuild-checkpoint.ts";
import { RebuildPool } from "../../src/archiver/rebuilders.ts";
import type { RebuildInput } from "../../src/archiver/rebuilt-checkpoint.ts";
import { checkContinuation } from "../../src/archiver/validate-checkpoint.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex, writeUint } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../../src/protocol/checkpoint-header.ts";
import { DecodeError } from "../../src/protocol/errors.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { unbalancedRoot } from "../../src/protocol/sha-trees.ts";
import { items } from "../../src/protocol/tx-effect.ts";
import { type CheckpointVector, type L1Vectors, readVectors, wholeBlobs } from "../world/archiver/vectors.ts";

const core = loadCore();
const l1 = readVectors<L1Vectors>("l1.json");

function inputOf(vector: CheckpointVector, rollupVersion: number): RebuildInput {
  return {
    checkpointNumber: vector.checkpointNumber,
    header: fromHex(vector.computed.checkpointHeaderBuffer),
    archiveRoot: fromHex(vector.event.decoded.archive),
    versionedBlobHashes: vector.blobs.map((blob) => fromHex(blob.versionedHash)),
    blobs: wholeBlobs(vector),
    l1ChainId: 31337,
    rollupVersion,
    rollupManaLimit: 200_000_000,
  };
}

const cases = [
  ...l1.live.checkpoints.map((v) => ["live", v, l1.live.constants.version] as const),
  ...l1.scenario.checkpoints.map((v) => ["scenario", v, l1.scenario.constants.version] as const),
  ["invalid attestations", l1.scenario.invalidAttestation, l1.scenario.constants.version] as const,
];

describe("a checkpoint rebuilt from its blobs", () => {
  for (const [name, vector, version] of cases) {
    test(`a checkpoint rebuilt from its blobs has the blocks of the network: ${name} ${vector.checkpointNumber}`, () => {
      const rebuilt = rebuildCheckpoint(inputOf(vector, version), core, V4);
      expect(toHex(checkpointHash(rebuilt.header))).toBe(vector.computed.checkpointHeaderHash);
      expect(toHex(rebuilt.outHash)).toBe(vector.computed.checkpointOutHash);
      expect(rebuilt.blocks.map(({ record }) => toHex(record.header))).toEqual(
        vector.blocks.map((b) => b.headerBuffer),
      );
      expect(rebuilt.blocks.map(({ record }) => toHex(record.hash))).toEqual(vector.blocks.map((b) => b.blockHash));
      expect(rebuilt.blocks.map(({ record }) => toHex(record.archiveRoot))).toEqual(
        vector.blocks.map((b) => b.archive.root),
      );
      rebuilt.blocks.forEach(({ record, txs }, i) => {
        expect(record.number).toBe(vector.blocks[i].blockNumber);
        expect(record.txCount).toBe(vector.blocks[i].numTxs);
        const txOutHashes = txs.map((tx) => unbalancedRoot(items(tx.l2ToL1Msgs), false));
        expect(txOutHashes.map(toHex)).toEqual(vector.blocks[i].txs.map((tx) => tx.txOutHash));
        expect(toHex(unbalancedRoot(txOutHashes, true))).toBe(vector.blocks[i].blockOutHash);
      });
    });
  }

  test("a checkpoint rebuilt on a pool thread has the result or the error of this thread", async () => {
    const pool = new RebuildPool(core, V4, { threads: 1, fromWords: 0 });
    try {
      const input = inputOf(l1.scenario.checkpoints[0], l1.scenario.constants.version);
      expect(await pool.rebuild(input)).toEqual(rebuildCheckpoint(input, core, V4));
      await expect(pool.rebuild({ ...input, rollupManaLimit: 1 })).rejects.toThrow(DecodeError);
    } finally {
      await pool.close();
    }
  });
});

describe("checkpoints that break a rule", () => {
  const good = inputOf(l1.scenario.checkpoints[0], l1.scenario.constants.version);
  const withHeader = (change: (header: Uint8Array) => void): RebuildInput => {
    const header = Uint8Array.from(good.header);
    change(header);
    return { ...good, header };
  };
  const withByte = (word: number, byte: number, value: number): RebuildInput => {
    const blobs = Uint8Array.from(good.blobs);
    blobs[word * 32 + byte] = value;
    return { ...good, blobs };
  };
  /** Index of the first word of the first block's end: seven words close a first block. */
  const blockEnd = l1.scenario.checkpoints[0].blocks[0].blobFieldCount - 7;

  const broken: [string, RebuildInput, RegExp][] = [
    ["archive", withHeader((h) => void h.fill(1, 0, 32)), /lastArchiveRoot of the first block/],
    ["timestamp", withHeader((h) => writeUint(h, CHECKPOINT_AT.timestamp + 2, 6, 7)), /timestamp of block 1/],
    ["block headers hash", withHeader((h) => void h.fill(1, 33, 64)), /blockHeadersHash of its blocks/],
    ["blobs hash", withHeader((h) => void h.fill(1, 65, 96)), /blobsHash of its blobs/],
    ["slot", withHeader((h) => void h.fill(1, CHECKPOINT_AT.slotNumber + 26, 192)), /slotNumber must be below 2\^32/],
    ["fee recipient", withHeader((h) => void h.fill(255, CHECKPOINT_AT.feeRecipient, 252)), /feeRecipient/],
    ["mana", { ...good, rollupManaLimit: 399_999 }, /mana of its blocks must be at most 399999, got 400000/],
    ["tx count", withByte(blockEnd, 31, 2), /holds 3 txs, its end marker says 2/],
    ["block number", withByte(blockEnd, 29, 9), /number of block 1 must be 10, got 2/],
    ["tree size", withByte(blockEnd + 1, 5, 255), /must be below 2\^32/],
    ["an altered effect", withByte(2, 31, 99), /blockHeadersHash of its blocks/],
    ["trailing word", withByte(4000, 31, 1), /words after the end marker/],
    ["size", { ...good, blobs: good.blobs.subarray(0, 131_040) }, /1 to 6 whole blobs/],
  ];
  for (const [name, input, rule] of broken) {
    test(`a checkpoint is refused with the field and the rule that it breaks: ${name}`, () => {
      expect(() => rebuildCheckpoint(input, core, V4)).toThrow(rule);
      expect(() => rebuildCheckpoint(input, core, V4)).toThrow(DecodeError);
    });
  }

  test("the error of a checkpoint that the chain refuses holds its number, archive and L1 block", () => {
    const cause = new DecodeError("checkpoint 3", "inHash must equal that of its L1-to-L2 messages");
    const error = new InvalidCheckpointError(
      { checkpointNumber: 3, archiveRoot: new Uint8Array(32), l1: { number: 50 } },
      { cause },
    );
    expect(error).toMatchObject({ checkpointNumber: 3, l1BlockNumber: 50, cause });
  });
});

describe("continuation of the chain", () => {
  const { version } = l1.scenario.constants;
  const rebuilt = l1.scenario.checkpoints.map((v) => rebuildCheckpoint(inputOf(v, version), core, V4));
  const messages = (checkpoint: number) =>
    l1.scenario.l1ToL2.events.filter((e) => e.checkpointNumber === checkpoint).map((e) => fromHex(e.leaf));
  const endOf = (i: number) => {
    const last = rebuilt[i].blocks.at(-1)!.record;
    return { blockNumber: last.number, archiveRoot: last.archiveRoot };
  };

  test("a checkpoint continues the chain with its messages and the out hashes of its epoch", () => {
    checkContinuation(rebuilt[1], endOf(0), messages(2), [rebuilt[0].outHash]);
    checkContinuation(rebuilt[2], endOf(1), messages(3), [rebuilt[0].outHash, rebuilt[1].outHash]);
  });

  test("a checkpoint is refused if its messages, out hashes, block number or archive do not continue the chain", () => {
    const [first, second] = rebuilt;
    expect(() => checkContinuation(second, endOf(0), [], [first.outHash])).toThrow(/inHash must equal/);
    expect(() => checkContinuation(second, endOf(0), messages(2), [])).toThrow(/epochOutHash must equal/);
    expect(() => checkContinuation(second, endOf(1), messages(2), [first.outHash])).toThrow(
      /first block must be 6, got 4/,
    );
    expect(() =>
      checkContinuation(second, { ...endOf(0), archiveRoot: new Uint8Array(32) }, messages(2), [first.outHash]),
    ).toThrow(/lastArchiveRoot must equal the archive before it/);
  });
});
