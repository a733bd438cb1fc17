import { mapKey } from "../../protocol/bytes.ts";
import type { DropReason } from "../../protocol/tx/drop-reasons.ts";

/** At about 150 bytes each. */
const MAX_REMEMBERED = 16_384;

/** Why the last txs were dropped, in memory only; the oldest are forgotten first. */
export class DropReasons {
  readonly #reasons = new Map<string, DropReason>();
  readonly #max: number;

  constructor(max = MAX_REMEMBERED) {
    this.#max = max;
  }

  of(hash: Uint8Array): DropReason | undefined {
    return this.#reasons.get(mapKey(hash));
  }

  note(key: string, reason: DropReason): void {
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
