/** Clients whose position in the log is remembered. */
const MAX_READERS = 64;

/**
 * Ids of settled jobs in the order in which they were settled, with the position up to which each client has read them.
 * Clients are told apart by address, so that prover nodes on several machines do not take each other's notifications.
 * Clients behind one address share a position, as all clients do with the reference's broker.
 */
export class SettledLog {
  #ids: string[] = [];
  /** Position of the first id. */
  #start = 0;
  /** Least recently used first. */
  readonly #readers = new Map<string, number>();

  add(id: string): void {
    this.#ids.push(id);
  }

  /** Remembers a client: from now on it is told what is settled, even if others ask first. */
  join(client: string): void {
    if (!this.#readers.has(client)) this.#move(client, this.#unread());
  }

  /** Ids that the client has not been given yet. */
  take(client: string): string[] {
    const from = this.#position(client);
    this.#move(client, this.#end);
    return this.#ids.slice(from - this.#start);
  }

  hasFor(client: string): boolean {
    return this.#position(client) < this.#end;
  }

  /** Forgets ids that are no longer known. */
  keep(isKnown: (id: string) => boolean): void {
    const known = this.#ids.findIndex(isKnown);
    const gone = known < 0 ? this.#ids.length : known;
    this.#ids = this.#ids.slice(gone);
    this.#start += gone;
  }

  #position(client: string): number {
    return Math.max(this.#start, this.#readers.get(client) ?? this.#unread());
  }

  get #end(): number {
    return this.#start + this.#ids.length;
  }

  /** Position after all that anybody has read. */
  #unread(): number {
    return Math.max(this.#start, ...this.#readers.values());
  }

  #move(client: string, position: number): void {
    this.#readers.delete(client);
    this.#readers.set(client, position);
    if (this.#readers.size <= MAX_READERS) return;
    const [oldest] = this.#readers.keys();
    this.#readers.delete(oldest);
  }
}
