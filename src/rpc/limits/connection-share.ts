import { createReadStream } from "node:fs";
import { clientNetwork } from "./client-address.ts";

/** Time between two counts while connections are opened. */
const COUNT_EVERY_MS = 200;
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
/**
 * Number, local address and port, address of the other end, state: 01 is established, 08 closed by the other end only.
 */
const ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} (?:01|08) /gm;

interface ConnectionShareOptions {
  /** Connections of one client address at once. */
  most: number;
  /** Of the listener, once it listens. */
  port(): number;
  /**
   * Connections by client network; by default what the system has for the port. Rejects where the system has no such
   * table.
   */
  count?: (port: number) => Promise<Map<string, number>>;
}

/**
 * Bounds the connections of one client address. uWebSockets.js reports that a connection ended, but not whose, so
 * what is open is counted from the system's table of connections (Linux); until the next count, those opened since are
 * added to that and none taken off.
 */
export class ConnectionShare {
  readonly #options: Required<ConnectionShareOptions>;
  #counted = new Map<string, number>();
  /** Opened before the running count began, and since the last one began. */
  #uncounted = new Map<string, number>();
  #opened = new Map<string, number>();
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting = false;

  constructor(options: ConnectionShareOptions) {
    this.#options = { count: countConnections, ...options };
  }

  /** Notes a new connection. Whether its client may have it; `total` is how many are open of all clients. */
  admits(address: string, total: number): boolean {
    const { most } = this.#options;
    if (total <= most / 2) {
      // Below half the limit no client can be over its share.
      this.#opened.clear();
      return true;
    }
    const client = clientNetwork(address);
    const opened = (this.#opened.get(client) ?? 0) + 1;
    this.#opened.set(client, opened);
    this.#count();
    const earlier = (this.#counted.get(client) ?? 0) + (this.#uncounted.get(client) ?? 0);
    return total <= most || earlier + opened <= most;
  }

  #count(): void {
    if (this.#counting || performance.now() - this.#countedAt < COUNT_EVERY_MS) return;
    this.#counting = true;
    this.#uncounted = this.#opened;
    this.#opened = new Map();
    const { count, port } = this.#options;
    count(port())
      // Without a count no client is refused.
      .catch(() => {
        this.#opened.clear();
        return new Map<string, number>();
      })
      .then((counted) => {
        this.#counted = counted;
        this.#uncounted = new Map();
        this.#counting = false;
        this.#countedAt = performance.now();
      });
  }
}

/** Connections to a local port by client network, read in pieces so that a long table holds nothing up. */
async function countConnections(port: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  let readable = 0;
  for (const table of TABLES) {
    let rest = "";
    try {
      for await (const chunk of createReadStream(table, "latin1")) {
        const text = rest + chunk;
        const end = text.lastIndexOf("\n") + 1;
        rest = text.slice(end);
        for (const [, local, remote] of text.slice(0, end).matchAll(ROW)) {
          if (local !== wanted) continue;
          const client = clientNetwork(addressText(remote));
          counts.set(client, (counts.get(client) ?? 0) + 1);
        }
      }
      readable += 1;
    } catch {
      // A system without IPv6 has one table only.
    }
  }
  if (readable === 0) throw new RangeError("the system's connections cannot be counted");
  return counts;
}

/** The table has addresses as words of four bytes in the machine's order. */
function addressText(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  bytes.swap32();
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(":");
}
