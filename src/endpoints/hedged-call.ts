import type { EndpointHealth, EndpointState } from "./endpoint-health.ts";

export interface Endpoint {
  readonly health: EndpointHealth;
}

interface HedgedCallOptions {
  /** What is asked for, from a fixed set, such as the name of a method. */
  kind: string;
  /** Milliseconds after which the next endpoint is asked too; what the endpoint usually takes decides by default. */
  hedgeMs?: number;
  /**
   * `call`: a silent endpoint's call goes to the next one after the delay. `probe`, for calls that may rightly take
   * long: only if it does not answer a probe either, and then its answer is no longer waited for where there is no
   * other
   * endpoint. An endpoint that fails is then asked only after it answered a probe.
   */
  hedge?: "call" | "probe";
  /** Whether the failure says that the endpoint's other calls would fail too. */
  isOutage(error: unknown): boolean;
  /** Whether other endpoints would answer the same: the call then rejects with it at once. */
  isFinal(error: unknown): boolean;
  /** Aborts the call, with the signal's reason. */
  signal?: AbortSignal;
}

/** An endpoint that fails was not asked, since it does not answer probes. */
class EndpointFailsError extends Error {
  override readonly name = "EndpointFailsError";

  constructor(endpoint: string) {
    super(`${endpoint} does not answer`);
  }
}

/** No endpoint gave a usable answer: one error for each that was asked, in the order of asking. */
export class AllEndpointsFailed<E extends Endpoint> extends Error {
  override readonly name = "AllEndpointsFailed";
  readonly failures: readonly { endpoint: E; error: unknown }[];

  constructor(failures: readonly { endpoint: E; error: unknown }[]) {
    super(`none of ${failures.length} endpoints gave a usable answer`);
    this.failures = failures;
  }
}

/**
 * Endpoints in the order in which they should be asked: those that answer, in the configured order, then the slow ones,
 * then the failing ones, the one that answered last first. Distrusted ones are left out unless all are; then the one
 * distrusted first comes first.
 */
export function inOrder<E extends Endpoint>(endpoints: readonly E[]): E[] {
  const trusted = endpoints.filter(({ health }) => health.distrustedMs === 0);
  if (trusted.length === 0) return endpoints.toSorted((a, b) => a.health.distrustedMs - b.health.distrustedMs);
  const of = (state: EndpointState) => trusted.filter(({ health }) => health.state === state);
  const failing = of("failing").sort((a, b) => a.health.stateMs - b.health.stateMs);
  return [...of("answering"), ...of("doubted"), ...failing];
}

interface Attempt<E> {
  readonly endpoint: E;
  readonly stop: AbortController;
  readonly startedAt: number;
  /** Whether the delay passed without an answer. */
  isSilent: boolean;
}

/**
 * The first usable answer. Asks the endpoints one after the other: the next when the one before failed, or, while that
 * goes on, when it has been silent for the hedging delay. Endpoints known to fail are asked last, and not at all once
 * another one has answered, be it with an error. Calls that are no longer needed are aborted, the one that gave the
 * answer is not. `ask` must end when its signal aborts. Rejects with a final error, the reason of `signal`, or
 * AllEndpointsFailed.
 */
export function hedgedCall<E extends Endpoint, T>(
  endpoints: readonly E[],
  ask: (endpoint: E, signal: AbortSignal) => Promise<T>,
  options: HedgedCallOptions,
): Promise<T> {
  return new HedgedCall(endpoints, ask, options).run();
}

