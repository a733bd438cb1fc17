import type { ENR } from "@chainsafe/enr";
import { Bootnode } from "../../../src/p2p/discovery/bootnode.ts";
import { NodeDiscovery, type NodeDiscoveryOptions } from "../../../src/p2p/discovery/node-discovery.ts";
import { OwnRecord } from "../../../src/p2p/discovery/own-record.ts";
import { parseRecord } from "../../../src/p2p/discovery/record-rules.ts";
import { generatePeerIdentity, type PeerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { bootnodeVersion, componentVersion } from "../../../src/protocol/consensus/component-version.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { freePort } from "../../support/free-port.ts";

export const VERSION = componentVersion(
  { l1ChainId: 1, rollupAddress: `0x${"ab".repeat(20)}`, rollupVersion: 7 },
  V4.contracts,
);

export interface NodeSettings extends Partial<Omit<NodeDiscoveryOptions, "bootnodes" | "trusted">> {
  version?: string;
  /** Loopback address to bind and announce. */
  address?: string;
  /** Announce no address. */
  hidden?: boolean;
  bootnodes?: readonly string[];
  trusted?: readonly string[];
}

const parsed = (records: readonly string[] = []): ENR[] => records.map((text) => parseRecord(text, "record"));

/** Discovery of a node on loopback, not started. */
export async function discoveryNode(settings: NodeSettings = {}): Promise<NodeDiscovery & { identity: PeerIdentity }> {
  const { version = VERSION, address = "127.0.0.1", hidden = false, bootnodes, trusted, ...rest } = settings;
  const identity = settings.identity ?? generatePeerIdentity();
  const port = await freePort();
  const content = { version, release: "4.1.2", ip: hidden ? undefined : address, udp: port, tcp: port };
  const discovery = new NodeDiscovery({
    identity,
    record: new OwnRecord({ identity, content, file: undefined, first: 7n }),
    listen: { address, port },
    announcePort: port,
    learnAddress: hidden,
    checkBootnodes: false,
    bootnodesAsPeers: false,
    log: silentLogger,
    ...rest,
    bootnodes: parsed(bootnodes),
    trusted: parsed(trusted),
  });
  return Object.assign(discovery, { identity });
}

/** A bootnode on loopback, not started. */
export async function bootnode({
  address = "127.0.0.1",
  bootnodes = [] as readonly string[],
  countPrivate = false,
} = {}): Promise<Bootnode> {
  const identity = generatePeerIdentity();
  const port = await freePort();
  const content = {
    version: bootnodeVersion(1, V4.contracts),
    release: undefined,
    ip: address,
    udp: port,
    tcp: undefined,
  };
  return new Bootnode({
    identity,
    record: new OwnRecord({ identity, content, file: undefined, first: 4n }),
    listen: { address, port },
    bootnodes: parsed(bootnodes),
    countPrivate,
    log: silentLogger,
  });
}

/** Ids of the peers that a discovery reports from now on. */
export function heardOf(discovery: Pick<NodeDiscovery, "onPeer">): Set<string> {
  const ids = new Set<string>();
  discovery.onPeer(({ id }) => void ids.add(id));
  return ids;
}
