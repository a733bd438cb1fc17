import type { Stream } from "@libp2p/interface";

/** Longest run of one peer's frames before other work of the event loop goes on, in milliseconds. */
const MAX_RUN_MS = 5;

/**
 * Divides a stream's frames into short runs. Between runs the stream is paused, so that a peer that sends more than is
 * handled waits.
 */
export class FrameTurns {
  readonly #stream: Stream;
  readonly #use: (usedMs: number) => number;
  #start: number | undefined;
  #wait: PromiseWithResolvers<void> | undefined;

  /** `use` is called with the milliseconds that a run took, and returns the milliseconds to pause after it. */
  constructor(stream: Stream, use: (usedMs: number) => number) {
    this.#stream = stream;
    this.#use = use;
  }

  /** Called before each frame. Undefined while the run goes on; otherwise to be awaited before the frame is handled. */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#start === undefined) {
      this.#start = now;
      // What frames cause goes on in microtasks; this comes after all of them, so that their time counts.
      queueMicrotask(() => process.nextTick(() => this.#end(performance.now() - now)));
      return undefined;
    }
    if (now - this.#start < MAX_RUN_MS) return undefined;
    this.#wait ??= Promise.withResolvers();
    return this.#wait.promise;
  }

  #end(usedMs: number): void {
    this.#start = undefined;
    const pauseMs = this.#use(usedMs);
    const wait = this.#wait;
    if (pauseMs <= 0 && wait === undefined) return;
    if (this.#stream.status === "open" && this.#stream.readStatus === "readable") this.#stream.pause();
    const goOn = (): void => {
      this.#wait = undefined;
      wait?.resolve();
      this.#resume();
    };
    if (pauseMs > 0) setTimeout(goOn, pauseMs).unref();
    else setImmediate(goOn);
  }

  #resume(): void {
    if (this.#stream.status !== "open" || this.#stream.readStatus !== "paused") return;
    try {
      this.#stream.resume();
    } catch (error) {
      // The connection closed and the stream has not heard of it.
      this.#stream.abort(error as Error);
    }
  }
}
