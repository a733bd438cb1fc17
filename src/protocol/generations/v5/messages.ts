import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigUintBytes, concat, isZero, readU32, u32Bytes } from "../../bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../../checkpoint-header.ts";
import { type BlockProposal, readBlockHeader, readTxHashes } from "../../consensus/block-proposal.ts";
import type { CheckpointAttestation } from "../../consensus/checkpoint-attestation.ts";
import type { CheckpointPayload } from "../../consensus/checkpoint-payload.ts";
import type { CheckpointProposal } from "../../consensus/checkpoint-proposal.ts";
import { MAX_TXS_PER_BLOCK, type SignedTxs } from "../../consensus/signed-txs.ts";
import { WireReader } from "../../consensus/wire-reader.ts";
import { WIRE_SIGNATURE_BYTES } from "../../consensus/wire-signature.ts";
import { readTxs } from "../../consensus/wire-txs.ts";
import type { SigningContext } from "../consensus.ts";
import { HEADERS } from "./headers.ts";
import { TRANSACTIONS } from "./transactions.ts";

/**
 * Messages between peers (docs/protocol/10-peers.md#109-wrapper-and-messages): those of v4, and in each the context
 * that
 * its signatures commit to. Decoders throw a DecodeError; parts are views, and bytes after a message are ignored.
 */
export interface InContext {
  context: SigningContext;
}

/** u32 chain id, 20 bytes rollup address. */
const CONTEXT_BYTES = 24;

function readContext(reader: WireReader): SigningContext {
  const bytes = reader.take(CONTEXT_BYTES, "signing context");
  return { l1ChainId: readU32(bytes, 0), rollupAddress: bytes.subarray(4) };
}

function contextBytes({ l1ChainId, rollupAddress }: SigningContext): Uint8Array {
  return concat(u32Bytes(l1ChainId), rollupAddress);
}

/** The txs of a block, sent with its proposal: u32 n, n x tx, signature, context. */
export type SignedTxsInContext = SignedTxs & InContext;
export type BlockProposalInContext = Omit<BlockProposal, "signedTxs"> &
  InContext & { signedTxs: SignedTxsInContext | undefined };
export type CheckpointProposalInContext = CheckpointProposal &
  InContext & {
    /** Its inHash, archive root and context are the checkpoint's. */
    lastBlock: BlockProposalInContext | undefined;
  };
export type CheckpointAttestationInContext = CheckpointAttestation & InContext;

function readSignedTxs(reader: WireReader, message: Uint8Array): SignedTxsInContext | undefined {
  if (reader.left === 0 || reader.u32("flag of signed txs") === 0) return undefined;
  const start = reader.at;
  const txs = readTxs(reader, message, { most: MAX_TXS_PER_BLOCK, proofFields: TRANSACTIONS.proofFields });
  const bytes = message.subarray(start, reader.at);
  return {
    txs,
    bytes,
    signature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the signed txs"),
    context: readContext(reader),
  };
}

function signedTxsBytes(signed: SignedTxsInContext | undefined): Uint8Array[] {
  if (signed === undefined) return [u32Bytes(0)];
  return [u32Bytes(1), signed.bytes, signed.signature, contextBytes(signed.context)];
}

/** Header 440, index u32, inHash, archive root, signature 68, context 24, u32 n, n x tx hash, signed txs. */
export function decodeBlockProposal(bytes: Uint8Array): BlockProposalInContext {
  const reader = new WireReader(bytes, "block proposal");
  return {
    header: readBlockHeader(reader),
    indexWithinCheckpoint: reader.u32("index within the checkpoint"),
    inHash: reader.fields(1, "inHash"),
    archiveRoot: reader.fields(1, "archive root"),
    signature: reader.take(WIRE_SIGNATURE_BYTES, "signature"),
    context: readContext(reader),
    txHashes: readTxHashes(reader),
    signedTxs: readSignedTxs(reader, bytes),
  };
}

export function encodeBlockProposal(proposal: BlockProposalInContext): Uint8Array {
  const { header, indexWithinCheckpoint, inHash, archiveRoot, signature, context, txHashes, signedTxs } = proposal;
  return concat(
    header,
    u32Bytes(indexWithinCheckpoint),
    inHash,
    archiveRoot,
    signature,
    contextBytes(context),
    u32Bytes(txHashes.length / 32),
    txHashes,
    ...signedTxsBytes(signedTxs),
  );
}

/** Offsets of a checkpoint header's field elements. */
const HEADER_FIELDS = [
  ...[CHECKPOINT_AT.lastArchiveRoot, CHECKPOINT_AT.blockHeadersHash, CHECKPOINT_AT.blobsHash, CHECKPOINT_AT.inHash],
  ...[CHECKPOINT_AT.epochOutHash, CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.feeRecipient, CHECKPOINT_AT.totalManaUsed],
  HEADERS.accumulatedFeesAt,
];

