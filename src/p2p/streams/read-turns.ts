/** Longest run of one peer's input before other work of the event loop goes on, in milliseconds. */
const MAX_RUN_MS = 5;

/** Divides the input of a stream or connection into short runs, between which it waits. */
export class ReadTurns {
  readonly #use: (usedMs: number) => number;
  #start: number | undefined;
  #wait: PromiseWithResolvers<void> | undefined;

  /** `use` is called with the milliseconds that a run took, and returns the milliseconds to pause after it. */
  constructor(use: (usedMs: number) => number) {
    this.#use = use;
  }

  /** Called before each piece of input. Undefined while the run goes on; otherwise to be awaited, and called again. */
  next(): Promise<void> | undefined {
    if (this.#wait !== undefined) return this.#wait.promise;
    const now = performance.now();
    if (this.#start === undefined) {
      this.#start = now;
      // What the input causes goes on in microtasks; this comes after all of them, so that their time counts.
      queueMicrotask(() => process.nextTick(() => this.#end(performance.now() - now)));
      return undefined;
    }
    if (now - this.#start < MAX_RUN_MS) return undefined;
    this.#wait = Promise.withResolvers();
    return this.#wait.promise;
  }

  #end(usedMs: number): void {
    this.#start = undefined;
    const pauseMs = this.#use(usedMs);
    if (pauseMs <= 0 && this.#wait === undefined) return;
    this.#wait ??= Promise.withResolvers();
    const { resolve } = this.#wait;
    const goOn = (): void => {
      this.#wait = undefined;
      resolve();
    };
    if (pauseMs > 0) setTimeout(goOn, pauseMs).unref();
    else setImmediate(goOn);
  }
}
