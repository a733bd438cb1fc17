import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, equal, u32Bytes } from "../bytes.ts";
import { CHECKPOINT_AT } from "../checkpoint-header.ts";
import { type BlockProposal, blockProposalSender, readBlockHeader, readTxHashes } from "./block-proposal.ts";
import { type CheckpointPayload, readCheckpointPayload } from "./checkpoint-payload.ts";
import { checkContext, contextBytes, type MessageRollup, payloadDomain } from "./message-rollup.ts";
import type { RecoverSigner } from "./recover.ts";
import { encodedSignedTxs, readSignedTxs } from "./signed-txs.ts";
import { WireReader } from "./wire-reader.ts";
import { messageSigner, WIRE_SIGNATURE_BYTES, type WireSignature } from "./wire-signature.ts";

/** A proposer's checkpoint, offered to the committee for attestation. */
export interface CheckpointProposal extends CheckpointPayload {
  /** The proposer's. */
  signature: WireSignature;
}

/** A checkpoint proposal as gossiped. */
export interface GossipedCheckpointProposal extends CheckpointProposal {
  /** The checkpoint's last block, unless it was sent as a block proposal. Its inHash and archive root are these. */
  lastBlock: BlockProposal | undefined;
}

/**
 * Decodes a message of topic checkpoint_proposal (docs/protocol/10-peers.md#109-wrapper-and-messages); parts are views.
 * Bytes after the message are ignored. Throws a DecodeError.
 */
export function decodeCheckpointProposal(bytes: Uint8Array, rollup: MessageRollup): GossipedCheckpointProposal {
  const reader = new WireReader(bytes, "checkpoint proposal");
  const payload = readCheckpointPayload(reader, rollup);
  const signature = reader.take(WIRE_SIGNATURE_BYTES, "signature");
  checkContext(reader, rollup);
  if (reader.u32("flag of the last block") === 0) return { ...payload, signature, lastBlock: undefined };
  const lastBlock = {
    header: readBlockHeader(reader),
    indexWithinCheckpoint: reader.u32("index within the checkpoint"),
    inHash: payload.header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.inHash + 32),
    archiveRoot: payload.archive,
    signature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the last block"),
    txHashes: readTxHashes(reader),
    signedTxs: readSignedTxs(reader, bytes, rollup),
  };
  return { ...payload, signature, lastBlock };
}

/** Without a last block this is the form in which the pool stores the proposal. */
export function encodeCheckpointProposal(
  proposal: CheckpointProposal,
  rollup: MessageRollup,
  lastBlock?: BlockProposal,
): Uint8Array {
  const { header, archive, feeAssetPriceModifier, signature } = proposal;
  const own = [header, archive, feeAssetPriceModifier, signature, contextBytes(rollup)];
  if (lastBlock === undefined) return concat(...own, u32Bytes(0));
  return concat(
    ...own,
    u32Bytes(1),
    lastBlock.header,
    u32Bytes(lastBlock.indexWithinCheckpoint),
    lastBlock.signature,
    u32Bytes(lastBlock.txHashes.length / 32),
    lastBlock.txHashes,
    ...encodedSignedTxs(lastBlock.signedTxs, rollup),
  );
}

/** What the proposer signs (docs/protocol/10-peers.md#1010-signatures). */
export function checkpointProposalPayload(
  { header, archive, feeAssetPriceModifier }: CheckpointPayload,
  rollup: MessageRollup,
): Uint8Array {
  return concat(payloadDomain(rollup, "checkpointProposal"), header, archive, feeAssetPriceModifier);
}

/** Address that signed the checkpoint; the signature of its last block is not looked at. */
export function checkpointSigner(
  proposal: CheckpointProposal,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  const payloadHash = keccak_256(checkpointProposalPayload(proposal, rollup));
  return messageSigner("checkpointProposal", payloadHash, proposal.signature, recover, rollup);
}

/** Address of the proposer. Undefined if a signature is invalid or the last block is another signer's. */
export function checkpointProposalSender(
  proposal: GossipedCheckpointProposal,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  const sender = checkpointSigner(proposal, recover, rollup);
  if (sender === undefined || proposal.lastBlock === undefined) return sender;
  const blockSender = blockProposalSender(proposal.lastBlock, recover, rollup);
  return blockSender !== undefined && equal(blockSender, sender) ? sender : undefined;
}
