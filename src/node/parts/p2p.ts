import type { PartValues } from "../../config/part-values.ts";
import { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import { Equivocations } from "../../mempool/attestations/equivocations.ts";
import { observeAttestations } from "../../mempool/metrics.ts";
import { NETWORK_RELEASE } from "../../network/network-release.ts";
import { observePeers } from "../../p2p/metrics.ts";
import { createPeerNode, type PeerNode, type PeerNodeSettings } from "../../p2p/peer-node.ts";
import { type ListedPeers, ProtectedPeers } from "../../p2p/peers/protected-peers.ts";
import { ConsensusEvents } from "../../p2p/proposals/consensus-events.ts";
import type { StatusMessage } from "../../p2p/reqresp/codecs/status-message.ts";
import { authHandler } from "../../p2p/reqresp/handlers/auth.ts";
import { blockHandler } from "../../p2p/reqresp/handlers/block.ts";
import { blockTxsHandler } from "../../p2p/reqresp/handlers/block-txs.ts";
import { chainBlocks, chainStatus } from "../../p2p/reqresp/handlers/chain-blocks.ts";
import { txHandler } from "../../p2p/reqresp/handlers/tx.ts";
import type { RequestHandlers } from "../../p2p/reqresp/request-handler.ts";
import type { MinedTxs } from "../../p2p/tx-collection/mined-txs.ts";
import { Teardown } from "../../process/teardown.ts";
import { headerSlotNumber } from "../../protocol/block-header.ts";
import { componentVersion } from "../../protocol/consensus/component-version.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { PeerReport } from "../../rpc/admin/ports/node-reports.ts";
import type { PeerNetwork } from "../../rpc/ports/peer-network.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import type { HealthProbe } from "../../telemetry/health.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import { messageRollup } from "../context/message-rollup.ts";
import { admission, checkAdmission } from "../peers/admission.ts";
import { collectedTxs } from "../peers/collected-txs.ts";
import { gossipTopics } from "../peers/gossip-topics.ts";
import { type ConfiguredDiscovery, configuredDiscovery } from "../peers/node-discovery.ts";
import { announcedIp, checkIdentity, configuredIdentity } from "../peers/own-identity.ts";
import { listedPeers, peerNodeSettings } from "../peers/peer-settings.ts";
import type { ConfigurablePart } from "../services/live-config.ts";
import { peerAnswers } from "../services/peer-answers.ts";
import { peerHealth } from "../services/peer-health.ts";
import { peerReports } from "../services/peer-reports.ts";
import type { LivePeerSettings } from "../settings/live-peer-settings.ts";
import type { CommitteeNetwork } from "./validator.ts";

export interface P2pOptions {
  values: PartValues;
  /** Undefined for a temporary one. */
  dataDirectory: string | undefined;
  mempool: MempoolPart;
  /** Whether peers that list this node may have it sign challenges: it has a validator. */
  authenticates: boolean;
  dutyTimes: Pick<DutyTimes, "done">;
  signal: AbortSignal;
}

/** The node among its peers. */
export interface P2pPart {
  readonly node: PeerNode;
  readonly answers: PeerNetwork;
  /** For a validator. */
  readonly network: CommitteeNetwork;
  readonly attestations: AttestationPool;
  readonly committees: SlotCommittees;
  /** Finds transactions of mined blocks. */
  readonly minedTxs: MinedTxs;
  /** Settings that can change at run time. */
  readonly live: ConfigurablePart<LivePeerSettings>;
  /** The connected peers. */
  reports(): PeerReport[];
  /** Whether the node is connected to a peer. */
  ready(): boolean;
  readonly health: HealthProbe;
  /** Rejects if a port is taken; then all is stopped. Ends early when `stop` is called. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Checks settings that need nothing that runs, so that a mistake is named at once. Throws a ConfigurationError or
 * NodeRecordError.
 */
export function checkP2p(values: PartValues): void {
  checkAdmission(values.p2p.admission);
  listedPeers(values.p2p.listed);
  checkIdentity(values.p2p.own, values.storage.directory);
}

/**
 * Creates the node's P2P services without starting them. If this fails, all started services are stopped. Rejects with
 * a ConfigurationError, PeerKeyError, NodeRecordError or PublicAddressError.
 */
export async function createP2p(context: ChainContext, options: P2pOptions): Promise<P2pPart> {
  const { chain, reader, synchronizer, clock, metrics, loggerFor } = context;
  const { mempool } = options;
  const logger = loggerFor("p2p");
  const teardown = new Teardown(logger);
  try {
    const { constants } = reader.identity;
    const own = await ownPeer(context, options);
    const read = (epoch: number) => reader.committee(epoch);
    const rollup = messageRollup(context);
    const committees = new SlotCommittees({ read, constants, now: clock.now, logger });
    const pool = new AttestationPool(mempool.store, rollup, logger);
    teardown.add("attestation pool", () => pool.close());
    const unfollow = synchronizer.on("finalized", ({ blockNumber }) => {
      const block = chain.block(blockNumber);
      if (block !== undefined) pool.removeBefore(headerSlotNumber(block.header));
    });
    teardown.add("retention of attestations", unfollow);
    const consensus = {
      ...{ pool, committees, rollup, recover: await signerRecovery() },
      ...{ equivocations: new Equivocations(logger), events: new ConsensusEvents() },
    };
    const live: LivePeerSettings = { ...options.values.p2p, skipProposals: false };
    const { node, stop } = await peerNode(context, options, { ...own, consensus, live });
    teardown.add("processing of messages", stop);
    observePeers(metrics, node);
    observeAttestations(metrics, pool);
    teardown.add(
      "publishing of submitted txs",
      mempool.onSubmitted((bytes) => node.publisher.publish("tx", bytes)),
    );
    teardown.add("committees", () => committees.stop());
    teardown.add("peers", () => node.stop());
    const { record, reachability } = own.discovery;
    node.host.addEventListener("connection:open", ({ detail }) => {
      if (detail.direction === "inbound") reachability.reached("TCP");
    });
    teardown.add("reachability", () => reachability.stop());
    const { minPeers } = options.values.p2p.health;
    const connected = (): number => node.peers.peers().length;
    const ready = (): boolean => connected() > 0;
    return {
      ...{ node, attestations: pool, committees, ready },
      answers: peerAnswers({ node, enr: () => record.text, attestations: pool }),
      network: { ...consensus, publisher: node.publisher },
      minedTxs: node.services.collection.mined,
      live: { configure: (changes) => void Object.assign(live, changes) },
      reports: () => peerReports({ node, listed: own.settings.listed, version: own.version }),
      health: peerHealth(synchronizer, connected, minPeers),
      async start() {
        try {
          await node.start();
        } catch (error) {
          await teardown.undo();
          throw error;
        }
      },
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** What this node is among its peers. */
interface OwnPeer {
  version: string;
  settings: PeerNodeSettings;
  discovery: ConfiguredDiscovery;
}

async function ownPeer(
  { chain, reader: { identity: rollup }, loggerFor }: ChainContext,
  { values, dataDirectory, signal }: P2pOptions,
): Promise<OwnPeer> {
  const logger = loggerFor("p2p");
  const version = componentVersion(
    { ...rollup, rollupAddress: rollup.addresses.rollupAddress },
    chain.generation.contracts,
  );
  const identity = configuredIdentity(values.p2p.own, dataDirectory, logger);
  const ip = await announcedIp(values.p2p.own, logger, signal);
  const { constants } = rollup;
  return {
    version,
    settings: peerNodeSettings(values, { identity, version, ip, release: NETWORK_RELEASE, constants }),
    discovery: configuredDiscovery(values.p2p, {
      identity,
      version,
      ip,
      dataDirectory,
      log: loggerFor("p2p:discovery"),
    }),
  };
}

interface PeerNodeParts extends OwnPeer {
  consensus: Omit<CommitteeNetwork, "publisher">;
  /** Read for each message. */
  live: Readonly<LivePeerSettings>;
}

/** The peer node with its topics and request protocols. `stop` ends what these run, after the node itself. */
async function peerNode(
  context: ChainContext,
  options: P2pOptions,
  { version, settings, discovery: { discovery, reachability }, consensus, live }: PeerNodeParts,
) {
  const { chain, clock, loggerFor } = context;
  const { values, mempool, authenticates, dutyTimes } = options;
  const { listed } = settings;
  const { pool: attestations, committees, rollup, recover, equivocations, events } = consensus;
  const teardown = new Teardown(loggerFor("p2p"));
  const status = () => chainStatus(version, chain);
  const handlers = requestHandlers(context, options, attestations);
  try {
    const node = await createPeerNode({
      ...{ settings, discovery, now: clock.now, loggerFor },
      services(channels) {
        const collection = collectedTxs(context, { values, mempool, channels, teardown });
        const { provider } = collection;
        return {
          ...admission(context, { values: values.p2p, channels, listed, rollup, status, teardown }),
          topics: gossipTopics(context, {
            ...{ values, settings: live, mempool, attestations, committees, equivocations, provider, teardown },
            ...{ rollup, recover, events, dutyTimes },
          }),
          handlers: { ...handlers, ...(authenticates && authentication(events, listed, status)) },
          status,
          collection,
          start() {
            committees.start();
            collection.start();
            reachability.start();
          },
        };
      },
    });
    // Messages are processed to their end once the checks of proposals were stopped.
    return { node, stop: () => teardown.run().then(() => node.receiver.processed()) };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** What the node answers to requests of peers, besides ping, status and goodbye. */
function requestHandlers(
  { chain }: ChainContext,
  { values, mempool: { pool } }: P2pOptions,
  attestations: AttestationPool,
): RequestHandlers {
  const blocks = chainBlocks(chain);
  const block = blockHandler(blocks);
  if (!values.checks.permitted) return { block };
  return {
    block,
    tx: txHandler(pool),
    block_txs: blockTxsHandler(pool, {
      txHashesOf(archive) {
        const proposal = attestations.blockProposal(archive);
        return proposal === undefined ? blocks.txHashesOf(archive) : items(proposal.txHashes);
      },
    }),
  };
}

/** Authenticates this node's attester to peers that it lists itself. */
function authentication(
  events: Pick<ConsensusEvents, "signChallenge">,
  listed: ListedPeers,
  status: () => StatusMessage,
): RequestHandlers {
  const known = new ProtectedPeers(listed);
  const signer = {
    mayAsk: (peer: string) => known.has(peer),
    sign: (payloadHash: Uint8Array) => events.signChallenge(payloadHash),
  };
  return { auth: authHandler(signer, status) };
}
