import type { Logger } from "../../telemetry/logger.ts";

type Protocol = "TCP" | "UDP";

interface ReachabilityOptions {
  /** Announced address; undefined if none is configured. */
  ip: string | undefined;
  /** Announced port, of both protocols. */
  port: number;
  /** Number of nodes of discovery that answered; undefined without discovery. */
  known: () => number | undefined;
  log: Logger;
  /** Time from the start to the first look. */
  firstMs?: number;
  /** Time between further looks while something is amiss. */
  everyMs?: number;
}

const FIRST_MS = 5 * 60_000;
const EVERY_MS = 60 * 60_000;

/**
 * Tells the operator when other nodes cannot reach this one: by UDP when no packet comes from an address that was not
 * asked, by TCP when no connection comes in. Such a node works with the peers that it dials itself, and burdens a
 * network of nodes like it.
 */
export class Reachability {
  readonly #options: ReachabilityOptions;
  readonly #missing = new Set<Protocol>(["UDP", "TCP"]);
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #warned = false;

  constructor(options: ReachabilityOptions) {
    this.#options = options;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#later(this.#options.firstMs ?? FIRST_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** A node that was not asked sent a packet, or connected. Cheap to call for each. */
  reached(protocol: Protocol): void {
    if (!this.#missing.delete(protocol)) return;
    if (this.#missing.size === 0) this.stop();
    if (this.#warned) this.#options.log.info({ protocol }, "other nodes reach this one by {protocol} now");
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#look();
      if (this.#missing.size > 0) this.#later(this.#options.everyMs ?? EVERY_MS);
    }, ms);
    this.#timer.unref();
  }

  #look(): void {
    const { ip, port, known, log } = this.#options;
    const nodes = known();
    // Without discovery no packet can come.
    if (nodes === undefined) this.reached("UDP");
    if (this.#missing.size === 0) return;
    this.#warned = true;
    const minutes = Math.round((performance.now() - this.#startedAt) / 60_000);
    if (nodes === 0) {
      log.warn(
        { minutes, port },
        "no other node is known after {minutes} min: check BOOTSTRAP_NODES, and that UDP packets may leave this machine and be answered to port {port}",
      );
      return;
    }
    const protocols = [...this.#missing].join(" and ");
    const address =
      ip === undefined
        ? "set P2P_IP to its public address or P2P_QUERY_FOR_IP to true"
        : `check that P2P_IP, ${ip}, is its public address`;
    log.warn(
      { minutes, protocols, port },
      `no other node has reached this one by {protocols} in {minutes} min; it has only the peers that it dials. Open {protocols} port {port} in the firewall, forward it to this machine where there is NAT, and ${address}`,
    );
  }
}
