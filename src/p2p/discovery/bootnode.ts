import type { Discv5 } from "@chainsafe/discv5";
import type { ENR } from "@chainsafe/enr";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerIdentity } from "../identity/peer-identity.ts";
import { guardedDiscv5 } from "./guarded-discv5.ts";
import { versionOf } from "./node-record.ts";
import type { OwnRecord } from "./own-record.ts";

/** About half a processor's time. A bootnode that comes back is asked by all nodes of its network. */
const HANDSHAKES_PER_SECOND = 50;

interface BootnodeOptions {
  identity: PeerIdentity;
  record: OwnRecord;
  /** IPv4 address and UDP port to bind. */
  listen: { address: string; port: number };
  /** Other bootnodes. */
  bootnodes: readonly ENR[];
  countPrivate?: boolean;
  log: Logger;
}

/** A node that only introduces nodes to one another (docs/protocol/10-peers.md#105-bootnode). */
export class Bootnode {
  readonly #options: BootnodeOptions;
  readonly #discv5: Discv5;

  constructor(options: BootnodeOptions) {
    const { identity, record, listen, countPrivate, log } = options;
    this.#options = options;
    this.#discv5 = guardedDiscv5({
      ...{ identity, record: record.signable, listen, countPrivate, log },
      learnAddress: false,
      handshakesPerSecond: HANDSHAKES_PER_SECOND,
      // Of any version: nodes compare it themselves. Nodes of other networks that use discv5 name none.
      admits: (found) => versionOf(found) !== undefined,
      onRecord: (found) => log.debug({ enr: found.encodeTxt() }, "discovered node {enr}"),
    }).discv5;
  }

  /** Text of the node record. */
  get enr(): string {
    return this.#options.record.text;
  }

  /** Texts of the records in the routing table. */
  get routingTable(): string[] {
    return this.#discv5.kadValues().map((record) => record.encodeTxt());
  }

  /** Rejects with a DiscoveryListenError. */
  async start(): Promise<void> {
    const { bootnodes, record } = this.#options;
    await this.#discv5.start();
    for (const other of bootnodes) if (other.nodeId !== record.signable.nodeId) this.#discv5.addEnr(other);
  }

  async stop(): Promise<void> {
    if (this.#discv5.isStarted()) await this.#discv5.stop();
  }
}
