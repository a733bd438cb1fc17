interface WaitingPlacesOptions {
  max: number;
  maxPerClient: number;
}

/**
 * Places for what waits without anybody's work, shared out per client: none has more than its share, and when all are
 * taken, a client with fewer displaces the last of the client with the most.
 */
export class WaitingPlaces {
  readonly #options: WaitingPlacesOptions;
  /** What ends each wait when it is displaced, oldest first. No set is empty. */
  readonly #clients = new Map<string, Set<() => void>>();
  #taken = 0;

  constructor(options: WaitingPlacesOptions) {
    this.#options = options;
  }

  /** Returns a function that releases the place, to be called once; undefined when there is none for this client. */
  take(client: string, displaced: () => void): (() => void) | undefined {
    const { max, maxPerClient } = this.#options;
    const own = this.#clients.get(client)?.size ?? 0;
    if (own >= maxPerClient || (this.#taken >= max && !this.#displace(own))) return undefined;
    const places = this.#clients.get(client) ?? new Set();
    this.#clients.set(client, places.add(displaced));
    this.#taken += 1;
    return () => this.#release(client, displaced);
  }

  /** Ends the last wait of the client with the most, if that has more than one with `own` would have. */
  #displace(own: number): boolean {
    let most: Set<() => void> | undefined;
    for (const places of this.#clients.values()) if (places.size > (most?.size ?? own + 1)) most = places;
    const last = most && [...most].at(-1);
    last?.();
    return last !== undefined;
  }

  #release(client: string, displaced: () => void): void {
    const places = this.#clients.get(client);
    if (!places?.delete(displaced)) return;
    this.#taken -= 1;
    if (places.size === 0) this.#clients.delete(client);
  }
}
