import { setTimeout as sleep } from "node:timers/promises";
import { isSlowness } from "../../http/errors.ts";
import { toHex } from "../../protocol/bytes.ts";
import { ObjectStoreError } from "../../storage/objects/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { BlobFetcher, BlobFetchOptions, L1Block } from "../types.ts";
import { BlobRejectedError, BlobSourceError, MissingBlobError, NoBlobSourceReachableError } from "./errors.ts";
import type { Kzg } from "./kzg.ts";
import type { BlobOffer, BlobSource, BlobUploadStore } from "./source.ts";

/** How long a source that was slow is asked last. */
const SLOW_FOR_MS = 60_000;
/** How long `close` waits for uploads. */
const UPLOADS_LIMIT_MS = 5000;

interface CheckOptions {
  allowEmpty?: boolean;
  signal?: AbortSignal;
}

export interface BlobFetcherParts {
  fileStores: readonly BlobSource[];
  /** Consensus hosts. */
  beacons: readonly BlobSource[];
  archives: readonly BlobSource[];
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
  readonly #slow = new SlowSources();
  readonly #uploads = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #healthcheck: NodeJS.Timeout | undefined;

  constructor(parts: BlobFetcherParts) {
    this.#parts = parts;
  }

  get #sources(): readonly BlobSource[] {
    const { fileStores, beacons, archives } = this.#parts;
    return [...fileStores, ...beacons, ...archives];
  }

  /** Names of the sources in the order they are asked. */
  get sourceNames(): string[] {
    return this.#sources.map(({ name }) => name);
  }

  /**
   * Checks that the sources are reachable and warns about those that are not.
   * Throws a NoBlobSourceReachableError if none is, unless `allowEmpty`, or the reason of `signal`.
   * @returns the number of reachable sources.
   */
  async checkSources({ allowEmpty = false, signal }: CheckOptions = {}): Promise<number> {
    const failures: { source: string; reason: string }[] = [];
    await Promise.all(
      this.#sources.map(async (source) => {
        try {
          await source.checkReachable(signal);
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof BlobSourceError)) throw error;
          if (isSlowness(error)) this.#slow.note(source);
          failures.push({ source: source.name, reason: error.reason });
          this.#parts.logger.warn({ source: source.name, reason: error.reason }, "a blob source does not answer");
        }
      }),
    );
    const reachable = this.#sources.length - failures.length;
    if (reachable === 0 && !allowEmpty) throw new NoBlobSourceReachableError(failures);
    return reachable;
  }

  /** Asks each source for itself. `missing` is why it does not have all of the blobs. */
  async probe(l1Block: L1Block, versionedHashes: Uint8Array[]): Promise<{ source: string; missing?: string }[]> {
    return Promise.all(
      this.#sources.map(async (source) => {
        const round = new FetchRound(l1Block, versionedHashes, {
          ...{ parts: this.#parts, slow: new SlowSources(), recompute: false, signal: this.#closing.signal },
        });
        await round.askAll([source]);
        return { source: source.name, missing: round.firstReason() };
      }),
    );
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
        logger.warn({ store: upload.name, error }, "the healthcheck of the blob upload store cannot be written");
      });
    this.#healthcheck = setInterval(() => void write(closing), intervalMs).unref();
    await write(first === undefined ? closing : AbortSignal.any([closing, first]));
  }

  async fetch(
    l1Block: L1Block,
    versionedHashes: Uint8Array[],
    { historical, recompute = false, signal }: BlobFetchOptions,
  ): Promise<Uint8Array[]> {
    const round = new FetchRound(l1Block, versionedHashes, { parts: this.#parts, slow: this.#slow, recompute, signal });
    const { fileStores, beacons, archives, storeRetryDelaysMs = [1000, 1000, 2000] } = this.#parts;
    await round.askAll(this.#slow.without(fileStores));
    await round.askAll(this.#slow.without(beacons));
    if (!historical && fileStores.length > 0) {
      for (const wait of storeRetryDelaysMs) {
        if (round.complete || this.#slow.without(fileStores).length === 0) break;
        await sleep(wait, undefined, { signal });
        await round.askAll(this.#slow.without(fileStores));
      }
    }
    await round.askAll(this.#slow.without(archives));
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
      .catch((error: unknown) => logger.warn({ store: upload.name, error }, "blobs cannot be uploaded"))
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

/**
 * Sources that were recently slow. They are asked after all others, so that one slow source does not delay every fetch.
 */
class SlowSources {
  readonly #until = new Map<BlobSource, number>();

  note(source: BlobSource): void {
    this.#until.set(source, performance.now() + SLOW_FOR_MS);
  }

  without(sources: readonly BlobSource[]): BlobSource[] {
    return sources.filter((source) => (this.#until.get(source) ?? 0) <= performance.now());
  }
}

/** For each blob, whether its commitment matches its data. */
function recompute(kzg: BlobFetcherParts["kzg"], blobs: readonly BlobOffer[]): Promise<boolean[]> {
  return kzg.verifyBlobs(
    blobs.map(({ data }) => data),
    blobs.map(({ commitment }) => commitment),
  );
}

interface FetchRoundOptions {
  parts: BlobFetcherParts;
  slow: SlowSources;
  recompute: boolean;
  signal: AbortSignal | undefined;
}

/** State of one fetch: the blobs accepted so far, and each source's reasons for the missing ones. */
class FetchRound {
  readonly #l1Block: L1Block;
  readonly #order: readonly string[];
  readonly #parts: BlobFetcherParts;
  readonly #slow: SlowSources;
  readonly #recompute: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #missing = new Map<string, Uint8Array>();
  readonly #found = new Map<string, BlobOffer>();
  /** Keyed by source, not by name: names contain only the host of the URL, so they are not unique. */
  readonly #reasons = new Map<string, Map<BlobSource, string>>();
  readonly #asked = new Set<BlobSource>();

  constructor(l1Block: L1Block, hashes: readonly Uint8Array[], { parts, slow, recompute, signal }: FetchRoundOptions) {
    this.#l1Block = l1Block;
    this.#order = hashes.map(toHex);
    this.#parts = parts;
    this.#slow = slow;
    this.#recompute = recompute;
    this.#signal = signal;
    for (const hash of hashes) this.#missing.set(toHex(hash), hash);
  }

  get complete(): boolean {
    return this.#missing.size === 0;
  }

  async askAll(sources: readonly BlobSource[]): Promise<void> {
    for (const source of sources) {
      if (this.complete) return;
      this.#signal?.throwIfAborted();
      await this.#ask(source);
    }
  }

  /** Asks the sources that have not been asked yet. */
  askRest(sources: readonly BlobSource[]): Promise<void> {
    return this.askAll(sources.filter((source) => !this.#asked.has(source)));
  }

  async #ask(source: BlobSource): Promise<void> {
    this.#asked.add(source);
    const wanted = [...this.#missing.values()];
    try {
      const request = { l1Block: this.#l1Block, wanted, signal: this.#signal };
      const { offers, refusals } = await source.ask(request);
      for (const { versionedHash, reason } of refusals) this.#refuse(source, versionedHash, reason);
      const results = this.#recompute ? await recompute(this.#parts.kzg, offers) : offers.map(() => true);
      offers.forEach((offer, i) => {
        const key = toHex(offer.versionedHash);
        if (results[i]) {
          this.#found.set(key, offer);
          this.#missing.delete(key);
        } else {
          const detail = "its data does not have its commitment";
          this.#refuse(source, offer.versionedHash, new BlobRejectedError(source.name, key, "commitment", detail));
        }
      });
    } catch (error) {
      if (!(error instanceof BlobSourceError)) throw error;
      for (const versionedHash of wanted) this.#refuse(source, versionedHash, error);
    }
  }

  #refuse(source: BlobSource, versionedHash: Uint8Array, reason: string | Error): void {
    const key = toHex(versionedHash);
    if (reason instanceof BlobRejectedError) {
      const { rule, detail } = reason;
      const fields = { source: source.name, versionedHash: key, rule, detail, l1BlockNumber: this.#l1Block.number };
      this.#parts.logger.warn(fields, "a blob source returned an invalid blob, asking the next one");
    }
    if (isSlowness(reason)) this.#slow.note(source);
    const said = this.#reasons.get(key) ?? new Map<BlobSource, string>();
    this.#reasons.set(key, said.set(source, reasonText(reason)));
  }

  /** Why the first missing blob is missing; undefined if none is. */
  firstReason(): string | undefined {
    const [key] = this.#missing.keys();
    if (key === undefined) return undefined;
    const [reason] = this.#reasons.get(key)?.values() ?? [];
    return reason ?? "not there";
  }

  /** The blobs in the requested order. Throws a MissingBlobError if some were not found. */
  finish(): BlobOffer[] {
    if (!this.complete) {
      const missing = [...this.#missing.keys()].map((versionedHash) => ({
        versionedHash,
        reasons: [...(this.#reasons.get(versionedHash) ?? [])].map(([{ name }, reason]) => ({ source: name, reason })),
      }));
      throw new MissingBlobError(this.#l1Block.number, missing);
    }
    return this.#order.map((key) => this.#found.get(key) as BlobOffer);
  }
}

function reasonText(reason: string | Error): string {
  if (typeof reason === "string") return reason;
  if (reason instanceof BlobRejectedError) return `${reason.rule}: ${reason.detail}`;
  if (reason instanceof BlobSourceError) return reason.reason;
  return reason instanceof ObjectStoreError ? reason.rule : reason.message;
}
