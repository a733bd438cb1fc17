import { concat, mapKey, readUint, writeUint } from "../../protocol/bytes.ts";
import { prefixEnd, type Table } from "../../storage/table.ts";
import type { PoolStore } from "../pool/pool-store.ts";

/** Slots are stored in 6 bytes. */
const SLOT_BYTES = 6;
const MAX_SLOT = 2 ** 48 - 1;

export type ProposalKind = "block" | "checkpoint";
const KIND = { block: 0, checkpoint: 1 } as const;

/** A change to commit. */
type Write = { table: Table; key: Uint8Array; value: Uint8Array };

/**
 * Tables of the attestation pool (docs/store-format.md#attestation-pool). Writes are collected and committed together
 * by `commit`; reads see only what was committed.
 */
export class ConsensusRows {
  readonly #store: PoolStore;
  readonly #blocks: Table;
  readonly #checkpoints: Table;
  readonly #archives: Table;
  readonly #attestations: Table;
  #writes: Write[] = [];
  #bytes = 0;

  constructor(store: PoolStore) {
    this.#store = store;
    this.#blocks = store.table("block-proposals");
    this.#checkpoints = store.table("checkpoint-proposals");
    this.#archives = store.table("proposal-archives");
    this.#attestations = store.table("checkpoint-attestations");
  }

  /** Bytes that are not committed yet. */
  get waiting(): number {
    return this.#bytes;
  }

  putBlock(slot: number, index: number, archive: Uint8Array, bytes: Uint8Array): void {
    this.#write(this.#blocks, blockKey(slot, index, archive), bytes);
    this.#write(this.#archives, archiveKey("block", archive), blockKey(slot, index, EMPTY));
  }

  putCheckpoint(slot: number, archive: Uint8Array, bytes: Uint8Array): void {
    this.#write(this.#checkpoints, slotKey(slot, archive), bytes);
    this.#write(this.#archives, archiveKey("checkpoint", archive), slotKey(slot));
  }

  /** `own`: the attestation is by this node and does not count against the attester's limit. */
  putAttestation(
    slot: number,
    { archive, attester, own }: { archive: Uint8Array; attester: Uint8Array; own: boolean },
    bytes: Uint8Array,
  ): void {
    this.#write(this.#attestations, slotKey(slot, archive, attester), concat(Uint8Array.of(own ? 1 : 0), bytes));
  }

