/** As many wait for a place as may, for this client or in all. */
export class PlacesFullError extends Error {
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} are waiting for a place already`);
    this.name = "PlacesFullError";
    this.waiting = waiting;
  }
}

export interface ClientPlacesOptions {
  /** Held at once. */
  places: number;
  /** That may wait for one, of all clients and of one. */
  mostWaiting: number;
  mostWaitingPerClient: number;
}

interface Waiting {
  /** The place is taken. */
  resolve(): void;
  reject(reason: unknown): void;
}

/**
 * Places that are shared out among clients in turn, one to each that waits; a client that was not served yet comes before those that were
 * (the order of fq_codel, RFC 8290, with requests for packets). So a client with many requests holds up another by one. When all waiting
 * room is taken, a client with fewer waiting takes that of the one with most.
 */
export class ClientPlaces {
  readonly #options: ClientPlacesOptions;
  #free: number;
  #waiting = 0;
  /** By client, oldest first. None is empty. */
  readonly #queues = new Map<string, Waiting[]>();
  /** Clients whose turn comes first, and those after them; the next one is first in each. Every client with a queue is in one of the two. */
  readonly #unserved = new Set<string>();
  readonly #served = new Set<string>();

  constructor(options: ClientPlacesOptions) {
    this.#options = options;
    this.#free = options.places;
  }

  /** Clients' requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves with a function that releases the place, to be called once. Throws a PlacesFullError, and rejects with one when the place in
   * the queue is lost to another client; rejects with the reason of `signal` when that is aborted before there is a place.
   */
  take(client: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      this.#served.add(client);
      return Promise.resolve(() => this.#pass());
    }
    this.#makeRoom(client);
    return new Promise((resolve, reject) => {
      const leave = (): void => this.#leave(client, waiting, signal?.reason);
      const waiting: Waiting = {
        resolve: () => {
          signal?.removeEventListener("abort", leave);
          resolve(() => this.#pass());
        },
        reject: (reason) => {
          signal?.removeEventListener("abort", leave);
          reject(reason);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      const queue = this.#queues.get(client);
      if (queue === undefined) this.#queues.set(client, [waiting]);
      else queue.push(waiting);
      if (!this.#served.has(client)) this.#unserved.add(client);
      this.#waiting++;
    });
  }

  #makeRoom(client: string): void {
    const { mostWaiting, mostWaitingPerClient } = this.#options;
    const own = this.#queues.get(client)?.length ?? 0;
    if (own >= mostWaitingPerClient) throw new PlacesFullError(own);
    if (this.#waiting < mostWaiting) return;
    const [[most, queue]] = [...this.#queues].sort(([, a], [, b]) => b.length - a.length);
    if (queue.length <= own + 1) throw new PlacesFullError(this.#waiting);
    this.#leave(most, queue[queue.length - 1], new PlacesFullError(queue.length - 1));
  }

  #leave(client: string, waiting: Waiting, reason: unknown): void {
    const queue = this.#queues.get(client);
    const at = queue?.indexOf(waiting) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(client);
    this.#waiting--;
    waiting.reject(reason);
  }

  /** Gives a place to the next client without its being free in between. */
  #pass(): void {
    const next = this.#next();
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting--;
    next.resolve();
  }

  /** Takes the request whose turn it is out of its queue. */
  #next(): Waiting | undefined {
    for (;;) {
      const [unserved] = this.#unserved;
      const [served] = this.#served;
      const client = unserved ?? served;
      if (client === undefined) return undefined;
      this.#unserved.delete(client);
      this.#served.delete(client);
      const queue = this.#queues.get(client);
      if (queue === undefined) continue;
      const [first, ...rest] = queue;
      if (rest.length > 0) this.#queues.set(client, rest);
      else this.#queues.delete(client);
      this.#served.add(client);
      return first;
    }
  }
}
