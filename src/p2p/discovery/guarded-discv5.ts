import type { EventEmitter } from "node:events";
import {
  type ConnectionDirection,
  Discv5,
  type IDiscv5CreateOptions,
  type ITransportService,
  log2Distance,
} from "@chainsafe/discv5";
import type { ENR, NodeId, SignableENR } from "@chainsafe/enr";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerIdentity } from "../identity/peer-identity.ts";
import { PacketGate } from "./packet-gate.ts";
import { rememberValidSignatures } from "./record-crypto.ts";
import { handedOn, isSound, mayBeRelayed } from "./record-rules.ts";
import { TableShares, type TableSharesOptions } from "./table-shares.ts";
import { UdpTransport } from "./udp-transport.ts";

/** docs/protocol/10-peers.md#104-discovery. */
const SETTINGS = { lookupTimeout: 2000, requestTimeout: 2000, allowUnverifiedSessions: true } as const;

export interface GuardedDiscv5Options extends TableSharesOptions {
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
 * Members of Discv5 11.0.0 that are private in its types and called through the instance, so that they can be replaced
 * before the start.
 */
interface Internals {
  onEstablished(node: unknown, record: ENR, direction: ConnectionDirection, verified: boolean): void;
  discovered(source: NodeId, records: ENR[], lookup: number | undefined): void;
  rpcFailure(...args: unknown[]): void;
  kbuckets: { removeById(id: NodeId): unknown };
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

  const { sessionService } = discv5;
  const sendRequest = sessionService.sendRequest.bind(sessionService);
  sessionService.sendRequest = (contact, request) => {
    const { host, port } = contact.nodeAddress.socketAddr.toOptions();
    transport.gate.asks(`${host}:${port}`);
    sendRequest(contact, request);
  };

  const internals = discv5 as unknown as Internals;
  const { onEstablished, rpcFailure } = internals;
  const discovered = internals.discovered.bind(discv5);

  /** The record as the table may have it; a member that became inadmissible leaves the table. */
  const admissible = (given: ENR): ENR | undefined => {
    const entry = isSound(given) && admits(given) ? handedOn(given) : undefined;
    const member = discv5.getKadValue(given.nodeId);
    if (entry === undefined && member !== undefined && member.seq < given.seq) {
      internals.kbuckets.removeById(given.nodeId);
    }
    return entry;
  };

  internals.onEstablished = (node, given, direction, verified) => {
    const entry = admissible(given);
    if (entry === undefined) return;
    const known = discv5.getKadValue(entry.nodeId) !== undefined;
    if (known || shares.admits(entry, discv5.kadValues(), bucketOf)) onEstablished(node, entry, direction, verified);
  };

  internals.discovered = (source, records, lookup) => {
    const by = discv5.findEnr(source);
    const usable = records.flatMap((found) => {
      // The library has no bucket for the node itself and throws when asked for one.
      if (found.nodeId === record.nodeId || !isSound(found) || !mayBeRelayed(found, by)) return [];
      // A member's newer record would replace the one in the table.
      return discv5.getKadValue(found.nodeId) === undefined ? found : (admissible(found) ?? []);
    });
    discovered(source, usable, lookup);
  };

  // Called by timers too, where an error would end the process.
  internals.rpcFailure = (...args) => {
    try {
      rpcFailure(...args);
    } catch (error) {
      log.debug({ reason: String(error) }, "a failed discovery request could not be handled: {reason}");
    }
  };

  const events = discv5 as unknown as EventEmitter;
  events.on("discovered", onRecord);
  events.on("enrAdded", onRecord);
  events.on("multiaddrUpdated", () => onAddress?.());
  return { discv5, transport };
}
