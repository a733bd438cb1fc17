import { mapKey } from "../../protocol/bytes.ts";

/** Transactions of one block that are still missing, shared by all sources that look for them. */
export class MissingTxs {
  readonly #missing = new Map<string, Uint8Array>();
  readonly #complete = Promise.withResolvers<void>();

  constructor(hashes: Iterable<Uint8Array>) {
    for (const hash of hashes) this.#missing.set(mapKey(hash), hash);
    this.#resolve();
  }

  get size(): number {
    return this.#missing.size;
  }

  has(hash: Uint8Array): boolean {
    return this.#missing.has(mapKey(hash));
  }

  hashes(): Uint8Array[] {
    return [...this.#missing.values()];
  }

  /** Removes a hash. Returns whether it was missing. */
  found(hash: Uint8Array): boolean {
    const wasMissing = this.#missing.delete(mapKey(hash));
    this.#resolve();
    return wasMissing;
  }

  /** Resolves when nothing is missing any more. */
  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  #resolve(): void {
    if (this.#missing.size === 0) this.#complete.resolve();
  }
}
