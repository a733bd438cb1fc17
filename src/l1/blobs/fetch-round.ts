import { AllEndpointsFailed, hedgedCall } from "../../endpoints/hedged-call.ts";
import { isServerOutage } from "../../http/errors.ts";
import { toHex } from "../../protocol/bytes.ts";
import { ObjectStoreError } from "../../storage/objects/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { L1Block } from "../types.ts";
import type { AskedSource } from "./asked-source.ts";
import { BlobRejectedError, BlobSourceError, MissingBlobError } from "./errors.ts";
import type { Kzg } from "./kzg.ts";
import type { BlobOffer, BlobSource } from "./source.ts";

/** For each blob, whether its commitment matches its data. */
export function recompute(kzg: Pick<Kzg, "verifyBlobs">, blobs: readonly BlobOffer[]): Promise<boolean[]> {
  return kzg.verifyBlobs(
    blobs.map(({ data }) => data),
    blobs.map(({ commitment }) => commitment),
  );
}

interface FetchRoundOptions {
  kzg: Pick<Kzg, "verifyBlobs">;
  logger: Logger;
  recompute: boolean;
  signal: AbortSignal | undefined;
}

/** The source answered, and blobs are still missing. */
class StillMissingError extends Error {}

/** A source without an answer after this long is probed. Reading the blobs of a checkpoint may rightly take longer. */
const SILENCE_MS = 1_000;

/** One fetch: the blobs accepted so far, and each source's reasons for the missing ones. */
export class FetchRound {
  readonly #l1Block: L1Block;
  readonly #order: readonly string[];
  readonly #kzg: Pick<Kzg, "verifyBlobs">;
  readonly #logger: Logger;
  readonly #recompute: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #missing = new Map<string, Uint8Array>();
  readonly #found = new Map<string, BlobOffer>();
  /** Keyed by source, not by name: names contain only the host of the URL, so they are not unique. */
  readonly #reasons = new Map<string, Map<BlobSource, string>>();
  readonly #asked = new Set<AskedSource>();

  constructor(l1Block: L1Block, hashes: readonly Uint8Array[], { kzg, logger, recompute, signal }: FetchRoundOptions) {
    this.#l1Block = l1Block;
    this.#order = hashes.map(toHex);
    this.#kzg = kzg;
    this.#logger = logger;
    this.#recompute = recompute;
    this.#signal = signal;
    for (const hash of hashes) this.#missing.set(toHex(hash), hash);
  }

  get complete(): boolean {
    return this.#missing.size === 0;
  }

  /** Asks those of the sources that do not fail. One that hangs is given up for the next when it answers no probe. */
  askAll(sources: readonly AskedSource[]): Promise<void> {
    return this.#askEach(
      sources.filter(({ health }) => health.state !== "failing"),
      "probe",
    );
  }

  /** Asks the sources that have not been asked yet. */
  askRest(sources: readonly AskedSource[]): Promise<void> {
    return this.#askEach(
      sources.filter((source) => !this.#asked.has(source)),
      "call",
    );
  }

  async #askEach(sources: readonly AskedSource[], hedge: "call" | "probe"): Promise<void> {
    if (this.complete || sources.length === 0) return;
    try {
      await hedgedCall(sources, (source, signal) => this.#ask(source, signal), {
        ...{ kind: "blobs", hedge, signal: this.#signal },
        ...(hedge === "probe" && { hedgeMs: SILENCE_MS }),
        isOutage: isServerOutage,
        isFinal: (error) =>
          !(
            error instanceof StillMissingError ||
            error instanceof BlobSourceError ||
            error instanceof ObjectStoreError
          ),
      });
    } catch (error) {
      if (!(error instanceof AllEndpointsFailed)) throw error;
    }
  }

  /** Resolves when nothing is missing any more. Rejects with why the source did not give all. */
  async #ask(asked: AskedSource, signal: AbortSignal): Promise<void> {
    const { source } = asked;
    this.#asked.add(asked);
    const wanted = [...this.#missing.values()];
    let outage: unknown;
    try {
      const { offers, refusals } = await source.ask({ l1Block: this.#l1Block, wanted, signal });
      for (const { versionedHash, reason } of refusals) {
        if (isServerOutage(reason)) outage = reason;
        this.#refuse(source, versionedHash, reason, signal);
      }
      const results = this.#recompute ? await recompute(this.#kzg, offers) : offers.map(() => true);
      offers.forEach((offer, i) => {
        const key = toHex(offer.versionedHash);
        if (results[i]) {
          this.#found.set(key, offer);
          this.#missing.delete(key);
        } else {
          const detail = "its data does not have its commitment";
          const error = new BlobRejectedError(source.name, key, "commitment", detail);
          this.#refuse(source, offer.versionedHash, error, signal);
        }
      });
    } catch (error) {
      if (!(error instanceof BlobSourceError)) throw error;
      for (const versionedHash of wanted) this.#refuse(source, versionedHash, error, signal);
      throw error;
    }
    if (this.complete) return;
    throw outage ?? new StillMissingError();
  }

  #refuse(source: BlobSource, versionedHash: Uint8Array, reason: string | Error, { aborted }: AbortSignal): void {
    const key = toHex(versionedHash);
    if (reason instanceof BlobRejectedError) {
      const { rule, detail } = reason;
      const fields = { source: source.name, versionedHash: key, rule, detail, l1BlockNumber: this.#l1Block.number };
      this.#logger.warn(fields, "a blob source returned an invalid blob, asking the next one");
    }
    const said = this.#reasons.get(key) ?? new Map<BlobSource, string>();
    this.#reasons.set(key, said.set(source, aborted ? "gave no answer, nor one to a probe" : reasonText(reason)));
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
