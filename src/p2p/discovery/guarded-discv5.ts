import type { EventEmitter } from "node:events";
import { Discv5, type IDiscv5CreateOptions, type ITransportService, log2Distance } from "@chainsafe/discv5";
import type { ENR, NodeId, SignableENR } from "@chainsafe/enr";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerIdentity } from "../identity/peer-identity.ts";
import { guardDiscv5 } from "../patches/discv5.ts";
import { rememberValidSignatures } from "../patches/enr.ts";
import { PacketGate } from "./packet-gate.ts";
import { handedOn, isSound, mayBeRelayed } from "./record-rules.ts";
import { TableShares, type TableSharesOptions } from "./table-shares.ts";
import { UdpTransport } from "./udp-transport.ts";

/** docs/protocol/10-peers.md#104-discovery. */
const SETTINGS = { lookupTimeout: 2000, requestTimeout: 2000, allowUnverifiedSessions: true } as const;

interface GuardedDiscv5Options extends TableSharesOptions {
  identity: PeerIdentity;
  record: SignableENR;
  /** IPv4 address and port to bind. */
  listen: { address: string; port: number };
  /** Whether the record's address follows what most peers see. */
  learnAddress: boolean;
  /** See PacketGate. */
  handshakesPerSecond: number;
  /** Whether the routing table may hold a record, by its version. */
  admits: (record: ENR) => boolean;
  /** A sound record of a lookup, or a new one in the routing table. */
  onRecord: (record: ENR) => void;
  /** The node's record changed its address to a learnt one. */
  onAddress?: () => void;
  log: Logger;
}

/**
 * The discovery library behind checks of its own (docs/protocol/10-peers.md#104-discovery): the routing table takes
 * sound records of an admitted version, within shares per network, and a lookup takes sound ones.
 */
export function guardedDiscv5(options: GuardedDiscv5Options): { discv5: Discv5; transport: UdpTransport } {
  const { identity, record, listen, learnAddress, admits, onRecord, onAddress, log } = options;
  rememberValidSignatures();
  const gate = new PacketGate({ handshakesPerSecond: options.handshakesPerSecond });
  const transport = new UdpTransport({ ...listen, nodeId: record.nodeId, gate, log });
  const discv5 = Discv5.create({
    enr: record,
    // The library is typed for an older interface of the same keys.
    privateKey: identity.privateKey as unknown as IDiscv5CreateOptions["privateKey"],
    bindAddrs: { ip4: transport.bindAddrs[0] as never },
    transport: transport as ITransportService,
    config: { ...SETTINGS, enrUpdate: learnAddress },
  });
  const shares = new TableShares(options);
  const bucketOf = (id: NodeId): number => log2Distance(record.nodeId, id);

  guardDiscv5(
    discv5,
    {
      asks: (address) => transport.gate.asks(address),
      admissible: (given) => (isSound(given) && admits(given) ? handedOn(given) : undefined),
      hasRoom: (entry) => shares.admits(entry, discv5.kadValues(), bucketOf),
      mayBeTold: (found, by) => isSound(found) && mayBeRelayed(found, by),
    },
    log,
  );
  const events = discv5 as unknown as EventEmitter;
  events.on("discovered", onRecord);
  events.on("enrAdded", onRecord);
  events.on("multiaddrUpdated", () => onAddress?.());
  return { discv5, transport };
}
