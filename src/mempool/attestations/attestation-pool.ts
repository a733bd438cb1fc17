import { equal, mapKey } from "../../protocol/bytes.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  blockProposalSlot,
  decodeBlockProposal,
  encodeBlockProposal,
} from "../../protocol/consensus/block-proposal.ts";
import {
  attestationPayloadHash,
  type CheckpointAttestation,
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../protocol/consensus/checkpoint-attestation.ts";
import {
  type CheckpointProposal,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
} from "../../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import { dropOldest } from "../../storage/drop-oldest.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PoolStore } from "../pool/pool-store.ts";
import { ConsensusRows, type ProposalKind, SlotContents } from "./consensus-rows.ts";

/** Different block proposals that are kept for a position: a slot and an index. */
export const MAX_BLOCKS_PER_POSITION = 3;
/** Different checkpoint proposals that are kept for a slot. */
const MAX_CHECKPOINTS_PER_SLOT = 5;
/** Attestations that are kept for an attester in a slot, each to another archive root. */
const MAX_ATTESTATIONS_PER_ATTESTER = 3;
/** Largest index within a checkpoint. */
export const MAX_INDEX_WITHIN_CHECKPOINT = 1023;
/**
 * Bytes of block proposals that are kept for a slot: many times those of a checkpoint, whose blobs hold at most 4,096
 * transactions.
 */
const MAX_BLOCK_BYTES_PER_SLOT = 4 * 2 ** 20;

/** Slots whose contents are in memory. Messages come for two of them. */
const SLOTS_IN_MEMORY = 8;
/** Messages that come within this time share a commit, in milliseconds. */
const COMMIT_DELAY_MS = 100;
/** So many bytes are committed at once. */
const COMMIT_BYTES = 2 ** 20;

/** What adding a message did. */
export interface PoolAddition {
  /**
   * "exists": one with the same archive root, of the same attester, is there already. "full": the protocol's limit is
   * reached. "crowded": this node's limit of bytes is.
   */
  result: "added" | "exists" | "full" | "crowded";
  /** Messages now at the same position, in the same slot, or of the same attester in the slot. */
  count: number;
}

/**
 * Proposals and attestations of recent slots, as peers sent them (docs/protocol/10-peers.md#1012-attestation-pool).
 * Nothing is checked here but the limits. Messages of about the same time share a commit; a crash loses those of the
 * last tenth of a second, and peers have them.
 */
export class AttestationPool {
  readonly #rows: ConsensusRows;
  readonly #rollup: MessageRollup;
  readonly #logger: Logger;
  /** By slot, the least recently used first. */
  readonly #slots = new Map<number, SlotContents>();
  #timer: NodeJS.Timeout | undefined;
  #attestationsAdded = 0;

  constructor(store: PoolStore, rollup: MessageRollup, logger: Logger) {
    this.#rows = new ConsensusRows(store);
    this.#rollup = rollup;
    this.#logger = logger;
  }

  /** Commits pending writes. Called before the store is closed. */
  close(): void {
    this.#commit();
  }

