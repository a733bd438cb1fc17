import type { Kzg } from "../../l1/blobs/kzg.ts";
import type { BlobOpener } from "../epoch/epoch-prover.ts";

/**
 * Has the blobs of epochs opened. What that takes is loaded when an epoch begins, so that its end does not wait for it,
 * and is released when no epoch needs it any more.
 */
export class EpochOpenings {
  readonly #kzg: Pick<Kzg, "load" | "open" | "release">;
  #waiting = 0;

  constructor(kzg: Pick<Kzg, "load" | "open" | "release">) {
    this.#kzg = kzg;
  }

  /** For an epoch that begins. `end` is called when it will not open blobs any more. */
  begin(): BlobOpener & { end(): void } {
    const kzg = this.#kzg;
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      this.#waiting--;
      if (this.#waiting === 0) kzg.release();
    };
    this.#waiting++;
    kzg.load("points");
    return { end, open: (blob, z) => kzg.open(blob, z).finally(end) };
  }
}
