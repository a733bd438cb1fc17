import type { ChainReader } from "../../archiver/types.ts";
import type { Core } from "../../core/core.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import { headerSlotNumber } from "../../protocol/block-header.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../protocol/checkpoint-header.ts";
import type { CheckpointPayload } from "../../protocol/consensus/checkpoint-payload.ts";
import { type CheckpointProposal, checkpointSigner } from "../../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../../protocol/consensus/recover.ts";
import { signedBigInt } from "../../protocol/consensus/signed-integer.ts";
import { MAXIMUM_PRICE_MODIFIER } from "../../protocol/fees/fee-asset-price.ts";
import type { Fr } from "../../protocol/field.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { epochOfSlot, type L1Constants, slotTimestamp } from "../../protocol/time.ts";
import { checkCheckpoint } from "../checkpoint-rules.ts";
import type { CheckpointLimits, CompletedCheckpoint, ProposedBlock } from "../checkpoint-terms.ts";
import { checkpointBlobs, completeCheckpoint } from "../complete-checkpoint.ts";
import { CheckpointRuleError } from "../errors.ts";
import { type AwaitedChain, ChainWait } from "./chain-wait.ts";
import { storedBlock } from "./stored-block.ts";

/**
 * Why a checkpoint proposal is refused (docs/protocol/11-consensus.md#111-checkpoint-proposals). The names are those of
 * the reference's log lines and metrics.
 */
type CheckpointFault =
  | "invalid_signature"
  | "invalid_fee_asset_price_modifier"
  | "last_block_not_found"
  | "block_fetch_error"
  | "no_blocks_for_slot"
  | "last_block_archive_mismatch"
  | "checkpoint_header_mismatch"
  | "out_hash_mismatch"
  | "checkpoint_validation_failed";

interface RefusedCheckpoint {
  valid: false;
  fault: CheckpointFault;
  /** One sentence for the log. */
  reason: string;
}

export type CheckpointVerdict = { valid: true; checkpoint: CompletedCheckpoint } | RefusedCheckpoint;

export interface CheckpointProposalParts {
  core: Core;
  generation: Generation;
  kzg: Pick<Kzg, "commitment">;
  chain: Pick<ChainReader, "block" | "blockBody" | "blockNumberByArchive" | "checkpointsOfEpoch" | "latestBlockNumber">;
  constants: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "epochDuration">;
  limits: CheckpointLimits;
  sync: AwaitedChain;
  /** Leaves of a checkpoint's messages from L1. */
  messages(checkpointNumber: number): Fr[];
  rollup: MessageRollup;
  recover: RecoverSigner;
  /** Unix milliseconds. */
  now(): number;
}

/** A proposal that comes at the very end of its slot still waits for its last block so long. */
const MIN_WAIT_MS = 1000;

/**
 * Checks checkpoint proposals of others: waits for the last block, rebuilds the checkpoint from the blocks of this
 * node's chain and compares it with the proposal (docs/protocol/11-consensus.md#111-checkpoint-proposals). The blocks
 * were executed before (BlockProposalCheck).
 */
export class CheckpointProposalCheck {
  readonly #parts: CheckpointProposalParts;
  readonly #wait: ChainWait;

  constructor(parts: CheckpointProposalParts) {
    this.#parts = parts;
    this.#wait = new ChainWait(parts.sync, parts.now);
  }

  /** Ends waits at once. */
  stop(): void {
    this.#wait.stop();
  }

