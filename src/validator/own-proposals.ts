import { keccak_256 } from "@noble/hashes/sha3.js";
import type { CompletedCheckpoint, ProposedBlock } from "../checkpoints/checkpoint-terms.ts";
import type { AttestationPool } from "../mempool/attestations/attestation-pool.ts";
import type { GossipPublisher } from "../p2p/gossip/publisher.ts";
import { concat, equal, toHex, u32Bytes } from "../protocol/bytes.ts";
import { CHECKPOINT_AT } from "../protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  blockProposalPayload,
  blockSigner,
  encodeBlockProposal,
} from "../protocol/consensus/block-proposal.ts";
import {
  type CheckpointProposal,
  checkpointProposalPayload,
  encodeCheckpointProposal,
} from "../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../protocol/consensus/recover.ts";
import { signedBytes } from "../protocol/consensus/signed-integer.ts";
import { type SignedTxs, signedTxsPayload } from "../protocol/consensus/signed-txs.ts";
import { signerRecovery } from "../protocol/consensus/signer-recovery.ts";
import { wireSignature } from "../protocol/consensus/wire-signature.ts";
import type { DutyTimes } from "../telemetry/duty-times.ts";
import type { DutySigner } from "./duty-signer.ts";
import type { ValidatorSettings } from "./settings.ts";

interface OwnProposalsParts {
  signer: Pick<DutySigner, "sign">;
  pool: Pick<AttestationPool, "addBlockProposal" | "proposals">;
  publisher: GossipPublisher;
  rollup: MessageRollup;
  /** Read for each block. */
  settings: Readonly<Pick<ValidatorSettings, "sendsTxs">>;
  /** The binary form of a tx (src/protocol/tx/tx-bytes.ts); undefined if it is not there. */
  txBytes(hash: Uint8Array): Uint8Array | undefined;
  /** Signs keccak256 of a list of txs; 65 bytes r, s, v. It is no duty: nobody is bound by such a list. */
  signTxs(proposer: string, digest: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>;
  dutyTimes: Pick<DutyTimes, "done">;
}

/** With more, a proposal might not fit a gossip message, which has at most 10 MiB. */
const MAX_TXS_BYTES = 8 * 1024 * 1024;

/** Who proposes, and when. */
interface ProposerOfSlot {
  slot: number;
  /** Lower-case 0x text. */
  proposer: string;
}

/** A block to offer. */
export interface OfferedBlock extends ProposerOfSlot {
  block: Pick<ProposedBlock, "record" | "txs">;
  /** 32 bytes: commitment to the checkpoint's messages from L1. */
  inHash: Uint8Array;
}

/** A complete checkpoint to offer. */
export interface OfferedCheckpoint extends ProposerOfSlot {
  checkpoint: Pick<CompletedCheckpoint, "header" | "archiveRoot" | "blocks">;
  /** Basis points. */
  feeAssetPriceModifier: bigint;
}

/** The proposer signed another block for the same position, so that this one would be an equivocation. */
class BlockOfferedError extends Error {
  readonly slot: number;
  readonly index: number;

  constructor(slot: number, index: number) {
    super(`another block was proposed for slot ${slot}, index ${index}`);
    this.name = "BlockOfferedError";
    this.slot = slot;
    this.index = index;
  }
}

/** Signs and sends the proposals of this node (docs/protocol/11-consensus.md#113-proposing-to-a-committee). */
export class OwnProposals {
  readonly #parts: OwnProposalsParts;
  /** Archive root after the last block that was sent alone. */
  #sent: string | undefined;

  constructor(parts: OwnProposalsParts) {
    this.#parts = parts;
  }

  /** Sends a block alone. Rejects with a SigningRefusedError or BlockOfferedError, or when the signer fails. */
  async sendBlock(offered: OfferedBlock, signal?: AbortSignal): Promise<void> {
    const proposal = await this.#signBlock(offered, signal);
    const { publisher, rollup, dutyTimes } = this.#parts;
    publisher.publish("block_proposal", encodeBlockProposal(proposal, rollup));
    dutyTimes.done(offered.slot, "sent", { duty: "propose block", index: proposal.indexWithinCheckpoint });
    this.#sent = textOf(proposal.archiveRoot);
  }

