import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, u32Bytes } from "../bytes.ts";
import { PAYLOAD_DOMAINS } from "../generations/v4/consensus.ts";
import type { RecoverSigner } from "./recover.ts";
import type { WireReader } from "./wire-reader.ts";
import { recoverWireSigner, WIRE_SIGNATURE_BYTES, type WireSignature } from "./wire-signature.ts";
import { readTxs, type WireTx } from "./wire-txs.ts";

/** Most txs or tx hashes of a proposal. */
export const MAX_TXS_PER_BLOCK = 65_536;

/** The txs of a block, sent with its proposal (docs/protocol/10-peers.md#109-wrapper-and-messages). */
export interface SignedTxs {
  txs: WireTx[];
  /** The signed part: u32 count, txs. */
  bytes: Uint8Array;
  /** The proposer's. */
  signature: WireSignature;
}

/** Reads `u32 n, n x tx, signature` at the reader's place in `message`. */
export function readSignedTxs(reader: WireReader, message: Uint8Array): SignedTxs {
  const start = reader.at;
  const txs = readTxs(reader, message, { most: MAX_TXS_PER_BLOCK });
  const bytes = message.subarray(start, reader.at);
  return { txs, bytes, signature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the signed txs") };
}

/** What the proposer signs (docs/protocol/10-peers.md#1010-signatures). */
export function signedTxsPayload({ bytes }: Pick<SignedTxs, "bytes">): Uint8Array {
  return concat(u32Bytes(PAYLOAD_DOMAINS.signedTxs), bytes);
}

export function signedTxsSigner(signed: SignedTxs, recover: RecoverSigner): Uint8Array | undefined {
  return recoverWireSigner(keccak_256(signedTxsPayload(signed)), signed.signature, recover);
}
