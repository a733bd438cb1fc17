import type { Logger } from "../../telemetry/logger.ts";
import { ClientPlaces, PlacesFullError } from "../../threads/client-places.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import type { LongCalls, ReadRequest } from "../calls/long-calls.ts";
import { LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import { clientNetwork } from "../limits/client-address.ts";
import type { RevertWords } from "../ports/node-status.ts";
import type { Namespace } from "../registry/registry.ts";
import { MAX_WAITING, MAX_WAITING_PER_CLIENT, tooManyLongCalls } from "./long-call-limits.ts";
import type { RpcReadsOptions } from "./rpc-reads.ts";

/** Plain data: it crosses threads. */
export interface LongCallSettings {
  reads: RpcReadsOptions;
  namespaces: readonly Namespace[];
  maxBatchSize: number;
  /** Most bytes of the answers of one batch. */
  maxAnswerBytes: number;
  /** See RequestReaderOptions. */
  forwards?: boolean;
  /** See AnswerWriterOptions. */
  refusesBlocksAhead?: boolean;
  /** See NodeStatus. */
  revertWords: RevertWords;
}

/** A line for the log, as Logger takes it. */
export interface LongCallFailure {
  facts: object;
  message: string;
}

/** Result of a call on a thread. */
export interface LongCallOutcome {
  value: ReadRequest;
  failures: LongCallFailure[];
}

/** Threads for long calls, started when there are some. */
export class LongCallPool implements LongCalls {
  readonly #threads: WorkerPool;
  readonly #places: ClientPlaces;
  readonly #log: Logger;
  #closed = false;
  #running = 0;
  #refused = 0;

  constructor(settings: LongCallSettings, { threads, log }: { threads: number; log: Logger }) {
    this.#log = log;
    this.#places = new ClientPlaces({
      places: threads,
      maxWaiting: MAX_WAITING,
      maxWaitingPerClient: MAX_WAITING_PER_CLIENT,
    });
    this.#threads = workerPool({
      module: moduleBeside(import.meta.url, "long-call-worker"),
      workerData: settings,
      threads,
    });
  }

  /** Calls that wait for a thread now. */
  get waiting(): number {
    return this.#places.waiting;
  }

  /** Calls that a thread works on now. */
  get running(): number {
    return this.#running;
  }

  /** Calls since the start that found no place. */
  get refused(): number {
    return this.#refused;
  }

  async answer(body: Uint8Array, client: string, signal?: AbortSignal): Promise<ReadRequest> {
    const giveBack = await this.#place(client, signal);
    this.#running++;
    try {
      if (this.#closed) throw new RpcError(LIMIT_EXCEEDED, "The node is stopping");
      const { value, failures }: LongCallOutcome = await this.#threads.run(body, { name: "answer" });
      for (const { facts, message } of failures) this.#log.error(facts, message);
      return value;
    } finally {
      this.#running--;
      giveBack();
    }
  }

  async #place(client: string, signal: AbortSignal | undefined): Promise<() => void> {
    try {
      return await this.#places.take(clientNetwork(client), signal);
    } catch (cause) {
      if (signal?.aborted) throw new RpcError(LIMIT_EXCEEDED, "The client did not wait for its answer", { cause });
      if (!(cause instanceof PlacesFullError)) throw cause;
      this.#refused++;
      throw tooManyLongCalls(cause);
    }
  }

  /** Gives up what is under way. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#threads.destroy();
  }
}
