import type { Logger } from "../../telemetry/logger.ts";
import type { CachedPeer, DialQueue } from "./dial-queue.ts";
import type { PeerHost } from "./peer-host.ts";

const DIAL_TIMEOUT_MS = 30_000;
const MAX_PARALLEL = 32;

/** Dials peers, a bounded number at a time; failures go back to the queue. */
export class Dialer {
  readonly #host: PeerHost;
  readonly #queue: DialQueue;
  readonly #logger: Logger;
  readonly #inProgress = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(host: PeerHost, queue: DialQueue, logger: Logger) {
    this.#host = host;
    this.#queue = queue;
    this.#logger = logger;
  }

  get count(): number {
    return this.#inProgress.size;
  }

  isDialing(id: string): boolean {
    return this.#inProgress.has(id);
  }

  get isFull(): boolean {
    return this.#inProgress.size >= MAX_PARALLEL || this.#stopped.signal.aborted;
  }

  /** Starts to dial; the outcome is recorded in the queue. */
  dial(cached: Pick<CachedPeer, "peer" | "attempts">): void {
    const { id, address } = cached.peer;
    if (address === undefined || this.#inProgress.has(id)) return;
    this.#inProgress.add(id);
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(DIAL_TIMEOUT_MS)]);
    this.#host
      .dial(id, address, signal)
      .then(
        () => this.#queue.succeeded(id),
        (error: unknown) => {
          if (this.#stopped.signal.aborted) return;
          this.#queue.failed(cached);
          this.#logger.debug({ peer: id, address, attempts: cached.attempts + 1, err: error }, "could not dial {peer}");
        },
      )
      .finally(() => this.#inProgress.delete(id));
  }

  stop(): void {
    this.#stopped.abort();
  }
}