  /** Commits the collected writes. If that fails, they are dropped. */
  commit(): void {
    const writes = this.#writes;
    if (writes.length === 0) return;
    this.#writes = [];
    this.#bytes = 0;
    this.#store.transaction(() => {
      for (const { table, key, value } of writes) table.put(key, value);
    });
  }

  /** Whether a proposal with this archive root was committed, in any slot. */
  has(kind: ProposalKind, archive: Uint8Array): boolean {
    return this.#archives.has(archiveKey(kind, archive));
  }

  proposal(kind: ProposalKind, archive: Uint8Array): Uint8Array | undefined {
    const position = this.#archives.get(archiveKey(kind, archive));
    if (position === undefined) return undefined;
    return (kind === "block" ? this.#blocks : this.#checkpoints).get(concat(position, archive));
  }

  *blocks(slot: number): Generator<{ index: number; archive: Uint8Array; bytes: Uint8Array }> {
    for (const { key, value } of this.#blocks.range(slotRange(slot))) {
      yield {
        index: readUint(key, SLOT_BYTES, 2),
        archive: Uint8Array.from(key.subarray(SLOT_BYTES + 2)),
        bytes: value,
      };
    }
  }

  *checkpoints(slot: number): Generator<{ archive: Uint8Array; bytes: Uint8Array }> {
    for (const { key, value } of this.#checkpoints.range(slotRange(slot))) {
      yield { archive: Uint8Array.from(key.subarray(SLOT_BYTES)), bytes: value };
    }
  }

  /** By archive root, then attester. `archive` limits them to one proposal. */
  *attestations(
    slot: number,
    archive: Uint8Array = EMPTY,
  ): Generator<{ archive: Uint8Array; attester: Uint8Array; own: boolean; bytes: Uint8Array }> {
    if (slot > MAX_SLOT) return;
    for (const { key, value } of this.#attestations.range(prefixRange(slotKey(slot, archive)))) {
      const attester = Uint8Array.from(key.subarray(SLOT_BYTES + 32));
      yield {
        archive: Uint8Array.from(key.subarray(SLOT_BYTES, SLOT_BYTES + 32)),
        attester,
        own: value[0] === 1,
        bytes: value.subarray(1),
      };
    }
  }

  /** Removes everything of earlier slots; what is not committed yet must be committed before. */
  removeBefore(slot: number): void {
    const end = slotKey(Math.min(slot, MAX_SLOT));
    this.#store.transaction(() => {
      for (const [kind, table, at] of [
        ["block", this.#blocks, SLOT_BYTES + 2],
        ["checkpoint", this.#checkpoints, SLOT_BYTES],
      ] as const) {
        for (const key of keysBefore(table, end)) {
          const archive = key.subarray(at);
          // Another slot may have taken the archive root over.
          const position = this.#archives.get(archiveKey(kind, archive));
          if (position !== undefined && Buffer.compare(position, key.subarray(0, at)) === 0) {
            this.#archives.remove(archiveKey(kind, archive));
          }
          table.remove(key);
        }
      }
      for (const key of keysBefore(this.#attestations, end)) this.#attestations.remove(key);
    });
  }

  #write(table: Table, key: Uint8Array, value: Uint8Array): void {
    this.#writes.push({ table, key, value });
    this.#bytes += key.length + value.length;
  }
}

const EMPTY = new Uint8Array(0);

function slotKey(slot: number, ...rest: Uint8Array[]): Uint8Array {
  const key = new Uint8Array(SLOT_BYTES);
  writeUint(key, 0, SLOT_BYTES, slot);
  return concat(key, ...rest);
}

function blockKey(slot: number, index: number, archive: Uint8Array): Uint8Array {
  return slotKey(slot, Uint8Array.of(index >>> 8, index & 255), archive);
}

function archiveKey(kind: ProposalKind, archive: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(KIND[kind]), archive);
}

function slotRange(slot: number): { start: Uint8Array; end: Uint8Array | undefined } {
  return slot > MAX_SLOT ? { start: EMPTY, end: EMPTY } : prefixRange(slotKey(slot));
}

function prefixRange(prefix: Uint8Array): { start: Uint8Array; end: Uint8Array | undefined } {
  return { start: prefix, end: prefixEnd(prefix) };
}

function keysBefore(table: Table, end: Uint8Array): Uint8Array[] {
  return Array.from(table.scan({ end }), ({ key }) => Uint8Array.from(key));
}

/** What the pool has of one slot. */
export class SlotContents {
  /** Archive roots of block proposals, and their number by index within the checkpoint. */
  readonly blocks = new Set<string>();
  readonly blocksAtIndex = new Map<number, number>();
  /** Checkpoint proposals by archive root. */
  readonly checkpoints = new Map<string, Uint8Array>();
  /** Archive root and attester of attestations. */
  readonly attestations = new Set<string>();
  /** Attestations that others sent, by attester. */
  readonly attestationsOf = new Map<string, number>();
  /** Bytes of block proposals. */
  blockBytes = 0;

  static load(rows: ConsensusRows, slot: number): SlotContents {
    const contents = new SlotContents();
    for (const { index, archive, bytes } of rows.blocks(slot)) contents.addBlock(index, archive, bytes.length);
    for (const { archive, bytes } of rows.checkpoints(slot)) contents.checkpoints.set(mapKey(archive), bytes);
    for (const { archive, attester, own } of rows.attestations(slot)) contents.addAttestation(archive, attester, own);
    return contents;
  }

  addBlock(index: number, archive: Uint8Array, bytes: number): void {
    this.blocks.add(mapKey(archive));
    this.blocksAtIndex.set(index, (this.blocksAtIndex.get(index) ?? 0) + 1);
    this.blockBytes += bytes;
  }

  addAttestation(archive: Uint8Array, attester: Uint8Array, own: boolean): void {
    this.attestations.add(mapKey(archive) + mapKey(attester));
    if (own) return;
    const key = mapKey(attester);
    this.attestationsOf.set(key, (this.attestationsOf.get(key) ?? 0) + 1);
  }
}
