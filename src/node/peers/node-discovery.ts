import type { PartValues } from "../../config/part-values.ts";
import { NETWORK_RELEASE } from "../../network/network-release.ts";
import { NodeDiscovery } from "../../p2p/discovery/node-discovery.ts";
import { firstSequence, OwnRecord } from "../../p2p/discovery/own-record.ts";
import { Reachability } from "../../p2p/discovery/reachability.ts";
import { usableRecords } from "../../p2p/discovery/record-rules.ts";
import type { PeerIdentity } from "../../p2p/identity/peer-identity.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { recordFile } from "./own-identity.ts";

interface ConfiguredDiscoveryOptions {
  identity: PeerIdentity;
  version: string;
  /** The address to announce; undefined: learnt from peers. */
  ip: string | undefined;
  /** Undefined for a temporary one. */
  dataDirectory: string | undefined;
  log: Logger;
}

export interface ConfiguredDiscovery {
  record: OwnRecord;
  /** Undefined if disabled. Not started. */
  discovery: NodeDiscovery | undefined;
  /** Not started. The caller reports inbound connections to it. */
  reachability: Reachability;
}

/** The node's record, and the discovery of others unless it is disabled. Throws a NodeRecordError. */
export function configuredDiscovery(
  values: PartValues["p2p"],
  { identity, version, ip, dataDirectory, log }: ConfiguredDiscoveryOptions,
): ConfiguredDiscovery {
  const announcePort = values.own.broadcastPort ?? values.own.port;
  const record = new OwnRecord({
    identity,
    content: { version, release: NETWORK_RELEASE, ip, udp: announcePort, tcp: announcePort },
    file: recordFile(dataDirectory, log),
    first: firstSequence(),
  });
  const discovery = values.discovery.disabled ? undefined : nodeDiscovery(values, { identity, ip, log }, record);
  const reachability = new Reachability({ ip, port: announcePort, known: () => discovery?.answering, log });
  discovery?.onStranger(() => reachability.reached("UDP"));
  return { record, discovery, reachability };
}

function nodeDiscovery(
  { own, discovery, listed }: PartValues["p2p"],
  { identity, ip, log }: Pick<ConfiguredDiscoveryOptions, "identity" | "ip" | "log">,
  record: OwnRecord,
): NodeDiscovery {
  const privatePeers = new Set(listed.private);
  const trusted = listed.trusted.filter((text) => !privatePeers.has(text));
  return new NodeDiscovery({
    ...{ identity, record, log },
    listen: { address: own.address, port: own.port },
    announcePort: own.broadcastPort ?? own.port,
    learnAddress: ip === undefined,
    bootnodes: usableRecords(discovery.bootnodes, "bootstrapNodes", log),
    checkBootnodes: discovery.checkBootnodes,
    bootnodesAsPeers: discovery.bootnodesAsPeers,
    trusted: usableRecords(trusted, "trustedPeers", log),
  });
}
