import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  AttestationPool,
  MAX_BLOCKS_PER_POSITION,
  type PoolAddition,
} from "../../../src/mempool/attestations/attestation-pool.ts";
import { HEADER_AT } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex, writeU32, writeUint } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  decodeBlockProposal,
  encodeBlockProposal,
} from "../../../src/protocol/consensus/block-proposal.ts";
import {
  attestationPayloadHash,
  type CheckpointAttestation,
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  type CheckpointProposal,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
} from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import { unwrapMessage } from "../../../src/protocol/consensus/gossip-wrapper.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { pooled } from "../../world/p2p/consensus-support.ts";
import { p2pVectors, uncompressed } from "../../world/p2p/recorded.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";

const vectors = p2pVectors();
const BLOCK = decodeBlockProposal(fromHex(vectors.blockProposal.payloadHex), V4_ROLLUP);
const CHECKPOINT = decodeCheckpointProposal(fromHex(vectors.checkpointProposalWithLastBlock.payloadHex), V4_ROLLUP);
const ATTESTATION = decodeCheckpointAttestation(fromHex(vectors.checkpointAttestation.payloadHex), V4_ROLLUP);
const SLOT = 5005;

const field = (byte: number) => new Uint8Array(32).fill(byte, 31);
const address = (byte: number) => new Uint8Array(20).fill(byte);

function block(change: Partial<BlockProposal> & { slot?: number } = {}): BlockProposal {
  const { slot = SLOT, ...rest } = change;
  const header = Uint8Array.from(BLOCK.header);
  writeU32(header, HEADER_AT.slotNumber, slot);
  return { ...BLOCK, header, ...rest };
}

function checkpointHeader(slot: number): Uint8Array {
  const header = Uint8Array.from(CHECKPOINT.header);
  writeUint(header, CHECKPOINT_AT.slotNumber + 26, 6, slot);
  return header;
}

const checkpoint = (archive: Uint8Array, slot = SLOT): CheckpointProposal => ({
  ...CHECKPOINT,
  header: checkpointHeader(slot),
  archive,
});
const attestation = (archive: Uint8Array, slot = SLOT): CheckpointAttestation => ({
  ...ATTESTATION,
  header: checkpointHeader(slot),
  archive,
});

const added = (count: number): PoolAddition => ({ result: "added", count });
const archives = (proposals: { archive: Uint8Array }[]) => proposals.map(({ archive }) => archive.at(-1));

let opened: ReturnType<typeof pooled>;
let pool: AttestationPool;
beforeEach(() => {
  opened = pooled();
  pool = opened.pool;
});
afterEach(() => opened.close());

describe("the pool of block proposals", () => {
  test("takes three for a position, and each archive root once", () => {
    for (let i = 1; i <= MAX_BLOCKS_PER_POSITION; i++) {
      expect(pool.addBlockProposal(block({ archiveRoot: field(i) }))).toEqual(added(i));
    }
    expect(pool.addBlockProposal(block({ archiveRoot: field(2) }))).toEqual({ result: "exists", count: 3 });
    expect(pool.addBlockProposal(block({ archiveRoot: field(4) }))).toEqual({ result: "full", count: 3 });
    expect(pool.addBlockProposal(block({ archiveRoot: field(4), indexWithinCheckpoint: 3 }))).toEqual(added(1));
    expect(pool.addBlockProposal(block({ archiveRoot: field(5), slot: SLOT + 1 }))).toEqual(added(1));
  });

  test("knows an archive root also from another position and another slot", () => {
    pool.addBlockProposal(block());
    expect(pool.addBlockProposal(block({ indexWithinCheckpoint: 9 }))).toEqual({ result: "exists", count: 0 });
    expect(pool.addBlockProposal(block({ slot: SLOT + 1 }))).toEqual({ result: "exists", count: 0 });
  });

  test("gives them back as they came, without signed transactions", () => {
    const withTxs = decodeBlockProposal(
      unwrapMessage(uncompressed(vectors.blockProposalWithSignedTxs.snappyExampleHex)),
      V4_ROLLUP,
    );
    pool.addBlockProposal(BLOCK);
    pool.addBlockProposal(withTxs);
    const stored = pool.blockProposal(BLOCK.archiveRoot);
    expect(stored && toHex(encodeBlockProposal(stored, V4_ROLLUP))).toBe(vectors.blockProposal.payloadHex);
    expect(pool.blockProposal(withTxs.archiveRoot)?.signedTxs).toBeUndefined();
    expect(pool.blockProposal(field(1))).toBeUndefined();
  });

  test("says beforehand which it would not take", () => {
    expect(pool.refusesBlock(BLOCK)).toBe(false);
    pool.addBlockProposal(BLOCK);
    expect(pool.refusesBlock(BLOCK)).toBe(true);
    expect(pool.refusesBlock({ ...BLOCK, archiveRoot: field(1) })).toBe(false);
  });

  test("refuses an index that its keys cannot hold", () => {
    expect(() => pool.addBlockProposal(block({ indexWithinCheckpoint: 1024 }))).toThrow(
      "index within a checkpoint must be at most 1023, got 1024",
    );
  });

  test("keeps a bounded number of bytes for a slot", () => {
    const txHashes = new Uint8Array(4096 * 32);
    const results = Array.from({ length: 40 }, (_, i) => {
      return pool.addBlockProposal(block({ archiveRoot: field(i), indexWithinCheckpoint: i, txHashes })).result;
    });
    expect(results.indexOf("crowded")).toBe(32);
    expect(pool.addBlockProposal(block({ archiveRoot: field(99), slot: SLOT + 1, txHashes }))).toEqual(added(1));
  });
});

