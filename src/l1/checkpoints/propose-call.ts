import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, equal, readBigUint, toHex, writeU32 } from "../../protocol/bytes.ts";
import { type CheckpointHeader, checkpointHash } from "../../protocol/checkpoint-header.ts";
import { attestationPayload } from "../../protocol/consensus/digests.ts";
import { signedBytes } from "../../protocol/consensus/signed-integer.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { ConsensusRules, SigningContext } from "../../protocol/generations/consensus.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { AbiWords } from "../abi/abi-words.ts";
import { BYTES_PER_COMMITMENT } from "../blobs/blob-offer.ts";
import type { ProposedEvent } from "./proposed-event.ts";

const SELECTOR_BYTES = 4;

/** What differs between the calls of generations. */
type ProposeForm = Pick<Generation, "l1">;

/** Arguments of a `propose` call, as far as following the chain needs them. */
export interface ProposeCall {
  archiveRoot: Uint8Array;
  feeAssetPriceModifier: bigint;
  header: CheckpointHeader;
  signatureIndices: Uint8Array;
  signaturesOrAddresses: Uint8Array;
  /** KZG commitments of the checkpoint's blobs, 48 bytes each. */
  blobCommitments: Uint8Array[];
}

export function isProposeCall(input: Uint8Array, { l1 }: ProposeForm): boolean {
  return toHex(input.subarray(0, SELECTOR_BYTES)) === l1.propose.selector;
}

/**
 * Words of the call's head (docs/protocol/04-l1-contracts.md#49-calldata-of-propose): the arguments' only static tuple,
 * offsets of the attestations and signers, a signature of three words, the offset of the blob input.
 */
const HEAD = { archive: 0, modifier: 1, header: 2 } as const;
/** Words after the header. */
const AFTER_HEADER = { attestations: 0, signers: 1, blobInput: 5 } as const;
/** Words of the header: five hashes and these; further ones are fields of 32 bytes. */
const HEADER = { slotNumber: 5, timestamp: 6, coinbase: 7, feeRecipient: 8, daFee: 9, l2Fee: 10, mana: 11 } as const;

/** Throws a DecodeError if the input is not a well-formed `propose` call. */
export function readProposeCall(input: Uint8Array, form: ProposeForm): ProposeCall {
  const subject = "propose calldata";
  if (!isProposeCall(input, form)) throw new DecodeError(subject, "must call propose");
  const call = new AbiWords(subject, input.subarray(SELECTOR_BYTES));
  const header = (word: number) => HEAD.header + word;
  const { headerWords } = form.l1.propose;
  const after = (word: number) => header(headerWords + word);
  const attestations = call.tail(after(AFTER_HEADER.attestations));
  call.wordArray(after(AFTER_HEADER.signers));
  return {
    archiveRoot: call.word(HEAD.archive),
    feeAssetPriceModifier: BigInt.asIntN(256, readBigUint(call.word(HEAD.modifier))),
    header: concat(
      call.words(HEAD.header, HEADER.timestamp),
      call.uintBytes(header(HEADER.timestamp), 8),
      call.address(header(HEADER.coinbase)),
      call.word(header(HEADER.feeRecipient)),
      call.uintBytes(header(HEADER.daFee), 16),
      call.uintBytes(header(HEADER.l2Fee), 16),
      call.words(header(HEADER.mana), headerWords - HEADER.mana),
    ),
    signatureIndices: attestations.bytes(0),
    signaturesOrAddresses: attestations.bytes(1),
    blobCommitments: readBlobInput(call.bytes(after(AFTER_HEADER.blobInput))),
  };
}

/** Inverse of `blobInput`. L1 has checked that the number is right. */
function readBlobInput(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.floor((bytes.length - 1) / BYTES_PER_COMMITMENT) }, (_, i) =>
    bytes.subarray(1 + i * BYTES_PER_COMMITMENT, 1 + (i + 1) * BYTES_PER_COMMITMENT),
  );
}

/** A byte string in ABI encoding: its length and the bytes, padded to whole words. */
function bytesTail(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(32 + Math.ceil(bytes.length / 32) * 32);
  writeU32(out, 28, bytes.length);
  out.set(bytes, 32);
  return out;
}

/** A word with a small number. */
function numberWord(value: number): Uint8Array {
  const out = new Uint8Array(32);
  writeU32(out, 28, value);
  return out;
}

/**
 * keccak256 of the ABI encoding of the packed attestations, one tuple of two byte strings, as the event carries it
 * (docs/protocol/04-l1-contracts.md#410-binding-hashes).
 */
export function attestationsHash(call: Pick<ProposeCall, "signatureIndices" | "signaturesOrAddresses">): Uint8Array {
  const indices = bytesTail(call.signatureIndices);
  const head = [numberWord(32), numberWord(64), numberWord(64 + indices.length)];
  return keccak_256(concat(...head, indices, bytesTail(call.signaturesOrAddresses)));
}

/**
 * Why the call is not the one that the event commits to; undefined if it is
 * (docs/protocol/04-l1-contracts.md#410-binding-hashes).
 */
export function proposeMismatch(
  call: ProposeCall,
  event: ProposedEvent,
  consensus: ConsensusRules,
  signing: SigningContext,
): string | undefined {
  if (!equal(attestationsHash(call), event.attestationsHash)) return "attestations do not hash to attestationsHash";
  const modifier = signedBytes(call.feeAssetPriceModifier);
  const signed = attestationPayload(consensus, call.archiveRoot, modifier, checkpointHash(call.header));
  const digest = consensus.eventDigest(keccak_256(signed), signing);
  if (!equal(digest, event.payloadDigest)) return "archive, modifier and header do not hash to payloadDigest";
  return equal(call.archiveRoot, event.archiveRoot) ? undefined : "archive is not the event's";
}
