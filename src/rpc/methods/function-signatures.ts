import type { FunctionSignatureRegister } from "./services.ts";

/** Anyone may register names, so their number and length are bounded: the oldest make room. */
const MOST_NAMES = 1000;
const LONGEST_NAME = 256;

/** Signatures that clients registered, in memory. */
export class FunctionSignatures implements FunctionSignatureRegister {
  readonly #names = new Set<string>();

  register(signatures: readonly string[]): void {
    for (const signature of signatures) {
      const name = signature.slice(0, LONGEST_NAME);
      // Set again at the end: what is registered often is not what makes room.
      this.#names.delete(name);
      this.#names.add(name);
      if (this.#names.size > MOST_NAMES) this.#names.delete(this.#names.values().next().value!);
    }
  }

  /** Oldest first. */
  get names(): string[] {
    return [...this.#names];
  }
}
