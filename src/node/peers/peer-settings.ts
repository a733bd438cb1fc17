import type { PartValues } from "../../config/part-values.ts";
import { NodeRecordError } from "../../p2p/discovery/errors.ts";
import { parseRecord, peerOf } from "../../p2p/discovery/record-rules.ts";
import { TOPICS } from "../../p2p/gossip/publisher.ts";
import type { PeerIdentity } from "../../p2p/identity/peer-identity.ts";
import type { PeerNodeSettings } from "../../p2p/peer-node.ts";
import type { ListedPeers } from "../../p2p/peers/protected-peers.ts";
import type { L1Constants } from "../../protocol/time.ts";

/** Throws a NodeRecordError for a listed peer that cannot be dialled. */
export function listedPeers(values: PartValues["p2p"]["listed"]): ListedPeers {
  const read = (texts: readonly string[], option: string) =>
    texts.map((text, i) => peerOf(parseRecord(text, `${option} item ${i + 1}`)));
  const preferred = read(values.preferred, "preferredPeers");
  const silent = preferred.findIndex(({ address }) => address === undefined);
  if (silent >= 0) throw new NodeRecordError(`preferredPeers item ${silent + 1}`, "must have a TCP address");
  return { trusted: read(values.trusted, "trustedPeers"), private: read(values.private, "privatePeers"), preferred };
}

interface PeerNodeParts {
  identity: PeerIdentity;
  version: string;
  /** The announced IPv4 address, if one is known. */
  ip: string | undefined;
  release: string;
  constants: Pick<L1Constants, "slotDuration" | "targetCommitteeSize">;
}

/** The settings of the peer node by the options. */
export function peerNodeSettings(
  { p2p, sequencer, checks }: Pick<PartValues, "p2p" | "sequencer" | "checks">,
  { identity, version, ip, release, constants }: PeerNodeParts,
): PeerNodeSettings {
  return {
    identity,
    version,
    listen: { address: p2p.own.address, port: p2p.own.port },
    announce: ip === undefined ? undefined : { ip, port: p2p.own.port },
    userAgent: `svc/${release}`,
    ...p2p.peers,
    mesh: p2p.mesh,
    network: {
      slotDurationMs: constants.slotDuration * 1000,
      heartbeatMs: p2p.mesh.heartbeatMs,
      committeeSize: constants.targetCommitteeSize,
      blockDurationMs: sequencer.blockDurationMs,
      blockProposalsPerSlot: p2p.topics.blockProposalsPerSlot,
    },
    topics: TOPICS.filter((topic) => topic !== "tx" || checks.permitted),
    requestTimeouts: p2p.requestTimeouts,
    listed: listedPeers(p2p.listed),
  };
}
