import type { TxSignature, UnsignedTx } from "./transaction.ts";

/** EIP-712 data: what `hashTypedData` takes, numbers as bigint. */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  types: Record<string, { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, unknown>;
}

/**
 * An L1 account that signs, by its key or through a remote signer. Signatures of messages are 65 bytes r, s, v with v 27 or 28 and s in the
 * lower half. A remote signer that refuses or does not answer is thrown as L1SignerError.
 */
export interface L1Signer {
  /** Lower-case 0x text. */
  readonly address: string;
  signTransaction(tx: UnsignedTx, signal?: AbortSignal): Promise<TxSignature>;
  /** Of the personal message (EIP-191) that consists of these bytes. */
  signMessage(message: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>;
  signTypedData(typed: TypedData, signal?: AbortSignal): Promise<Uint8Array>;
}
