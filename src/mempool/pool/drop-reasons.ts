import { mapKey } from "../../protocol/bytes.ts";

/** Why a tx left the pool otherwise than by being final. */
export const EVICTION_REASONS = [
  "outbid",
  "pool full",
  "fee payer cannot pay",
  "nullifier spent",
  "expired",
  "may not be pending",
  "anchor block gone",
  "reorg",
  "execution failed",
] as const;
export type EvictionReason = (typeof EVICTION_REASONS)[number];

/** At about 150 bytes each. */
const MAX_REMEMBERED = 16_384;

/** Why the last txs were dropped, in memory only; the oldest are forgotten first. */
export class DropReasons {
  readonly #reasons = new Map<string, EvictionReason>();
  readonly #max: number;

  constructor(max = MAX_REMEMBERED) {
    this.#max = max;
  }

  of(hash: Uint8Array): EvictionReason | undefined {
    return this.#reasons.get(mapKey(hash));
  }

  note(key: string, reason: EvictionReason): void {
    // Set again to move it to the end.
    this.#reasons.delete(key);
    this.#reasons.set(key, reason);
    if (this.#reasons.size <= this.#max) return;
    for (const oldest of this.#reasons.keys()) {
      this.#reasons.delete(oldest);
      break;
    }
  }

  /** To be called when the tx enters the pool again. */
  forget(key: string): void {
    this.#reasons.delete(key);
  }

  clear(): void {
    this.#reasons.clear();
  }
}
