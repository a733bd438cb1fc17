import type { Logger } from "../../telemetry/logger.ts";
import type { BlobOffer, BlobUploadStore } from "./source.ts";

/** Uploads blobs in the background: other nodes may need them before L1 serves them. */
export class BackgroundUploads {
  readonly #store: BlobUploadStore;
  readonly #logger: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(store: BlobUploadStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Returns at once; a failure is logged. */
  add(blobs: readonly BlobOffer[]): void {
    const work = Promise.all(blobs.map((blob) => this.#store.put(blob)))
      .then(() => {})
      .catch((error: unknown) => this.#logger.warn({ store: this.#store.name, err: error }, "blobs cannot be uploaded"))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Waits for the uploads in progress. */
  async close(): Promise<void> {
    await Promise.all(this.#running);
  }
}
