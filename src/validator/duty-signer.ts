import type { L1Signer, TypedData } from "../l1/tx/signer.ts";
import type { Duty } from "./signing/duty.ts";
import type { Message, SigningGuard } from "./signing/signing-guard.ts";
import { SigningRefusedError } from "./signing/signing-refused-error.ts";

export interface DutySignerParts {
  /** Undefined for a node without keys. */
  guard: SigningGuard | undefined;
  /** Signer of an attester (lower-case 0x text) among the keys in force now. */
  signerOf(attester: string): L1Signer | undefined;
}

/**
 * Signs the duties of this node's attesters through the guard. `attester` is lower-case 0x text. All methods reject
 * with a SigningRefusedError, or with the signer's error.
 */
export class DutySigner {
  readonly #parts: DutySignerParts;

  constructor(parts: DutySignerParts) {
    this.#parts = parts;
  }

  /** Signs keccak256 of a duty's payload; 65 bytes r, s, v. */
  sign(attester: string, duty: Duty, digest: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#sign(attester, duty, { kind: "digest", digest }, signal);
  }

  /** Signs a vote for L1 (EIP-712); 65 bytes r, s, v. */
  signTyped(attester: string, duty: Duty, typed: TypedData, signal?: AbortSignal): Promise<Uint8Array> {
    return this.#sign(attester, duty, { kind: "typed", typed }, signal);
  }

  async #sign(attester: string, duty: Duty, message: Message, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { guard, signerOf } = this.#parts;
    const signer = signerOf(attester);
    if (signer === undefined || guard === undefined) {
      throw new SigningRefusedError(attester, duty, "no key", "this node has no key of it");
    }
    return guard.sign({ signer, duty, message }, signal);
  }
}
