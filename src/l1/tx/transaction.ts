import { keccak_256 } from "@noble/hashes/sha3.js";
import { toRlp } from "viem";
import { bigUintBytes, concat, fromHex } from "../../protocol/bytes.ts";

/** Blobs of a transaction with their commitments and proofs. Only the versioned hashes are part of the signed data. */
export interface BlobSidecars {
  /** 131,072 bytes each. */
  readonly blobs: readonly Uint8Array[];
  /** 48 bytes each. */
  readonly commitments: readonly Uint8Array[];
  /** 48 bytes each: one per blob, or 128 per blob when `cellProofs`. */
  readonly proofs: readonly Uint8Array[];
  readonly versionedHashes: readonly Uint8Array[];
  /** Format of EIP-7594, which L1 requires since its activation; otherwise that of EIP-4844. */
  readonly cellProofs: boolean;
}

/** Wei. */
export interface TxFees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Only for blob transactions. */
  maxFeePerBlobGas?: bigint;
}

/** A transaction of type 2, or of type 3 if it has blobs. */
export interface UnsignedTx {
  chainId: number;
  nonce: number;
  gas: bigint;
  /** 0x text. */
  to: string;
  value: bigint;
  data: Uint8Array;
  fees: TxFees;
  sidecars: BlobSidecars | undefined;
}

export interface TxSignature {
  r: bigint;
  s: bigint;
  yParity: 0 | 1;
}

export interface SignedTx {
  hash: Uint8Array;
  /** Input of eth_sendRawTransaction, including blobs. */
  raw: Uint8Array;
}

/** RLP integers have no leading zeros. */
function integer(value: bigint): Uint8Array {
  return value === 0n ? new Uint8Array() : bigUintBytes(value, Math.ceil(value.toString(16).length / 2));
}

type Item = Uint8Array | readonly Item[];

function rlp(items: readonly Item[]): Uint8Array {
  return toRlp(items as never, "bytes");
}

function signedFields({ chainId, nonce, gas, to, value, data, fees, sidecars }: UnsignedTx): Item[] {
  const common: Item[] = [
    integer(BigInt(chainId)),
    integer(BigInt(nonce)),
    integer(fees.maxPriorityFeePerGas),
    integer(fees.maxFeePerGas),
    integer(gas),
    fromHex(to),
    integer(value),
    data,
    [],
  ];
  if (sidecars === undefined) return common;
  return [...common, integer(fees.maxFeePerBlobGas ?? 0n), sidecars.versionedHashes];
}

const typeOf = (tx: UnsignedTx) => Uint8Array.of(tx.sidecars === undefined ? 2 : 3);

/** The 32 bytes that the account's key signs. */
export function signingHash(tx: UnsignedTx): Uint8Array {
  return keccak_256(concat(typeOf(tx), rlp(signedFields(tx))));
}

export function withSignature(tx: UnsignedTx, { r, s, yParity }: TxSignature): SignedTx {
  const body = [...signedFields(tx), integer(BigInt(yParity)), integer(r), integer(s)];
  const canonical = concat(typeOf(tx), rlp(body));
  const { sidecars } = tx;
  if (sidecars === undefined) return { hash: keccak_256(canonical), raw: canonical };
  const { blobs, commitments, proofs } = sidecars;
  const wrapped = sidecars.cellProofs
    ? [body, Uint8Array.of(1), blobs, commitments, proofs]
    : [body, blobs, commitments, proofs];
  return { hash: keccak_256(canonical), raw: concat(typeOf(tx), rlp(wrapped)) };
}
