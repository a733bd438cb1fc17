import { typedDataHash } from "../../l1/tx/local-signer.ts";
import type { L1Signer, TypedData } from "../../l1/tx/signer.ts";
import type { Duty } from "./duty.ts";

/** What is signed: a digest of 32 bytes as a personal message (EIP-191), or typed data (EIP-712). */
export type Message =
  | { readonly kind: "digest"; readonly digest: Uint8Array }
  | { readonly kind: "typed"; readonly typed: TypedData };

export interface SigningRequest {
  readonly signer: L1Signer;
  readonly duty: Duty;
  readonly message: Message;
}

/**
 * The only way to a validator's signature of a duty. For each validator and duty at most one message is ever signed;
 * the same message may be signed again.
 */
export interface SigningGuard {
  /**
   * Returns 65 bytes r, s, v. Rejects with a SigningRefusedError if the guard refuses, with the signer's error if that
   * fails, and with the signal's reason if it is aborted. A signature leaves the guard only by being returned.
   */
  sign(request: SigningRequest, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A copy of a request: later changes of the caller's message do not change what is signed. */
interface PreparedRequest {
  readonly validator: string;
  readonly duty: Duty;
  /** The hash that identifies the message in records, 32 bytes: the digest itself, or the EIP-712 hash. */
  readonly hash: Uint8Array;
  /** Signs without any check. */
  makeSignature(signal: AbortSignal | undefined): Promise<Uint8Array>;
}

export function prepareRequest({ signer, duty, message }: SigningRequest): PreparedRequest {
  const common = { validator: signer.address, duty: { ...duty } };
  if (message.kind === "typed") {
    const typed = structuredClone(message.typed);
    const hash = typedDataHash(typed);
    return { ...common, hash, makeSignature: (signal) => signer.signTypedData(typed, signal) };
  }
  if (message.digest.length !== 32) throw new RangeError(`a digest has 32 bytes, not ${message.digest.length}`);
  const hash = Uint8Array.from(message.digest);
  return { ...common, hash, makeSignature: (signal) => signer.signMessage(hash, signal) };
}
