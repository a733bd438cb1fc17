/** Failures in a row that have no consequence. */
const FREE_FAILURES = 1;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** Clients that are remembered. */
const MAX_CLIENTS = 1024;

interface Failures {
  inARow: number;
  pausedUntil: number;
}

/**
 * Pauses agents that fail one job after the other, for longer and longer, so that a broken agent does not use up the
 * attempts of all jobs. Agents are told apart by address; one success behind an address ends its pause.
 */
export class AgentPauses {
  /** Least recently failed first. */
  readonly #clients = new Map<string, Failures>();

  /** `now` as of Clock.now. */
  failed(client: string, now: number): void {
    const inARow = (this.#clients.get(client)?.inARow ?? 0) + 1;
    const pauseMs = inARow <= FREE_FAILURES ? 0 : FIRST_PAUSE_MS * 2 ** (inARow - FREE_FAILURES - 1);
    this.#clients.delete(client);
    this.#clients.set(client, { inARow, pausedUntil: now + Math.min(pauseMs, MAX_PAUSE_MS) });
    if (this.#clients.size <= MAX_CLIENTS) return;
    const [oldest] = this.#clients.keys();
    this.#clients.delete(oldest);
  }

  succeeded(client: string): void {
    this.#clients.delete(client);
  }

  isPaused(client: string, now: number): boolean {
    const failures = this.#clients.get(client);
    return failures !== undefined && now < failures.pausedUntil;
  }
}
