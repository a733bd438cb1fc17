import type { MissingTxs } from "./missing-txs.ts";

/** Chooses which missing txs of a block to ask the next peer for. */
export class TxChoice {
  readonly #hashes: readonly Uint8Array[];
  readonly #missing: MissingTxs;
  readonly #batchSize: number;
  /** By index in the block. */
  readonly #asked: Uint32Array;
  readonly #inFlight: Uint32Array;

  constructor(hashes: readonly Uint8Array[], missing: MissingTxs, batchSize: number) {
    this.#hashes = hashes;
    this.#missing = missing;
    this.#batchSize = batchSize;
    this.#asked = new Uint32Array(hashes.length);
    this.#inFlight = new Uint32Array(hashes.length);
  }

  /**
   * A batch of missing txs: those that the peer has first, then others; among them those first that are asked for at
   * the moment, and were asked for, by the fewest.
   */
  next(available: ReadonlySet<number>): number[] {
    const rank = (a: number, b: number): number =>
      Number(available.has(b)) - Number(available.has(a)) ||
      this.#inFlight[a] - this.#inFlight[b] ||
      this.#asked[a] - this.#asked[b] ||
      a - b;
    return this.#indices().sort(rank).slice(0, this.#batchSize);
  }

  begin(indices: readonly number[]): void {
    for (const index of indices) {
      this.#asked[index]++;
      this.#inFlight[index]++;
    }
  }

  end(indices: readonly number[]): void {
    for (const index of indices) this.#inFlight[index]--;
  }

  #indices(): number[] {
    return this.#hashes.flatMap((hash, index) => (this.#missing.has(hash) ? [index] : []));
  }
}
