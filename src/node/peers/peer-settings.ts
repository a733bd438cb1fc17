import type { Values } from "../../config/options.ts";
import { NodeRecordError } from "../../p2p/discovery/errors.ts";
import { parseRecord, peerOf } from "../../p2p/discovery/record-rules.ts";
import { TOPICS } from "../../p2p/gossip/publisher.ts";
import type { PeerIdentity } from "../../p2p/identity/peer-identity.ts";
import type { PeerNodeSettings } from "../../p2p/peer-node.ts";
import type { ListedPeers } from "../../p2p/peers/protected-peers.ts";
import type { L1Constants } from "../../protocol/time.ts";

export type PeerSettings = Pick<
  Values,
  | "blockDurationMs"
  | "debugDisableColocationPenalty"
  | "debugP2PInstrumentMessages"
  | "dialTimeoutMs"
  | "disableTransactions"
  | "expectedBlockProposalsPerSlot"
  | "gossipsubD"
  | "gossipsubDLazy"
  | "gossipsubDhi"
  | "gossipsubDlo"
  | "gossipsubFloodPublish"
  | "gossipsubInterval"
  | "gossipsubMcacheGossip"
  | "gossipsubMcacheLength"
  | "gossipsubSeenTTL"
  | "individualRequestTimeoutMs"
  | "listenAddress"
  | "maxPeerCount"
  | "p2pPort"
  | "peerCheckIntervalMS"
  | "peerPenaltyValues"
  | "preferredPeers"
  | "privatePeers"
  | "seenMessageCacheSize"
  | "trustedPeers"
>;

/** Throws a NodeRecordError for a listed peer that cannot be dialled. */
export function listedPeers({
  trustedPeers,
  privatePeers,
  preferredPeers,
}: Pick<PeerSettings, "trustedPeers" | "privatePeers" | "preferredPeers">): ListedPeers {
  const read = (texts: readonly string[], option: string) =>
    texts.map((text, i) => peerOf(parseRecord(text, `${option} item ${i + 1}`)));
  const preferred = read(preferredPeers, "preferredPeers");
  const silent = preferred.findIndex(({ address }) => address === undefined);
  if (silent >= 0) throw new NodeRecordError(`preferredPeers item ${silent + 1}`, "must have a TCP address");
  return { trusted: read(trustedPeers, "trustedPeers"), private: read(privatePeers, "privatePeers"), preferred };
}

export interface PeerSettingsParts {
  identity: PeerIdentity;
  version: string;
  /** The announced IPv4 address, if one is known. */
  ip: string | undefined;
  release: string;
  constants: Pick<L1Constants, "slotDuration" | "targetCommitteeSize">;
}

/** The settings of the peer node by the options. */
export function peerNodeSettings(
  values: PeerSettings,
  { identity, version, ip, release, constants }: PeerSettingsParts,
): PeerNodeSettings {
  const heartbeatMs = values.gossipsubInterval;
  return {
    identity,
    version,
    listen: { address: values.listenAddress, port: values.p2pPort },
    announce: ip === undefined ? undefined : { ip, port: values.p2pPort },
    userAgent: `svc/${release}`,
    maxPeers: values.maxPeerCount,
    heartbeatMs: values.peerCheckIntervalMS,
    penalties: values.peerPenaltyValues,
    mesh: {
      heartbeatMs,
      D: values.gossipsubD,
      Dlo: values.gossipsubDlo,
      Dhi: values.gossipsubDhi,
      Dlazy: values.gossipsubDLazy,
      floodPublish: values.gossipsubFloodPublish,
      mcacheLength: values.gossipsubMcacheLength,
      mcacheGossip: values.gossipsubMcacheGossip,
      seenTtlMs: values.gossipsubSeenTTL,
    },
    network: {
      slotDurationMs: constants.slotDuration * 1000,
      heartbeatMs,
      committeeSize: constants.targetCommitteeSize,
      blockDurationMs: values.blockDurationMs,
      blockProposalsPerSlot: values.expectedBlockProposalsPerSlot,
    },
    topics: TOPICS.filter((topic) => topic !== "tx" || !values.disableTransactions),
    seenMessages: values.seenMessageCacheSize,
    limitPerAddress: !values.debugDisableColocationPenalty,
    requestTimeouts: { dialMs: values.dialTimeoutMs, requestMs: values.individualRequestTimeoutMs },
    instrumented: values.debugP2PInstrumentMessages,
    listed: listedPeers(values),
  };
}
