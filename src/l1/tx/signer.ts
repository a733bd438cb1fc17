import type { TxSignature, UnsignedTx } from "./transaction.ts";

/** EIP-712 typed data, the input of `hashTypedData`. Numbers are bigints. */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  types: Record<string, { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, unknown>;
}

/**
 * Signs for an L1 account, with its key or through a remote signer. Message signatures are 65 bytes r, s, v, with v 27
 * or 28 and s in the lower half of the group order. Throws L1SignerError if a remote signer refuses or does not answer.
 */
export interface L1Signer {
  /** Lower-case 0x text. */
  readonly address: string;
  signTransaction(tx: UnsignedTx, signal?: AbortSignal): Promise<TxSignature>;
  /** Signs these bytes as a personal message (EIP-191). */
  signMessage(message: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>;
  signTypedData(typed: TypedData, signal?: AbortSignal): Promise<Uint8Array>;
}
