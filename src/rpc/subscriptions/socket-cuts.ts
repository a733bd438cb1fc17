import type { Logger } from "../../telemetry/logger.ts";
import { SOCKET_CUTS, type SocketCut } from "../wire/web-socket.ts";

/** Shortest time between two lines of the log. */
const LOG_EVERY_MS = 60_000;

/** Counts the sockets that were ended for what their clients did, by cause, over all threads of a port. */
export class SocketCuts {
  readonly #counts: Uint32Array;

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * SOCKET_CUTS.length);
  }

  constructor(memory: SharedArrayBuffer = SocketCuts.memory()) {
    this.#counts = new Uint32Array(memory);
  }

  add(cause: SocketCut): void {
    Atomics.add(this.#counts, SOCKET_CUTS.indexOf(cause), 1);
  }

  read(): { cause: SocketCut; count: number }[] {
    return SOCKET_CUTS.map((cause, i) => ({ cause, count: Atomics.load(this.#counts, i) }));
  }
}

/** Logs such ends, one line a minute; the line says how many came since the last one. */
export class SocketCutLog {
  readonly #log: Logger;
  readonly #now: () => number;
  #last = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  note(facts: { cause: SocketCut; client: string; reason: string }): void {
    const now = this.#now();
    if (now - this.#last < LOG_EVERY_MS) {
      this.#unsaid += 1;
      return;
    }
    this.#last = now;
    const others = this.#unsaid > 0 ? { others: this.#unsaid } : {};
    this.#unsaid = 0;
    this.#log.warn({ ...facts, ...others }, "closed the connection of a WebSocket client");
  }
}
