/** No place is free, and the queue of this client or of all clients is full. */
export class PlacesFullError extends Error {
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} are waiting for a place already`);
    this.name = "PlacesFullError";
    this.waiting = waiting;
  }
}

interface ClientPlacesOptions {
  /** Places that can be held at once. */
  places: number;
  /** Longest queue: over all clients, and for one client. */
  maxWaiting: number;
  maxWaitingPerClient: number;
}

interface Waiting {
  /** Grants the place. */
  resolve(): void;
  reject(reason: unknown): void;
}

/**
 * A limited number of places, granted to waiting clients in turn, one place per turn. A client that has not been served
 * yet comes before those that have (the order of fq_codel, RFC 8290, with requests in place of packets). So a client
 * with many requests delays another client by one request at most. When the queue is full, a client with fewer waiting
 * requests displaces the last request of the client with the most.
 */
export class ClientPlaces {
  readonly #options: ClientPlacesOptions;
  #free: number;
  #waiting = 0;
  /** Waiting requests per client, oldest first. No queue is empty. */
  readonly #queues = new Map<string, Waiting[]>();
  /**
   * Clients in the order of their turns: `#unserved` goes first. Every client with a queue is in exactly one of the
   * two.
   */
  readonly #unserved = new Set<string>();
  readonly #served = new Set<string>();

  constructor(options: ClientPlacesOptions) {
    this.#options = options;
    this.#free = options.places;
  }

  /** Waiting requests of all clients. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves with a function that releases the place; call it exactly once. Throws a PlacesFullError when the queue is
   * full, rejects with one when another client displaces the request, and rejects with the reason of `signal` when that
   * is aborted before a place is granted.
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
    const { maxWaiting, maxWaitingPerClient } = this.#options;
    const own = this.#queues.get(client)?.length ?? 0;
    if (own >= maxWaitingPerClient) throw new PlacesFullError(own);
    if (this.#waiting < maxWaiting) return;
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

  /** Hands a released place directly to the next client. */
  #pass(): void {
    const next = this.#next();
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting--;
    next.resolve();
  }

  /** Dequeues the request whose turn it is. */
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
