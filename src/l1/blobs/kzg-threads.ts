import { Worker } from "node:worker_threads";
import { moduleBeside } from "../../threads/module-beside.ts";
import { type KzgAnswer, type KzgPart, type KzgReply, type KzgRequest, LIBRARY_IS_READY } from "./kzg-messages.ts";

/** What becomes of a request. */
interface Outcome {
  answered(answer: KzgAnswer): void;
  /** The thread ended before it answered. */
  lost(cause: unknown): void;
}

/**
 * Number of blobs that our own points do the library's work for before it is loaded. By then they have taken about as
 * much longer as loading takes.
 */
const BEFORE_LIBRARY = 15;

/**
 * The thread that answers a Kzg's requests, one at a time. The first one computes with our own points of the trusted
 * setup. After BEFORE_LIBRARY blobs, or as soon as a request needs the library, one that has loaded it takes over.
 */
export class KzgThreads {
  readonly #outcome: Outcome;
  readonly #all = new Set<Worker>();
  #current: Worker | undefined;
  #hasLibrary = false;
  /** Loads the library, to take the place of the current one. */
  #successor: Worker | undefined;
  #successorIsReady = false;
  /** Number of blobs so far that the library would have been faster for. */
  #byPoints = 0;
  #request: KzgRequest | undefined;

  constructor(outcome: Outcome) {
    this.#outcome = outcome;
  }

  /** Sends a request, after the one before it has had its outcome. */
  post(request: KzgRequest): void {
    if (!this.#hasLibrary && (this.#successorIsReady || needsLibrary(request))) this.#takeOver();
    this.#current ??= this.#start("points");
    this.#request = request;
    this.#current.ref();
    this.#current.postMessage(request);
  }

  /** Ends the threads until the next request. None may be under way. */
  release(): void {
    void this.close();
  }

  /** Ends the threads. A request that is under way has no outcome. */
  async close(): Promise<void> {
    this.#current = undefined;
    this.#hasLibrary = false;
    this.#successor = undefined;
    this.#successorIsReady = false;
    this.#request = undefined;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #start(part: KzgPart): Worker {
    const worker = new Worker(moduleBeside(import.meta.url, "kzg-worker"), { workerData: part });
    worker.unref();
    worker.on("message", (message: KzgReply | typeof LIBRARY_IS_READY) => {
      if (message !== LIBRARY_IS_READY) this.#replied(worker, message);
      else if (worker === this.#successor) this.#successorIsReady = true;
    });
    worker.on("error", (cause) => this.#lost(worker, cause));
    worker.on("exit", (code) => {
      this.#all.delete(worker);
      this.#lost(worker, code);
    });
    this.#all.add(worker);
    return worker;
  }

  #takeOver(): void {
    const old = this.#current;
    this.#current = this.#successor ?? this.#start("library");
    this.#hasLibrary = true;
    this.#successor = undefined;
    this.#successorIsReady = false;
    void old?.terminate();
  }

  #replied(worker: Worker, { answer, byPoints }: KzgReply): void {
    if (worker !== this.#current) return;
    worker.unref();
    // Checks of a whole batch need one commitment, but come in a sync, which has more of them.
    this.#byPoints += byPoints * (this.#request?.kind === "check" ? this.#request.blobs.length : 1);
    this.#request = undefined;
    if (this.#byPoints >= BEFORE_LIBRARY) {
      this.#byPoints = 0;
      this.#successor ??= this.#start("library");
    }
    this.#outcome.answered(answer);
  }

  #lost(worker: Worker, cause: unknown): void {
    if (worker === this.#successor) {
      this.#successor = undefined;
      this.#successorIsReady = false;
    }
    if (worker !== this.#current) return;
    this.#current = undefined;
    this.#hasLibrary = false;
    const request = this.#request;
    this.#request = undefined;
    if (request !== undefined) this.#outcome.lost(cause);
  }
}

function needsLibrary(request: KzgRequest): boolean {
  return request.kind === "load" ? request.part === "library" : request.kind === "prove" && request.cells;
}