  /** The signed txs are not kept. Throws a RangeError for an index above MAX_INDEX_WITHIN_CHECKPOINT. */
  addBlockProposal(proposal: BlockProposal): PoolAddition {
    const index = proposal.indexWithinCheckpoint;
    if (index > MAX_INDEX_WITHIN_CHECKPOINT) {
      throw new RangeError(`index within a checkpoint must be at most ${MAX_INDEX_WITHIN_CHECKPOINT}, got ${index}`);
    }
    const slot = blockProposalSlot(proposal);
    const contents = this.#slot(slot);
    const count = contents.blocksAtIndex.get(index) ?? 0;
    if (this.#has("block", proposal.archiveRoot)) return { result: "exists", count };
    if (count >= MAX_BLOCKS_PER_POSITION) return { result: "full", count };
    if (contents.blockBytes >= MAX_BLOCK_BYTES_PER_SLOT) return { result: "crowded", count };
    const bytes = encodeBlockProposal({ ...proposal, signedTxs: undefined }, this.#rollup);
    contents.addBlock(index, proposal.archiveRoot, bytes.length);
    this.#rows.putBlock(slot, index, Uint8Array.from(proposal.archiveRoot), bytes);
    this.#commitSoon();
    return { result: "added", count: count + 1 };
  }

  /** Keeps the proposal without its last block. */
  addCheckpointProposal(proposal: CheckpointProposal): PoolAddition {
    const slot = checkpointSlot(proposal.header);
    const { checkpoints } = this.#slot(slot);
    const count = checkpoints.size;
    if (this.#has("checkpoint", proposal.archive)) return { result: "exists", count };
    if (count >= MAX_CHECKPOINTS_PER_SLOT) return { result: "full", count };
    const bytes = encodeCheckpointProposal(proposal, this.#rollup);
    checkpoints.set(mapKey(proposal.archive), bytes);
    this.#rows.putCheckpoint(slot, Uint8Array.from(proposal.archive), bytes);
    this.#commitSoon();
    return { result: "added", count: count + 1 };
  }

  /** Attestations of the slots in memory. */
  get attestationCount(): number {
    let count = 0;
    for (const { attestations } of this.#slots.values()) count += attestations.size;
    return count;
  }

  /** Attestations added since the start. */
  get attestationsAdded(): number {
    return this.#attestationsAdded;
  }

  /** `attester` is who signed it. */
  addAttestation(attestation: CheckpointAttestation, attester: Uint8Array): PoolAddition {
    const slot = checkpointSlot(attestation.header);
    const contents = this.#slot(slot);
    const count = contents.attestationsOf.get(mapKey(attester)) ?? 0;
    const key = mapKey(attestation.archive) + mapKey(attester);
    if (contents.attestations.has(key)) return { result: "exists", count };
    if (count >= MAX_ATTESTATIONS_PER_ATTESTER) return { result: "full", count };
    this.#putAttestation(slot, attestation, { attester, own: false });
    return { result: "added", count: count + 1 };
  }

  /** Without limits: what this node's own keys signed. */
  addOwnAttestation(attestation: CheckpointAttestation, attester: Uint8Array): void {
    this.#putAttestation(checkpointSlot(attestation.header), attestation, { attester, own: true });
  }

  /** Whether the block proposal is known, or no further one is kept at its position. */
  refusesBlock(proposal: Pick<BlockProposal, "header" | "indexWithinCheckpoint" | "archiveRoot">): boolean {
    const contents = this.#slot(blockProposalSlot(proposal));
    const count = contents.blocksAtIndex.get(proposal.indexWithinCheckpoint) ?? 0;
    return count >= MAX_BLOCKS_PER_POSITION || this.#has("block", proposal.archiveRoot);
  }

  hasBlockProposals(slot: number): boolean {
    return this.#slot(slot).blocksAtIndex.size > 0;
  }

  /** By the archive root after the block. */
  blockProposal(archive: Uint8Array): BlockProposal | undefined {
    const bytes = this.#proposal("block", archive);
    return bytes && decodeBlockProposal(bytes, this.#rollup);
  }

  checkpointProposal(archive: Uint8Array): CheckpointProposal | undefined {
    const key = mapKey(archive);
    for (const { checkpoints } of this.#slots.values()) {
      const bytes = checkpoints.get(key);
      if (bytes !== undefined) return decodeCheckpointProposal(bytes, this.#rollup);
    }
    const bytes = this.#proposal("checkpoint", archive);
    return bytes && decodeCheckpointProposal(bytes, this.#rollup);
  }

  /** Those that are kept for a slot. */
  proposals(slot: number): { blocks: BlockProposal[]; checkpoints: CheckpointProposal[] } {
    this.#commit();
    return {
      blocks: Array.from(this.#rows.blocks(slot), ({ bytes }) => decodeBlockProposal(bytes, this.#rollup)),
      checkpoints: Array.from(this.#rows.checkpoints(slot), ({ bytes }) =>
        decodeCheckpointProposal(bytes, this.#rollup),
      ),
    };
  }

  /** All attestations of a slot, those to one archive root, or those to one payload (attestationPayloadHash). */
  attestations(slot: number, of?: { archive: Uint8Array } | { payloadHash: Uint8Array }): CheckpointAttestation[] {
    return Array.from(this.signedAttestations(slot, of), ({ attestation }) => attestation);
  }

  /** The same with their attesters. */
  *signedAttestations(
    slot: number,
    of?: { archive: Uint8Array } | { payloadHash: Uint8Array },
  ): Generator<{ attester: Uint8Array; attestation: CheckpointAttestation }> {
    this.#commit();
    const archive = of !== undefined && "archive" in of ? of.archive : undefined;
    const payloadHash = of !== undefined && "payloadHash" in of ? of.payloadHash : undefined;
    for (const { attester, bytes } of this.#rows.attestations(slot, archive)) {
      const attestation = decodeCheckpointAttestation(bytes, this.#rollup);
      if (payloadHash === undefined || equal(attestationPayloadHash(attestation, this.#rollup), payloadHash)) {
        yield { attester, attestation };
      }
    }
  }

  /** Drops the messages of slots before `slot`. */
  removeBefore(slot: number): void {
    this.#commit();
    for (const kept of this.#slots.keys()) if (kept < slot) this.#slots.delete(kept);
    this.#rows.removeBefore(slot);
  }

  #putAttestation(
    slot: number,
    attestation: CheckpointAttestation,
    { attester, own }: { attester: Uint8Array; own: boolean },
  ): void {
    const { archive } = attestation;
    this.#slot(slot).addAttestation(archive, attester, own);
    this.#attestationsAdded++;
    this.#rows.putAttestation(slot, { archive, attester, own }, encodeCheckpointAttestation(attestation, this.#rollup));
    this.#commitSoon();
  }

  #slot(slot: number): SlotContents {
    let contents = this.#slots.get(slot);
    if (contents === undefined) {
      this.#commit();
      contents = SlotContents.load(this.#rows, slot);
    }
    this.#slots.delete(slot);
    this.#slots.set(slot, contents);
    dropOldest(this.#slots, SLOTS_IN_MEMORY);
    return contents;
  }

  #has(kind: ProposalKind, archive: Uint8Array): boolean {
    const key = mapKey(archive);
    for (const { blocks, checkpoints } of this.#slots.values()) {
      if ((kind === "block" ? blocks : checkpoints).has(key)) return true;
    }
    return this.#rows.has(kind, archive);
  }

  #proposal(kind: ProposalKind, archive: Uint8Array): Uint8Array | undefined {
    const committed = this.#rows.proposal(kind, archive);
    if (committed !== undefined || this.#rows.waiting === 0) return committed;
    this.#commit();
    return this.#rows.proposal(kind, archive);
  }

  #commitSoon(): void {
    if (this.#rows.waiting >= COMMIT_BYTES) {
      this.#commit();
      return;
    }
    this.#timer ??= setTimeout(() => this.#commit(), COMMIT_DELAY_MS).unref();
  }

  #commit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.#rows.commit();
    } catch (error) {
      this.#logger.error({ err: error }, "proposals and attestations could not be stored");
    }
  }
}
