import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, toHex } from "../../../protocol/bytes.ts";
import { WireReader } from "../../../protocol/consensus/wire-reader.ts";
import { WIRE_SIGNATURE_BYTES, type WireSignature } from "../../../protocol/consensus/wire-signature.ts";
import { encodeStatus, readStatus, type StatusMessage } from "./status-message.ts";

/** Asks a peer to prove that it has an attester's key (docs/protocol/10-peers.md#1014-sub-protocols). */
interface AuthRequest {
  status: StatusMessage;
  /** A random field element, 32 bytes. */
  challenge: Uint8Array;
}

interface AuthResponse {
  status: StatusMessage;
  /** The attester's, of the challenge's payload. */
  signature: WireSignature;
}

/** Throws a DecodeError. */
export function decodeAuthRequest(bytes: Uint8Array): AuthRequest {
  const reader = new WireReader(bytes, "auth request");
  return { status: readStatus(reader), challenge: reader.fields(1, "challenge") };
}

export function encodeAuthRequest({ status, challenge }: AuthRequest): Uint8Array {
  return concat(encodeStatus(status), challenge);
}

/** Throws a DecodeError. */
export function decodeAuthResponse(bytes: Uint8Array): AuthResponse {
  const reader = new WireReader(bytes, "auth response");
  return { status: readStatus(reader), signature: reader.take(WIRE_SIGNATURE_BYTES, "signature") };
}

export function encodeAuthResponse({ status, signature }: AuthResponse): Uint8Array {
  return concat(encodeStatus(status), signature);
}

/** The 32-byte hash that the attester signs in the form of EIP-191. */
export function authPayloadHash(challenge: Uint8Array): Uint8Array {
  return keccak_256(new TextEncoder().encode(`Aztec Validator Challenge:${toHex(challenge)}`));
}
