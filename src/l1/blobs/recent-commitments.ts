import { equal } from "../../protocol/bytes.ts";

interface Entry {
  blob: Uint8Array;
  commitment: Promise<Uint8Array>;
}

/** Two checkpoints of six blobs, and blobs that further blocks of a checkpoint have replaced. 2 MiB. */
const KEPT = 16;

/** Commitments of the blobs that were committed to last, found by the blob's bytes. */
export class RecentCommitments {
  /** The most recently used one is last. */
  readonly #entries: Entry[] = [];

  /** The commitment if it is kept or under way; it may still fail. */
  find(blob: Uint8Array): Promise<Uint8Array> | undefined {
    const at = this.#entries.findIndex((entry) => equal(entry.blob, blob));
    if (at < 0) return undefined;
    const [found] = this.#entries.splice(at, 1);
    this.#entries.push(found);
    return found.commitment;
  }

  /** Keeps the commitment of a blob, whose bytes must not change any more. One that fails is forgotten. */
  add(blob: Uint8Array, commitment: Promise<Uint8Array>): void {
    const entry = { blob, commitment };
    this.#entries.push(entry);
    if (this.#entries.length > KEPT) this.#entries.shift();
    commitment.catch(() => {
      const at = this.#entries.indexOf(entry);
      if (at >= 0) this.#entries.splice(at, 1);
    });
  }
}
