import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { PeerKeyError } from "./errors.ts";

/** Protobuf header of a libp2p private key: type secp256k1, 32 bytes. */
const HEADER = "08021220";
const KEY_TEXT = /^08021220[0-9a-f]{64}$/;
const RULE = `must be ${HEADER} and the 64 hex digits of a secp256k1 key, as generate-p2p-private-key prints it`;

/** One secp256k1 key signs the node record and the Noise handshake (docs/protocol/10-peers.md#101-identity). */
export interface PeerIdentity {
  readonly privateKey: PrivateKey;
  /** Peer id as text (16Uiu2...). */
  readonly id: string;
  /** Hex of the libp2p protobuf encoding, without 0x. Secret. */
  readonly keyText: string;
}

/**
 * Reads a key in its text form, with or without 0x and surrounding white space. `source` says where it came from.
 * Throws a PeerKeyError.
 */
export function peerIdentity(text: string, source: string): PeerIdentity {
  const digits = text.trim().toLowerCase().replace(/^0x/, "");
  if (!KEY_TEXT.test(digits)) throw new PeerKeyError(source, `${RULE}; got ${text.length} characters`);
  let privateKey: PrivateKey;
  try {
    privateKey = privateKeyFromRaw(Buffer.from(digits.slice(HEADER.length), "hex"));
  } catch {
    throw new PeerKeyError(source, "must hold a key above 0 and below the order of secp256k1");
  }
  return { privateKey, id: peerIdFromPrivateKey(privateKey).toString(), keyText: digits };
}

export function generatePeerIdentity(): PeerIdentity {
  const key = Buffer.from(secp256k1.utils.randomSecretKey()).toString("hex");
  return peerIdentity(HEADER + key, "the generated key");
}
