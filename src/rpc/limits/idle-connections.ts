/**
 * Time that a connection has for its next request before it may have to make room: a burst of new ones does not close
 * each other.
 */
const MIN_IDLE_MS = 1_000;

/** Connections without a request under way, the longest idle first. */
export class IdleConnections<C> {
  readonly #since = new Map<C, number>();

  /** From now on it is idle. */
  add(connection: C): void {
    this.#since.delete(connection);
    this.#since.set(connection, performance.now());
  }

  remove(connection: C): void {
    this.#since.delete(connection);
  }

  /** Takes out the one that has been idle longest; undefined when none has been for long. */
  takeLongest(): C | undefined {
    for (const [connection, since] of this.#since) {
      if (performance.now() - since < MIN_IDLE_MS) return undefined;
      this.#since.delete(connection);
      return connection;
    }
    return undefined;
  }
}
