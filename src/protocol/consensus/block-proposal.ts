import { keccak_256 } from "@noble/hashes/sha3.js";
import { BLOCK_HEADER_BYTES, type BlockHeader, HEADER_AT, headerSlotNumber } from "../block-header.ts";
import { concat, equal, u32Bytes } from "../bytes.ts";
import { checkContext, contextBytes, type MessageRollup, payloadDomain } from "./message-rollup.ts";
import type { RecoverSigner } from "./recover.ts";
import { encodedSignedTxs, MAX_TXS_PER_BLOCK, readSignedTxs, type SignedTxs, signedTxsSigner } from "./signed-txs.ts";
import { WireReader } from "./wire-reader.ts";
import { messageSigner, WIRE_SIGNATURE_BYTES, type WireSignature } from "./wire-signature.ts";

/** A proposer's block, offered to peers before its checkpoint is on L1. */
export interface BlockProposal {
  header: BlockHeader;
  /** From 0. */
  indexWithinCheckpoint: number;
  /** 32 bytes: commitment to the checkpoint's messages from L1. */
  inHash: Uint8Array;
  /** 32 bytes: root of the archive after this block. */
  archiveRoot: Uint8Array;
  /** 32 bytes each, in the order of execution, one after the other. */
  txHashes: Uint8Array;
  /** The proposer's. */
  signature: WireSignature;
  /** The block's txs, if the proposer sends them along. */
  signedTxs: SignedTxs | undefined;
}

const { lastArchive, l1ToL2MessageTree, noteHashTree, nullifierTree, publicDataTree, spongeBlobHash } = HEADER_AT;
/** Offsets of a block header's field elements. */
const HEADER_FIELDS = [
  ...[lastArchive, l1ToL2MessageTree, noteHashTree, nullifierTree, publicDataTree, spongeBlobHash],
  ...[HEADER_AT.chainId, HEADER_AT.version, HEADER_AT.feeRecipient, HEADER_AT.totalFees, HEADER_AT.totalManaUsed],
];

export function readBlockHeader(reader: WireReader): BlockHeader {
  return reader.struct(BLOCK_HEADER_BYTES, HEADER_FIELDS, "block header");
}

/** Reads `u32 n, n x 32`. */
export function readTxHashes(reader: WireReader): Uint8Array {
  const count = reader.u32("count of tx hashes");
  if (count > MAX_TXS_PER_BLOCK) reader.fail(`tx hashes must be at most ${MAX_TXS_PER_BLOCK}, got ${count}`);
  return reader.fields(count, "tx hashes");
}

/**
 * Decodes a message of topic block_proposal (docs/protocol/10-peers.md#109-wrapper-and-messages); parts are views.
 * Bytes after the message are ignored. Throws a DecodeError.
 */
export function decodeBlockProposal(bytes: Uint8Array, rollup: MessageRollup): BlockProposal {
  const reader = new WireReader(bytes, "block proposal");
  const unsigned = {
    header: readBlockHeader(reader),
    indexWithinCheckpoint: reader.u32("index within the checkpoint"),
    inHash: reader.fields(1, "inHash"),
    archiveRoot: reader.fields(1, "archive root"),
  };
  const signature = reader.take(WIRE_SIGNATURE_BYTES, "signature");
  checkContext(reader, rollup);
  return { ...unsigned, signature, txHashes: readTxHashes(reader), signedTxs: readSignedTxs(reader, bytes, rollup) };
}

export function encodeBlockProposal(proposal: BlockProposal, rollup: MessageRollup): Uint8Array {
  const { header, indexWithinCheckpoint, inHash, archiveRoot, signature, txHashes, signedTxs } = proposal;
  return concat(
    header,
    u32Bytes(indexWithinCheckpoint),
    inHash,
    archiveRoot,
    signature,
    contextBytes(rollup),
    u32Bytes(txHashes.length / 32),
    txHashes,
    ...encodedSignedTxs(signedTxs, rollup),
  );
}

export function blockProposalSlot({ header }: Pick<BlockProposal, "header">): number {
  return headerSlotNumber(header);
}

/** What the proposer signs (docs/protocol/10-peers.md#1010-signatures). */
export function blockProposalPayload(
  proposal: Omit<BlockProposal, "signature" | "signedTxs">,
  rollup: MessageRollup,
): Uint8Array {
  const { header, indexWithinCheckpoint, inHash, archiveRoot, txHashes } = proposal;
  return concat(
    payloadDomain(rollup, "blockProposal"),
    header,
    u32Bytes(indexWithinCheckpoint),
    inHash,
    archiveRoot,
    u32Bytes(txHashes.length / 32),
    txHashes,
  );
}

/** Address that signed the block; the signature of its txs is not looked at. */
export function blockSigner(
  proposal: Omit<BlockProposal, "signedTxs">,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  const payloadHash = keccak_256(blockProposalPayload(proposal, rollup));
  return messageSigner("blockProposal", payloadHash, proposal.signature, recover, rollup);
}

/** Address of the proposer. Undefined if a signature is invalid or the signed txs are another signer's. */
export function blockProposalSender(
  proposal: BlockProposal,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  const sender = blockSigner(proposal, recover, rollup);
  if (sender === undefined || proposal.signedTxs === undefined) return sender;
  const txsSender = signedTxsSigner(proposal.signedTxs, recover, rollup);
  return txsSender !== undefined && equal(txsSender, sender) ? sender : undefined;
}
