import { setTimeout as sleep } from "node:timers/promises";
import { isServerOutage } from "../../http/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { BlobFetcher, BlobFetchOptions, L1Block } from "../types.ts";
import type { AskedSource } from "./asked-source.ts";
import { BlobSourceError, NoBlobSourceReachableError } from "./errors.ts";
import { FetchRound, recompute } from "./fetch-round.ts";
import type { Kzg } from "./kzg.ts";
import type { BlobOffer, BlobUploadStore } from "./source.ts";

/** How long the check of sources waits for further ones once one has answered. */
const OTHERS_MS = 1_500;
/** How long `close` waits for uploads. */
const UPLOADS_LIMIT_MS = 5000;

interface CheckOptions {
  allowEmpty?: boolean;
  signal?: AbortSignal;
}

interface BlobFetcherParts {
  fileStores: readonly AskedSource[];
  /** Consensus hosts. */
  beacons: readonly AskedSource[];
  /** Ask consensus hosts before file stores. */
  consensusFirst?: boolean;
  archives: readonly AskedSource[];
  upload?: BlobUploadStore;
  kzg: Pick<Kzg, "verifyBlobs" | "close">;
  /** Whether `close` closes `kzg`. */
  ownsKzg: boolean;
  logger: Logger;
  /**
   * Delays before the file stores are asked again for blobs of new checkpoints: the proposer may still be uploading
   * them.
   */
  storeRetryDelaysMs?: readonly number[];
}

/**
 * Fetches blobs from sources in the order of docs/protocol/04-l1-contracts.md#411-fetching-blobs. Loading the KZG setup
 * takes seconds and a commitment a tenth of one, so commitments are recomputed only on request and for blobs to upload.
 */
export class SourcedBlobFetcher implements BlobFetcher {
  readonly #parts: BlobFetcherParts;
  readonly #uploads = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #healthcheck: NodeJS.Timeout | undefined;

  constructor(parts: BlobFetcherParts) {
    this.#parts = parts;
  }

  get #sources(): readonly AskedSource[] {
    return [...this.#first, ...this.#parts.archives];
  }