function readCheckpointPayload(reader: WireReader): CheckpointPayload {
  const header = reader.struct(HEADERS.checkpointBytes, HEADER_FIELDS, "checkpoint header");
  const slot = header.subarray(CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.slotNumber + 32);
  if (!isZero(slot.subarray(0, 25)) || slot[25] > 31) reader.fail("slot must be at most 2^53 - 1");
  return {
    header,
    archive: reader.fields(1, "archive root"),
    feeAssetPriceModifier: reader.take(32, "fee asset price modifier"),
  };
}

/**
 * Header 348, archive, modifier, signature 68, context 24, u32 flag; with the flag the last block: header 440, index
 * u32, signature 68, u32 n, n x tx hash, signed txs.
 */
export function decodeCheckpointProposal(bytes: Uint8Array): CheckpointProposalInContext {
  const reader = new WireReader(bytes, "checkpoint proposal");
  const payload = readCheckpointPayload(reader);
  const signature = reader.take(WIRE_SIGNATURE_BYTES, "signature");
  const context = readContext(reader);
  if (reader.u32("flag of the last block") === 0) return { ...payload, signature, context, lastBlock: undefined };
  const lastBlock = {
    header: readBlockHeader(reader),
    indexWithinCheckpoint: reader.u32("index within the checkpoint"),
    inHash: payload.header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.inHash + 32),
    archiveRoot: payload.archive,
    signature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the last block"),
    context,
    txHashes: readTxHashes(reader),
    signedTxs: readSignedTxs(reader, bytes),
  };
  return { ...payload, signature, context, lastBlock };
}

export function encodeCheckpointProposal({ lastBlock, ...proposal }: CheckpointProposalInContext): Uint8Array {
  const { header, archive, feeAssetPriceModifier, signature, context } = proposal;
  const own = [header, archive, feeAssetPriceModifier, signature, contextBytes(context)];
  if (lastBlock === undefined) return concat(...own, u32Bytes(0));
  return concat(
    ...own,
    u32Bytes(1),
    lastBlock.header,
    u32Bytes(lastBlock.indexWithinCheckpoint),
    lastBlock.signature,
    u32Bytes(lastBlock.txHashes.length / 32),
    lastBlock.txHashes,
    ...signedTxsBytes(lastBlock.signedTxs),
  );
}

/** Header 348, archive, modifier, context 24, the attester's signature 68, the proposer's 68. */
export function decodeCheckpointAttestation(bytes: Uint8Array): CheckpointAttestationInContext {
  const reader = new WireReader(bytes, "checkpoint attestation");
  const payload = readCheckpointPayload(reader);
  return {
    ...payload,
    context: readContext(reader),
    signature: reader.take(WIRE_SIGNATURE_BYTES, "signature"),
    proposerSignature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the proposer"),
  };
}

export function encodeCheckpointAttestation(attestation: CheckpointAttestationInContext): Uint8Array {
  const { header, archive, feeAssetPriceModifier, context, signature, proposerSignature } = attestation;
  return concat(header, archive, feeAssetPriceModifier, contextBytes(context), signature, proposerSignature);
}

/** Header 440, index u32, inHash, archive root, u32 n, n x tx hash. */
export function blockProposalPayload(proposal: Omit<BlockProposal, "signature" | "signedTxs">): Uint8Array {
  const { header, indexWithinCheckpoint, inHash, archiveRoot, txHashes } = proposal;
  const index = u32Bytes(indexWithinCheckpoint);
  return concat(header, index, inHash, archiveRoot, u32Bytes(txHashes.length / 32), txHashes);
}

/** Header 348, archive, modifier. */
export function checkpointProposalPayload({ header, archive, feeAssetPriceModifier }: CheckpointPayload): Uint8Array {
  return concat(header, archive, feeAssetPriceModifier);
}

/**
 * keccak256 of what attesters sign: archive, modifier and header hash. It identifies a checkpoint proposal and its
 * attestations
 * alike.
 */
export function attestationPayloadHash({ header, archive, feeAssetPriceModifier }: CheckpointPayload): Uint8Array {
  return keccak_256(concat(archive, feeAssetPriceModifier, checkpointHash(header)));
}

/**
 * The payload of a proposer's signature over the attestations that it posts: the ABI encoding of
 * `((bytes signatureIndices, bytes signaturesOrAddresses), address[] signers)`.
 */
export function attestationsAndSignersPayload(posted: {
  signatureIndices: Uint8Array;
  signaturesOrAddresses: Uint8Array;
  signers: readonly Uint8Array[];
}): Uint8Array {
  const number = (value: number) => bigUintBytes(BigInt(value), 32);
  const padded = (bytes: Uint8Array) => concat(bytes, new Uint8Array(-bytes.length & 31));
  const byteString = (bytes: Uint8Array) => concat(number(bytes.length), padded(bytes));
  const indices = byteString(posted.signatureIndices);
  const packed = byteString(posted.signaturesOrAddresses);
  const attestations = concat(number(64), number(64 + indices.length), indices, packed);
  const signers = posted.signers.map((signer) => concat(new Uint8Array(12), signer));
  return concat(number(64), number(64 + attestations.length), attestations, number(signers.length), ...signers);
}