  /**
   * Commits to the blobs of a checkpoint of the slot's blocks so far. They are those of the proposal, unless there is a
   * further block, so its check finds the commitments done. Rejects with a KzgUnavailableError.
   */
  async prepare(slot: number): Promise<void> {
    const blocks = this.#blocksOf(slot);
    if (blocks.length === 0) return;
    await Promise.all(checkpointBlobs(blocks).map((blob) => this.#parts.kzg.commitment(blob)));
  }

  /** Never rejects because of what the proposal says. Rejects with a KzgUnavailableError. */
  async check(proposal: CheckpointProposal): Promise<CheckpointVerdict> {
    const { chain, constants, rollup, recover, now } = this.#parts;
    const { header, archive } = proposal;
    const slot = checkpointSlot(header);
    if (checkpointSigner(proposal, recover, rollup) === undefined) {
      return refused("invalid_signature", "the signature of the proposal is invalid");
    }
    const modifier = signedBigInt(proposal.feeAssetPriceModifier);
    if (modifier > MAXIMUM_PRICE_MODIFIER || modifier < -MAXIMUM_PRICE_MODIFIER) {
      return refused(
        "invalid_fee_asset_price_modifier",
        `the price modifier must be within ${MAXIMUM_PRICE_MODIFIER} basis points, is ${modifier}`,
      );
    }
    const deadline = Math.max(slotTimestamp(slot + 1, constants) * 1000, now() + MIN_WAIT_MS);
    if (!(await this.#wait.until(() => chain.blockNumberByArchive(archive) !== undefined, deadline))) {
      return refused("last_block_not_found", `no block has the archive root ${toHex(archive)}`);
    }
    let blocks: ProposedBlock[];
    try {
      blocks = this.#blocksOf(slot);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return refused("block_fetch_error", `the blocks of slot ${slot} cannot be read: ${text}`);
    }
    const last = blocks.at(-1);
    if (last === undefined) return refused("no_blocks_for_slot", `slot ${slot} has no blocks`);
    if (!equal(last.record.archiveRoot, archive)) {
      const { number, archiveRoot } = last.record;
      const text = `the last block of slot ${slot} is ${number}, with the archive root ${toHex(archiveRoot)}`;
      return refused("last_block_archive_mismatch", text);
    }
    return this.#compare(proposal, blocks);
  }

  /** The blocks of a slot, in order. */
  #blocksOf(slot: number): ProposedBlock[] {
    const { chain } = this.#parts;
    const blocks: ProposedBlock[] = [];
    for (let number = chain.latestBlockNumber(); number > 0; number--) {
      const own = headerSlotNumber(chain.block(number)!.header);
      if (own < slot) break;
      if (own === slot) blocks.unshift(storedBlock(chain, number, this.#parts));
    }
    return blocks;
  }

  async #compare({ header }: CheckpointPayload, blocks: ProposedBlock[]): Promise<CheckpointVerdict> {
    const { chain, constants, limits, messages } = this.#parts;
    const [{ record }] = blocks;
    const { checkpointNumber } = record;
    const earlier = chain
      .checkpointsOfEpoch(epochOfSlot(checkpointSlot(header), constants))
      .filter(({ number }) => number < checkpointNumber);
    const checkpoint = await completeCheckpoint(
      {
        checkpointNumber,
        blocks,
        messages: messages(checkpointNumber),
        previousOutHashes: earlier.map(({ outHash }) => outHash),
      },
      this.#parts,
    );
    const differing = PARTS.find(
      ({ from, to }) => !equal(header.subarray(from, to), checkpoint.header.subarray(from, to)),
    );
    if (differing !== undefined) {
      return refused("checkpoint_header_mismatch", `its blocks give another ${differing.name}`);
    }
    if (!equal(header, checkpoint.header)) {
      return refused("out_hash_mismatch", "the epoch's checkpoints give another out hash");
    }
    try {
      checkCheckpoint(checkpoint, limits);
    } catch (error) {
      if (!(error instanceof CheckpointRuleError)) throw error;
      return refused("checkpoint_validation_failed", error.message);
    }
    return { valid: true, checkpoint };
  }
}

function refused(fault: CheckpointFault, reason: string): RefusedCheckpoint {
  return { valid: false, fault, reason };
}

/** Parts of a header in the order of its bytes, without the out hash of the epoch. */
const PARTS = [
  { name: "last archive", from: CHECKPOINT_AT.lastArchiveRoot, to: CHECKPOINT_AT.blockHeadersHash },
  { name: "hash of block headers", from: CHECKPOINT_AT.blockHeadersHash, to: CHECKPOINT_AT.blobsHash },
  { name: "hash of blobs", from: CHECKPOINT_AT.blobsHash, to: CHECKPOINT_AT.inHash },
  { name: "in hash", from: CHECKPOINT_AT.inHash, to: CHECKPOINT_AT.epochOutHash },
  { name: "timestamp", from: CHECKPOINT_AT.timestamp, to: CHECKPOINT_AT.coinbase },
  { name: "coinbase", from: CHECKPOINT_AT.coinbase, to: CHECKPOINT_AT.feeRecipient },
  { name: "fee recipient", from: CHECKPOINT_AT.feeRecipient, to: CHECKPOINT_AT.feePerDaGas },
  { name: "pair of gas fees", from: CHECKPOINT_AT.feePerDaGas, to: CHECKPOINT_AT.totalManaUsed },
  { name: "sum of mana", from: CHECKPOINT_AT.totalManaUsed, to: CHECKPOINT_AT.totalManaUsed + 32 },
  { name: "sum of fees", from: CHECKPOINT_AT.totalManaUsed + 32, to: undefined },
] as const;