describe("the pool of checkpoint proposals", () => {
  test("takes five for a slot, and each archive root once", () => {
    for (let i = 1; i <= 5; i++) expect(pool.addCheckpointProposal(checkpoint(field(i)))).toEqual(added(i));
    expect(pool.addCheckpointProposal(checkpoint(field(3)))).toEqual({ result: "exists", count: 5 });
    expect(pool.addCheckpointProposal(checkpoint(field(6)))).toEqual({ result: "full", count: 5 });
    expect(archives(pool.proposals(SLOT).checkpoints)).toEqual([1, 2, 3, 4, 5]);
  });

  test("keeps them without their last block", () => {
    pool.addCheckpointProposal(CHECKPOINT);
    const core = toHex(encodeCheckpointProposal(CHECKPOINT, V4_ROLLUP));
    const [stored] = pool.proposals(SLOT).checkpoints;
    expect(toHex(encodeCheckpointProposal(stored, V4_ROLLUP))).toBe(core);
    const found = pool.checkpointProposal(CHECKPOINT.archive);
    expect(found && toHex(encodeCheckpointProposal(found, V4_ROLLUP))).toBe(core);
    expect(core).toHaveLength(2 + 2 * 452);
  });
});

describe("the pool of attestations", () => {
  test("takes three of an attester in a slot, and one for each archive root", () => {
    for (let i = 1; i <= 3; i++) expect(pool.addAttestation(attestation(field(i)), address(1))).toEqual(added(i));
    expect(pool.addAttestation(attestation(field(1)), address(1))).toEqual({ result: "exists", count: 3 });
    expect(pool.addAttestation(attestation(field(4)), address(1))).toEqual({ result: "full", count: 3 });
    expect(pool.addAttestation(attestation(field(4)), address(2))).toEqual(added(1));
    expect(pool.addAttestation(attestation(field(4), SLOT + 1), address(1))).toEqual(added(1));
  });

  test("takes own ones without a limit and without counting them", () => {
    for (let i = 1; i <= 4; i++) pool.addOwnAttestation(attestation(field(i)), address(1));
    expect(pool.addAttestation(attestation(field(2)), address(1))).toEqual({ result: "exists", count: 0 });
    expect(pool.addAttestation(attestation(field(5)), address(1))).toEqual(added(1));
    expect(pool.attestations(SLOT)).toHaveLength(5);
  });

  test("finds them by slot, by archive root and by what was signed", () => {
    const other = { ...attestation(field(1)), feeAssetPriceModifier: field(7) };
    pool.addAttestation(attestation(field(1)), address(1));
    pool.addAttestation(other, address(2));
    pool.addAttestation(attestation(field(2)), address(1));
    pool.addAttestation(attestation(field(1), SLOT + 1), address(1));
    expect(pool.attestations(SLOT)).toHaveLength(3);
    expect(pool.attestations(SLOT, { archive: field(1) })).toHaveLength(2);
    const payloadHash = attestationPayloadHash(other, V4_ROLLUP);
    const found = Array.from(pool.signedAttestations(SLOT, { payloadHash }));
    expect(found.map(({ attester }) => toHex(attester))).toEqual([toHex(address(2))]);
    expect(toHex(encodeCheckpointAttestation(found[0].attestation, V4_ROLLUP))).toBe(
      toHex(encodeCheckpointAttestation(other, V4_ROLLUP)),
    );
    expect(pool.attestations(2 ** 50)).toEqual([]);
    expect(pool.proposals(2 ** 50)).toEqual({ blocks: [], checkpoints: [] });
  });
});

