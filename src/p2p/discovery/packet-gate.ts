import { BucketMap, type Rate, RateLimit } from "../../events/rate-limit.ts";
import { dropOldest } from "../../storage/drop-oldest.ts";

/** Addresses and sources that are remembered. */
const MAX_ADDRESSES = 4096;
/** A node that was asked is known for this long. Members of the routing table are asked every 5 minutes. */
const KNOWN_MS = 600_000;
/** A request is answered, retries included, within this time. */
const ANSWER_MS = 15_000;
/** Packets that answer one request: a WHOAREYOU, or up to 5 NODES (docs/protocol/10-peers.md#104-discovery). */
const ANSWERS = 6;
/** Pings and lookups are shorter; only answers to this node's requests and handshakes are longer. */
const MAX_REQUEST_BYTES = 200;

/** Packets of one IP address. */
const SOURCE = { perSecond: 50, burst: 100 };
/** Packets of all addresses. */
const TOTAL = { perSecond: 1000, burst: 2000 };
/** Handshakes of one IP address. */
const SOURCE_HANDSHAKES = { perSecond: 5, burst: 20 };
/** Handshakes at once, in seconds of their rate. */
const HANDSHAKE_BURST_S = 4;

interface PacketGateOptions {
  /** Handshakes of all strangers together, and of all known nodes. Each takes some 10 ms: signatures, key agreement. */
  handshakesPerSecond: number;
  /** Milliseconds of a clock. */
  now?: () => number;
}

/** Limits each IP address, all strangers together, and all known nodes together. */
class Limits {
  readonly #buckets = new BucketMap(MAX_ADDRESSES);
  readonly #source: RateLimit;
  readonly #known: RateLimit;
  readonly #strangers: RateLimit;

  constructor(source: Rate, total: Rate, now: () => number) {
    this.#source = new RateLimit(source, this.#buckets, now);
    this.#known = new RateLimit(total, undefined, now);
    this.#strangers = new RateLimit(total, undefined, now);
  }

  get sources(): number {
    return this.#buckets.size;
  }

  take(ip: string, isKnown: boolean): boolean {
    return this.#source.take(ip) && (isKnown ? this.#known : this.#strangers).take();
  }
}

interface Asked {
  at: number;
  /** Long packets that it may still send. */
  answers: number;
}

/**
 * Decides which packets of discovery are looked at, before they cost anything. Nodes that this node asked something
 * have shares of their own: however many strangers send, real ones or with forged addresses, the nodes of the routing
 * table are heard. Memory is bounded.
 */
export class PacketGate {
  readonly #asked = new Map<string, Asked>();
  readonly #packets: Limits;
  readonly #handshakes: Limits;
  readonly #now: () => number;

  constructor({ handshakesPerSecond: perSecond, now = () => performance.now() }: PacketGateOptions) {
    this.#now = now;
    this.#packets = new Limits(SOURCE, TOTAL, now);
    this.#handshakes = new Limits(SOURCE_HANDSHAKES, { perSecond, burst: perSecond * HANDSHAKE_BURST_S }, now);
  }

  /** Number of remembered addresses and sources. */
  get size(): number {
    return this.#asked.size + this.#packets.sources + this.#handshakes.sources;
  }

  /** This node sends a request to an address (ip:port). */
  asks(address: string): void {
    this.#asked.delete(address);
    this.#asked.set(address, { at: this.#now(), answers: ANSWERS });
    dropOldest(this.#asked, MAX_ADDRESSES);
  }

  /** Whether this node asked the address lately. */
  knows(address: string): boolean {
    const asked = this.#asked.get(address);
    return asked !== undefined && this.#now() - asked.at <= KNOWN_MS;
  }

  /** Whether to decode a packet. */
  admits(ip: string, address: string): boolean {
    return this.#packets.take(ip, this.knows(address));
  }

  /** Whether to process a decoded handshake. */
  admitsHandshake(ip: string, address: string): boolean {
    return this.#handshakes.take(ip, this.knows(address));
  }

  /**
   * Whether to process a decoded message of a length. A long one may carry records, each of which takes a verification;
   * it is processed only as the answer to a request.
   */
  admitsMessage(address: string, length: number): boolean {
    if (length <= MAX_REQUEST_BYTES) return true;
    const asked = this.#asked.get(address);
    if (asked === undefined || asked.answers === 0 || this.#now() - asked.at > ANSWER_MS) return false;
    asked.answers -= 1;
    return true;
  }
}
