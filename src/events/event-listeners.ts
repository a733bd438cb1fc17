import { Listeners } from "./listeners.ts";

/** Listeners by the name of their event; `failed` gets the error of one that throws. */
export class EventListeners<Events extends { [K in keyof Events]: unknown[] }> {
  readonly #byEvent: { [K in keyof Events]?: Listeners<Events[K]> } = {};
  readonly #failed: (event: keyof Events, error: unknown) => void;

  constructor(failed: (event: keyof Events, error: unknown) => void) {
    this.#failed = failed;
  }

  /** Returns an unsubscribe function. */
  on<K extends keyof Events>(event: K, listener: (...args: Events[K]) => void): () => void {
    this.#byEvent[event] ??= new Listeners<Events[K]>((error) => this.#failed(event, error));
    return this.#byEvent[event].add(listener);
  }

  /** Needs no receiver, so that services can hand it on alone. */
  readonly emit = <K extends keyof Events>(event: K, ...args: Events[K]): void => {
    this.#byEvent[event]?.emit(...args);
  };
}