  /** File stores and consensus hosts, in the order they are asked. */
  get #first(): readonly AskedSource[] {
    const { fileStores, beacons, consensusFirst } = this.#parts;
    return consensusFirst ? [...beacons, ...fileStores] : [...fileStores, ...beacons];
  }

  /** Names of the sources in the order they are asked. */
  get sourceNames(): string[] {
    return this.#sources.map(({ source }) => source.name);
  }

  /**
   * Checks that the sources are reachable, and logs those that are not. A source that does not answer soon after
   * another
   * one counts as unreachable. Throws a NoBlobSourceReachableError if none is, unless `allowEmpty`, or the reason of
   * `signal`.
   * @returns the number of reachable sources.
   */
  async checkSources({ allowEmpty = false, signal }: CheckOptions = {}): Promise<number> {
    const failures: { source: string; reason: string }[] = [];
    const pending = new Set(this.#sources);
    const answered = Promise.withResolvers<void>();
    const checks = this.#sources.map(async (asked) => {
      const { source, health } = asked;
      try {
        await source.checkReachable(signal);
        answered.resolve();
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof BlobSourceError)) throw error;
        failures.push({ source: source.name, reason: error.reason });
        if (isServerOutage(error)) health.failed(error.reason);
        else this.#parts.logger.warn({ source: source.name, reason: error.reason }, "a blob source does not answer");
      } finally {
        pending.delete(asked);
      }
    });
    const all = Promise.all(checks);
    all.catch(() => undefined);
    const over = new AbortController();
    const soon = answered.promise.then(() => sleep(OTHERS_MS, undefined, { signal: over.signal }));
    soon.catch(() => undefined);
    await Promise.race([all, soon]).finally(() => over.abort());
    for (const { health } of pending) health.late();
    const reachable = this.#sources.length - failures.length - pending.size;
    if (reachable === 0 && !allowEmpty) throw new NoBlobSourceReachableError(failures);
    return reachable;
  }

  /** Asks each source for itself. `missing` is why it does not have all of the blobs. */
  async probe(l1Block: L1Block, versionedHashes: Uint8Array[]): Promise<{ source: string; missing?: string }[]> {
    return Promise.all(
      this.#sources.map(async (asked) => {
        const round = this.#round(l1Block, versionedHashes, { recompute: false, signal: this.#closing.signal });
        await round.askRest([asked]);
        return { source: asked.source.name, missing: round.firstReason() };
      }),
    );
  }

  #round(l1Block: L1Block, hashes: Uint8Array[], how: { recompute: boolean; signal: AbortSignal | undefined }) {
    const { kzg, logger } = this.#parts;
    return new FetchRound(l1Block, hashes, { kzg, logger, ...how });
  }

  /**
   * Writes the upload store's health-check file now and at every interval until `close`. Resolves after the first
   * write, which `first` aborts; failed writes are logged.
   */
  async keepHealthcheck(intervalMs: number, first?: AbortSignal): Promise<void> {
    const { upload, logger } = this.#parts;
    if (!upload) return;
    const closing = this.#closing.signal;
    const write = (signal: AbortSignal) =>
      upload.putHealthcheck(signal).catch((error: unknown) => {
        if (signal.aborted) return;
        logger.warn({ store: upload.name, err: error }, "the healthcheck of the blob upload store cannot be written");
      });
    this.#healthcheck = setInterval(() => void write(closing), intervalMs).unref();
    await write(first === undefined ? closing : AbortSignal.any([closing, first]));
  }

  async fetch(
    l1Block: L1Block,
    versionedHashes: Uint8Array[],
    { historical, recompute = false, signal }: BlobFetchOptions,
  ): Promise<Uint8Array[]> {
    const round = this.#round(l1Block, versionedHashes, { recompute, signal });
    const { fileStores, beacons, archives, consensusFirst, storeRetryDelaysMs = [1000, 1000, 2000] } = this.#parts;
    await round.askAll(consensusFirst ? beacons : fileStores);
    await round.askAll(consensusFirst ? fileStores : beacons);
    if (!historical && fileStores.length > 0) {
      for (const wait of storeRetryDelaysMs) {
        if (round.complete || fileStores.every(({ health }) => health.state === "failing")) break;
        await sleep(wait, undefined, { signal });
        await round.askAll(fileStores);
      }
    }
    await round.askAll(archives);
    await round.askRest(this.#sources);
    const found = round.finish();
    this.#upload(found, recompute);
    return found.map(({ data }) => data);
  }

  /** Other nodes read the uploaded blobs, so only blobs with a recomputed commitment are uploaded. */
  #upload(blobs: readonly BlobOffer[], recomputed: boolean): void {
    const { upload, kzg, logger } = this.#parts;
    if (!upload) return;
    const work = (async () => {
      const right = recomputed ? blobs.map(() => true) : await recompute(kzg, blobs);
      for (const blob of blobs.filter((_, i) => right[i])) await upload.put(blob, this.#closing.signal);
    })()
      .catch((error: unknown) => logger.warn({ store: upload.name, err: error }, "blobs cannot be uploaded"))
      .finally(() => this.#uploads.delete(work));
    this.#uploads.add(work);
  }

  /** Waits a limited time for uploads, then aborts them. Stops the health check and the fetcher's own KZG worker. */
  async close(): Promise<void> {
    clearInterval(this.#healthcheck);
    const limit = setTimeout(() => this.#closing.abort(), UPLOADS_LIMIT_MS);
    await Promise.all(this.#uploads);
    clearTimeout(limit);
    this.#closing.abort();
    if (this.#parts.ownsKzg) await this.#parts.kzg.close();
  }
}