class HedgedCall<E extends Endpoint, T> {
  readonly #waiting: E[];
  readonly #ask: (endpoint: E, signal: AbortSignal) => Promise<T>;
  readonly #options: HedgedCallOptions;
  readonly #running = new Set<Attempt<E>>();
  readonly #failures: { endpoint: E; error: unknown }[] = [];
  readonly #result = Promise.withResolvers<T>();
  #isAnswered = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    endpoints: readonly E[],
    ask: (endpoint: E, signal: AbortSignal) => Promise<T>,
    options: HedgedCallOptions,
  ) {
    this.#waiting = inOrder(endpoints);
    this.#ask = ask;
    this.#options = options;
  }

  async run(): Promise<T> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const aborted = () => this.#end(() => this.#result.reject(signal?.reason));
    signal?.addEventListener("abort", aborted, { once: true });
    this.#next();
    try {
      return await this.#result.promise;
    } finally {
      signal?.removeEventListener("abort", aborted);
    }
  }

  /** Asks the next endpoint; ends the call if there is none and nothing runs. */
  #next(): void {
    if (this.#isOver) return;
    const [endpoint] = this.#waiting;
    const isUseless = endpoint === undefined || (this.#isAnswered && endpoint.health.state === "failing");
    if (isUseless) {
      if (this.#running.size === 0) this.#end(() => this.#result.reject(new AllEndpointsFailed(this.#failures)));
      return;
    }
    this.#waiting.shift();
    const stop = new AbortController();
    const attempt: Attempt<E> = { endpoint, stop, startedAt: performance.now(), isSilent: false };
    this.#running.add(attempt);
    this.#begin(attempt).then(
      (value) => this.#succeeded(attempt, value),
      (error) => this.#failed(attempt, error),
    );
  }

  async #begin(attempt: Attempt<E>): Promise<T> {
    const { endpoint, stop } = attempt;
    const { health } = endpoint;
    const isDoubtful = this.#options.hedge === "probe" && health.state === "failing";
    if (isDoubtful && !(await health.recheck())) throw new EndpointFailsError(health.name);
    this.#arm(attempt);
    return this.#ask(endpoint, stop.signal);
  }

  #arm(attempt: Attempt<E>): void {
    const { kind, hedgeMs = attempt.endpoint.health.hedgeMs(kind) } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#silent(attempt), hedgeMs);
  }

  async #silent(attempt: Attempt<E>): Promise<void> {
    if (!this.#running.has(attempt)) return;
    attempt.isSilent = true;
    const { health } = attempt.endpoint;
    const checked = health.check();
    if (this.#options.hedge === "probe" && (await checked)) {
      // It answers, so the call takes its time: looks again later.
      if (this.#running.has(attempt)) this.#arm(attempt);
      return;
    }
    if (this.#isOver) return;
    this.#next();
    if (await checked) return;
    this.#abandon();
  }

  /** Waits no longer for endpoints that do not answer a probe either, once another one has answered. */
  #abandon(): void {
    const isUseless = this.#isAnswered || (this.#options.hedge === "probe" && this.#waiting.length === 0);
    if (!isUseless || this.#isOver) return;
    for (const attempt of this.#running) {
      if (attempt.isSilent && attempt.endpoint.health.state === "failing") attempt.stop.abort();
    }
  }

  #succeeded(attempt: Attempt<E>, value: T): void {
    if (this.#isOver) return;
    attempt.endpoint.health.answered(this.#options.kind, performance.now() - attempt.startedAt);
    for (const other of this.#running) {
      if (other !== attempt && other.isSilent && other.startedAt < attempt.startedAt) other.endpoint.health.late();
    }
    this.#running.delete(attempt);
    this.#end(() => this.#result.resolve(value));
  }

  #failed(attempt: Attempt<E>, error: unknown): void {
    if (this.#isOver) return;
    this.#running.delete(attempt);
    const { isOutage, isFinal } = this.#options;
    const { health } = attempt.endpoint;
    if (error instanceof EndpointFailsError || isOutage(error))
      health.failed(error instanceof Error ? error.message : String(error));
    else {
      this.#isAnswered = true;
      health.answered(this.#options.kind, performance.now() - attempt.startedAt);
    }
    if (!(error instanceof EndpointFailsError) && isFinal(error)) {
      this.#end(() => this.#result.reject(error));
      return;
    }
    this.#failures.push({ endpoint: attempt.endpoint, error });
    this.#abandon();
    this.#next();
  }

  #end(settle: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    settle();
    for (const { stop } of this.#running) stop.abort();
    this.#running.clear();
  }
}
