import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, writeU32 } from "../bytes.ts";
import { type ClaimedTx, txFromBytes } from "../tx/tx-bytes.ts";
import { DIGEST_DOMAIN } from "./digests.ts";
import type { RecoverSigner } from "./recover.ts";
import type { WireReader } from "./wire-reader.ts";
import { recoverWireSigner, WIRE_SIGNATURE_BYTES, type WireSignature } from "./wire-signature.ts";

/** Most txs or tx hashes of a proposal. */
export const MAX_TXS_PER_BLOCK = 65_536;

/** A tx as views of the message's bytes. The hash is claimed. */
export interface SignedTx extends Pick<ClaimedTx, "hash" | "tx"> {
  /** Its binary form (tx-bytes.ts). */
  encoded: Uint8Array;
}

/** The txs of a block, sent with its proposal (docs/protocol/10-peers.md#109-wrapper-and-messages). */
export interface SignedTxs {
  txs: SignedTx[];
  /** The signed part: u32 count, txs. */
  bytes: Uint8Array;
  /** The proposer's. */
  signature: WireSignature;
}

/** Reads `u32 n, n x tx, signature` at the reader's place in `message`. */
export function readSignedTxs(reader: WireReader, message: Uint8Array): SignedTxs {
  const start = reader.at;
  const count = reader.u32("count of signed txs");
  if (count > MAX_TXS_PER_BLOCK) reader.fail(`signed txs must be at most ${MAX_TXS_PER_BLOCK}, got ${count}`);
  const txs: SignedTxs["txs"] = [];
  for (let i = 0; i < count; i++) {
    const { hash, tx, next } = claimedTx(reader, message, i);
    txs.push({ hash, tx, encoded: reader.take(next - reader.at, "signed tx") });
  }
  const bytes = message.subarray(start, reader.at);
  return { txs, bytes, signature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the signed txs") };
}

function claimedTx(reader: WireReader, message: Uint8Array, index: number): ClaimedTx {
  try {
    return txFromBytes(message, reader.at);
  } catch (error) {
    return reader.fail(`signed tx ${index}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What the proposer signs (docs/protocol/10-peers.md#1010-signatures). */
export function signedTxsPayload({ bytes }: Pick<SignedTxs, "bytes">): Uint8Array {
  const domain = new Uint8Array(4);
  writeU32(domain, 0, DIGEST_DOMAIN.signedTxs);
  return concat(domain, bytes);
}

export function signedTxsSigner(signed: SignedTxs, recover?: RecoverSigner): Uint8Array | undefined {
  return recoverWireSigner(keccak_256(signedTxsPayload(signed)), signed.signature, recover);
}
