import type { Logger } from "../../telemetry/logger.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import { LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import type { LongCalls } from "../jsonrpc/long-calls.ts";
import type { ReadRequest } from "../jsonrpc/read-call.ts";
import type { Namespace } from "../registry.ts";
import type { RpcReadsOptions } from "./rpc-reads.ts";

/** Long calls that may wait for a thread; one takes some milliseconds to some tenths of a second. */
const MOST_WAITING = 256;

/** Plain data: it crosses threads. */
export interface LongCallSettings {
  reads: RpcReadsOptions;
  namespaces: readonly Namespace[];
  maxBatchSize: number;
  /** Most bytes of the answers of one batch. */
  maxAnswerBytes: number;
}

/** A line for the log, as Logger takes it. */
export interface LongCallFailure {
  facts: object;
  message: string;
}

/** What a thread gives back. */
export interface LongCallOutcome {
  value: unknown;
  failures: LongCallFailure[];
}

/** Threads for long calls, started when there are some. */
export class LongCallPool implements LongCalls {
  readonly #threads: WorkerPool;
  readonly #log: Logger;

  constructor(settings: LongCallSettings, { threads, log }: { threads: number; log: Logger }) {
    this.#log = log;
    this.#threads = workerPool({
      module: moduleBeside(import.meta.url, "long-call-worker"),
      workerData: settings,
      threads,
    });
  }

  answer(body: Uint8Array): Promise<RpcAnswer | ReadRequest> {
    return this.#run("answer", body);
  }

  answerEach(calls: Uint8Array): Promise<Uint8Array[]> {
    return this.#run("answerEach", calls);
  }

  async #run<T>(name: string, text: Uint8Array): Promise<T> {
    if (this.#threads.queueSize >= MOST_WAITING) {
      throw new RpcError(LIMIT_EXCEEDED, "The node is busy: too many long calls are waiting");
    }
    const { value, failures }: LongCallOutcome = await this.#threads.run(text, { name });
    for (const { facts, message } of failures) this.#log.error(facts, message);
    return value as T;
  }

  /** Gives up what is under way. */
  close(): Promise<void> {
    return this.#threads.destroy();
  }
}
