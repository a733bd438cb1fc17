import type { MultiaddrConnection } from "@libp2p/interface";

/** Inbound connections whose handshake is not complete: in all, and from one IP address. */
interface HalfOpenLimits {
  overall: number;
  perAddress: number;
}

/** A TCP connection of libp2p's transport, which has its socket. */
interface OverSocket {
  socket?: { bytesRead: number };
}

/**
 * Inbound connections whose handshake is not complete. When there are too many, the oldest is ended that has sent
 * nothing, or else the oldest: an honest peer sends at once and completes the handshake in a fraction of a second, so
 * that connections which stop in the middle do not keep it out.
 */
export class HalfOpenConnections {
  readonly #limits: HalfOpenLimits;
  /** The IP address of each, oldest first. */
  readonly #open = new Map<MultiaddrConnection, string>();

  constructor(limits: HalfOpenLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** False if the address has too many. */
  enter(connection: MultiaddrConnection, ip: string): boolean {
    let same = 0;
    for (const other of this.#open.values()) if (other === ip) same++;
    if (same >= this.#limits.perAddress) return false;
    this.#open.set(connection, ip);
    connection.addEventListener("close", () => this.leave(connection), { once: true });
    if (this.#open.size > this.#limits.overall) this.#endOldest();
    return true;
  }

  /** The handshake is complete, or the connection is closed. */
  leave(connection: MultiaddrConnection): void {
    this.#open.delete(connection);
  }

  #endOldest(): void {
    const all = [...this.#open.keys()];
    // The newest has had no time to send.
    const silent = all.slice(0, -1).find((connection) => (connection as OverSocket).socket?.bytesRead === 0);
    const ended = silent ?? all[0];
    this.#open.delete(ended);
    ended.abort(new Error("too many handshakes are incomplete"));
  }
}