  /**
   * Sends a checkpoint, with its last block unless that was sent alone. Rejects like `sendBlock`; then nothing was
   * sent.
   */
  async sendCheckpoint(offered: OfferedCheckpoint, signal?: AbortSignal): Promise<CheckpointProposal> {
    const { slot, proposer, checkpoint, feeAssetPriceModifier } = offered;
    const { header, archiveRoot, blocks } = checkpoint;
    const block = blocks[blocks.length - 1];
    const inHash = header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.inHash + 32);
    const lastBlock =
      this.#sent === textOf(archiveRoot) ? undefined : await this.#signBlock({ slot, proposer, block, inHash }, signal);
    const payload = { header, archive: archiveRoot, feeAssetPriceModifier: signedBytes(feeAssetPriceModifier) };
    const duty = { kind: "CHECKPOINT_PROPOSAL", slot, blockNumber: block.record.number } as const;
    const { signer, publisher, rollup, dutyTimes } = this.#parts;
    const digest = keccak_256(checkpointProposalPayload(payload, rollup));
    const signature = await signer.sign(proposer, duty, digest, signal);
    dutyTimes.done(slot, "signed", { duty: "propose checkpoint" });
    const proposal = { ...payload, signature: wireSignature(signature) };
    publisher.publish("checkpoint_proposal", encodeCheckpointProposal(proposal, rollup, lastBlock));
    dutyTimes.done(slot, "sent", { duty: "propose checkpoint" });
    return proposal;
  }

  async #signBlock({ slot, proposer, block, inHash }: OfferedBlock, signal?: AbortSignal): Promise<BlockProposal> {
    const { signer, pool, rollup, dutyTimes } = this.#parts;
    const { header, archiveRoot, indexWithinCheckpoint, number } = block.record;
    const unsigned = {
      header,
      indexWithinCheckpoint,
      inHash,
      archiveRoot,
      txHashes: concat(...block.txs.map(({ txHash }) => txHash)),
    };
    const duty = { kind: "BLOCK_PROPOSAL", slot, indexWithinCheckpoint, blockNumber: number } as const;
    const digest = keccak_256(blockProposalPayload(unsigned, rollup));
    const signature = await signer.sign(proposer, duty, digest, signal);
    dutyTimes.done(slot, "signed", { duty: "propose block", index: indexWithinCheckpoint });
    const signedTxs = await this.#signedTxs(block, proposer, signal);
    const proposal: BlockProposal = { ...unsigned, signature: wireSignature(signature), signedTxs };
    const { count } = pool.addBlockProposal(proposal);
    if (count > 1 && this.#equivocates(proposal, { slot, proposer }, await signerRecovery())) {
      throw new BlockOfferedError(slot, indexWithinCheckpoint);
    }
    return proposal;
  }

  /** The block's txs to send along; undefined if they are not to be sent, or one is missing, or they are too many. */
  async #signedTxs(
    { txs }: OfferedBlock["block"],
    proposer: string,
    signal: AbortSignal | undefined,
  ): Promise<SignedTxs | undefined> {
    const { settings, rollup, txBytes, signTxs } = this.#parts;
    if (!settings.sendsTxs) return undefined;
    const encoded = txs.flatMap(({ txHash }) => txBytes(txHash) ?? []);
    const bytes = concat(u32Bytes(txs.length), ...encoded);
    if (encoded.length < txs.length || bytes.length > MAX_TXS_BYTES) return undefined;
    const signature = await signTxs(proposer, keccak_256(signedTxsPayload({ bytes }, rollup)), signal);
    return { txs: [], bytes, signature: wireSignature(signature) };
  }

  /**
   * Whether another block of the same proposer is known for the position. Where anyone may propose, others' are too.
   */
  #equivocates(
    { indexWithinCheckpoint: index, archiveRoot }: BlockProposal,
    { slot, proposer }: ProposerOfSlot,
    recover: RecoverSigner,
  ): boolean {
    const { pool, rollup } = this.#parts;
    return pool.proposals(slot).blocks.some((other) => {
      if (other.indexWithinCheckpoint !== index || equal(other.archiveRoot, archiveRoot)) return false;
      const signer = blockSigner(other, recover, rollup);
      return signer !== undefined && toHex(signer) === proposer;
    });
  }
}

function textOf(archiveRoot: Uint8Array): string {
  return Buffer.from(archiveRoot).toString("hex");
}
