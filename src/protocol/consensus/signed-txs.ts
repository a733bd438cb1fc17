import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, u32Bytes } from "../bytes.ts";
import { checkContext, contextBytes, type MessageRollup, payloadDomain } from "./message-rollup.ts";
import type { RecoverSigner } from "./recover.ts";
import type { WireReader } from "./wire-reader.ts";
import { messageSigner, WIRE_SIGNATURE_BYTES, type WireSignature } from "./wire-signature.ts";
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

/** Reads the flag and, after it, `u32 n, n x tx, signature, context`; a message may end before the flag. */
export function readSignedTxs(reader: WireReader, message: Uint8Array, rollup: MessageRollup): SignedTxs | undefined {
  if (reader.left === 0 || reader.u32("flag of signed txs") === 0) return undefined;
  const start = reader.at;
  const { proofFields } = rollup.generation.transactions;
  const txs = readTxs(reader, message, { most: MAX_TXS_PER_BLOCK, proofFields });
  const bytes = message.subarray(start, reader.at);
  const signature = reader.take(WIRE_SIGNATURE_BYTES, "signature of the signed txs");
  checkContext(reader, rollup);
  return { txs, bytes, signature };
}

/** The flag of signed txs, and the signed txs if there are any. */
export function encodedSignedTxs(signed: SignedTxs | undefined, rollup: MessageRollup): Uint8Array[] {
  if (signed === undefined) return [u32Bytes(0)];
  return [u32Bytes(1), signed.bytes, signed.signature, contextBytes(rollup)];
}

/** What the proposer signs (docs/protocol/10-peers.md#1010-signatures). */
export function signedTxsPayload({ bytes }: Pick<SignedTxs, "bytes">, rollup: MessageRollup): Uint8Array {
  return concat(payloadDomain(rollup, "signedTxs"), bytes);
}

export function signedTxsSigner(
  signed: SignedTxs,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  return messageSigner("signedTxs", keccak_256(signedTxsPayload(signed, rollup)), signed.signature, recover, rollup);
}