describe("the attestation pool", () => {
  test("drops what is of slots before the finalized one, and only that", () => {
    for (const [i, slot] of [SLOT - 1, SLOT, SLOT + 1].entries()) {
      pool.addBlockProposal(block({ slot, archiveRoot: field(i) }));
      pool.addCheckpointProposal(checkpoint(field(i), slot));
      pool.addAttestation(attestation(field(i), slot), address(1));
    }
    pool.removeBefore(SLOT + 1);
    for (const slot of [SLOT - 1, SLOT]) {
      expect(pool.proposals(slot)).toEqual({ blocks: [], checkpoints: [] });
      expect(pool.attestations(slot)).toEqual([]);
    }
    expect(pool.blockProposal(field(0))).toBeUndefined();
    expect(pool.checkpointProposal(field(1))).toBeUndefined();
    expect(pool.proposals(SLOT + 1).blocks).toHaveLength(1);
    expect(pool.attestations(SLOT + 1)).toHaveLength(1);
    expect(pool.addBlockProposal(block({ archiveRoot: field(0) }))).toEqual(added(1));
  });

  test("removes every row of finished slots", () => {
    for (let slot = 1; slot <= 20; slot++) {
      pool.addBlockProposal(block({ slot, archiveRoot: field(slot) }));
      pool.addCheckpointProposal(checkpoint(field(slot), slot));
      pool.addAttestation(attestation(field(slot), slot), address(1));
    }
    pool.removeBefore(21);
    const tables = ["block-proposals", "checkpoint-proposals", "proposal-archives", "checkpoint-attestations"];
    expect(tables.map((name) => Array.from(opened.store.table(name).range({})).length)).toEqual([0, 0, 0, 0]);
  });

  test("has everything again after a restart, its limits too", () => {
    for (let i = 1; i <= 3; i++) {
      pool.addBlockProposal(block({ archiveRoot: field(i) }));
      pool.addAttestation(attestation(field(i)), address(1));
    }
    pool.addOwnAttestation(attestation(field(4)), address(1));
    pool.addCheckpointProposal(checkpoint(field(1)));
    const again = opened.reopen();
    expect(again.addBlockProposal(block({ archiveRoot: field(4) }))).toEqual({ result: "full", count: 3 });
    expect(again.addBlockProposal(block({ archiveRoot: field(3) }))).toEqual({ result: "exists", count: 3 });
    expect(again.addAttestation(attestation(field(5)), address(1))).toEqual({ result: "full", count: 3 });
    expect(again.addCheckpointProposal(checkpoint(field(1)))).toEqual({ result: "exists", count: 1 });
    expect(again.attestations(SLOT)).toHaveLength(4);
  });

  test("keeps its limits for slots that left the memory", () => {
    const header = checkpointHeader(SLOT);
    expect(checkpointSlot(header)).toBe(SLOT);
    for (let i = 1; i <= 3; i++) pool.addAttestation(attestation(field(i)), address(1));
    for (let slot = 1; slot <= 30; slot++) pool.addAttestation(attestation(field(1), slot), address(1));
    expect(pool.addAttestation(attestation(field(9)), address(1))).toEqual({ result: "full", count: 3 });
  });

  test("stores messages of about the same time in one commit", () => {
    vi.useFakeTimers();
    try {
      const store = new MemoryStore();
      const transaction = vi.spyOn(store, "transaction");
      const inMemory = new AttestationPool(store, V4_ROLLUP, silentLogger);
      for (let i = 1; i <= 48; i++) inMemory.addAttestation(attestation(field(1)), address(i));
      expect(transaction).not.toHaveBeenCalled();
      vi.advanceTimersByTime(200);
      expect(transaction).toHaveBeenCalledTimes(1);
      expect(inMemory.attestations(SLOT)).toHaveLength(48);
    } finally {
      vi.useRealTimers();
    }
  });

  test("goes on when messages cannot be stored", () => {
    const store = new MemoryStore();
    const inMemory = new AttestationPool(store, V4_ROLLUP, silentLogger);
    inMemory.addAttestation(attestation(field(1)), address(1));
    store.failNext = true;
    expect(inMemory.attestations(SLOT)).toEqual([]);
    inMemory.addAttestation(attestation(field(2)), address(1));
    expect(inMemory.attestations(SLOT)).toHaveLength(1);
  });
});
