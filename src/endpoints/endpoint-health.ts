import { within } from "../events/within.ts";

/**
 * `answering`: asked first. `doubted`: another endpoint was faster by the hedging delay; asked last until a probe says
 * otherwise. `failing`: a call or a probe failed; asked last until a probe or a call succeeds.
 */
export type EndpointState = "answering" | "doubted" | "failing";

/** Asks an endpoint for something small. Rejects if it does not answer as it should. */
export type Probe = (signal: AbortSignal) => Promise<unknown>;

interface EndpointHealthOptions {
  /** Redacted, for messages. */
  name: string;
  probe: Probe;
  /** Called when the endpoint begins to fail, with the reason, and when it answers again, without one. */
  changed?(health: EndpointHealth, reason: string | undefined): void;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
  /** Limit of one probe. */
  probeMs?: number;
  /** Pause before the first probe of an endpoint that fails for the first time. */
  restMs?: number;
}

const PROBE_MS = 2_000;
const REST_MS = 500;
const RECHECK_MS = 1_000;
const MAX_REST_MS = 64_000;
const MAX_PROBE_PAUSE_MS = 30_000;
/** An endpoint that failed again within this time after it recovered rests for twice as long as before. */
const RELAPSE_MS = 60_000;
/** How often a pause doubles. */
const MAX_DOUBLINGS = 7;

const FIRST_HEDGE_MS = 1_000;
const MAX_HEDGE_MS = 5_000;
/** A call that takes longer than this multiple of what its kind usually takes is hedged. */
const HEDGE_FACTOR = 4;
/** Weight of the latest call in the average. */
const NEWEST = 0.2;
const MAX_KINDS = 64;

/**
 * What calls and probes have shown of one endpoint. Shared by all callers of the endpoint, so that what one of them
 * learns costs the others nothing. While the endpoint is not `answering`, it is probed in the background, with pauses
 * that double; the timers do not keep the process alive.
 */
export class EndpointHealth {
  readonly name: string;
  readonly #options: EndpointHealthOptions;
  readonly #now: () => number;
  readonly #usualMs = new Map<string, number>();
  #state: EndpointState = "answering";
  /** Since when the state is what it is. */
  #since: number;
  /** When it last went from another state to `answering`. */
  #recoveredAt = Number.NEGATIVE_INFINITY;
  #relapses = 0;
  #failedProbes = 0;
  #probeFailedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #restUntil = 0;
  #distrustedUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<boolean> | undefined;
  #probing: AbortController | undefined;
  #isClosed = false;

  constructor(options: EndpointHealthOptions) {
    this.name = options.name;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#since = this.#now();
  }

  get state(): EndpointState {
    return this.#state;
  }

  /** Milliseconds for which the state has been what it is. */
  get stateMs(): number {
    return this.#now() - this.#since;
  }

  /** Milliseconds for which it is still distrusted; 0 if it is not. */
  get distrustedMs(): number {
    return Math.max(0, this.#distrustedUntil - this.#now());
  }

  /** How often it began to fail. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds after which a call that has no answer yet is sent to the next endpoint too. */
  hedgeMs(kind: string): number {
    return Math.min(Math.max(FIRST_HEDGE_MS, HEDGE_FACTOR * (this.#usualMs.get(kind) ?? 0)), MAX_HEDGE_MS);
  }

  /**
   * A call was answered.
   * @param kind from a fixed set, such as names of methods.
   */
  answered(kind: string, ms: number): void {
    const usual = this.#usualMs.get(kind);
    if (usual !== undefined || this.#usualMs.size < MAX_KINDS) {
      this.#usualMs.set(kind, usual === undefined ? ms : usual + NEWEST * (ms - usual));
    }
    if (this.#state !== "answering" && this.#now() >= this.#restUntil) this.#recover();
  }

  /** A call failed in a way that says that other calls would fail too. */
  failed(reason: string): void {
    if (this.#isClosed || this.#state === "failing") return;
    this.#leave("failing");
    this.#failures += 1;
    this.#options.changed?.(this, reason);
    this.#probeAfter(this.#restUntil - this.#now());
  }

  /** What the endpoint said is wrong: for this long it is asked only if all others are distrusted too. */
  distrust(reason: string, ms: number): void {
    this.failed(reason);
    this.#distrustedUntil = this.#now() + ms;
    this.#restUntil = Math.max(this.#restUntil, this.#distrustedUntil);
    this.#probeAfter(this.#restUntil - this.#now());
  }

  /** Another endpoint, which was asked later, answered first. */
  late(): void {
    if (this.#isClosed || this.#state !== "answering") return;
    this.#leave("doubted");
    this.#probeAfter(this.#restUntil - this.#now());
  }

  /** Whether the endpoint answers a probe. Concurrent callers share one. The outcome sets the state. */
  check(): Promise<boolean> {
    this.#check ??= this.#probe().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  /** As `check`, but a probe that failed within the last second counts. */
  recheck(): Promise<boolean> {
    return this.#now() - this.#probeFailedAt < RECHECK_MS ? Promise.resolve(false) : this.check();
  }

  /** Ends probes, and begins no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#probing?.abort(new Error("stopping"));
  }

  async #probe(): Promise<boolean> {
    const { probe, probeMs = PROBE_MS } = this.#options;
    clearTimeout(this.#timer);
    const ended = new AbortController();
    this.#probing = ended;
    const late = (): never => {
      ended.abort();
      throw new Error(`no answer to a probe within ${probeMs} ms`);
    };
    try {
      await within(probe(ended.signal), { ms: probeMs, late, signal: ended.signal, ref: false });
    } catch (error) {
      this.#probeFailed(error instanceof Error ? error.message : "the probe failed");
      return false;
    } finally {
      this.#probing = undefined;
    }
    const restMs = this.#restUntil - this.#now();
    if (this.#state !== "answering") {
      if (restMs <= 0) this.#recover();
      else this.#probeAfter(restMs);
    }
    return true;
  }

  #probeFailed(reason: string): void {
    this.#probeFailedAt = this.#now();
    if (this.#isClosed) return;
    if (this.#state === "failing") {
      const pauseMs = this.#restMs() * 2 ** Math.min(++this.#failedProbes, MAX_DOUBLINGS);
      this.#probeAfter(Math.min(pauseMs, MAX_PROBE_PAUSE_MS));
    } else this.failed(reason);
  }

  #restMs(): number {
    return (this.#options.restMs ?? REST_MS) * 2 ** Math.min(this.#relapses, MAX_DOUBLINGS);
  }

  /** From `answering` or `doubted` to a worse state. */
  #leave(state: EndpointState): void {
    const now = this.#now();
    if (this.#state === "answering") {
      this.#relapses = now - this.#recoveredAt < RELAPSE_MS ? this.#relapses + 1 : 0;
      this.#restUntil = now + Math.min(this.#restMs(), MAX_REST_MS);
    }
    this.#failedProbes = 0;
    this.#state = state;
    this.#since = now;
  }

  #recover(): void {
    clearTimeout(this.#timer);
    const wasFailing = this.#state === "failing";
    this.#state = "answering";
    this.#since = this.#now();
    this.#recoveredAt = this.#since;
    if (wasFailing) this.#options.changed?.(this, undefined);
  }

  #probeAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.check(), Math.max(0, ms)).unref();
  }
}
