import type { Values } from "../../config/options.ts";
import { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import { Equivocations } from "../../mempool/attestations/equivocations.ts";
import { observeAttestations } from "../../mempool/metrics.ts";
import { NETWORK_RELEASE } from "../../network/network-release.ts";
import { observePeers } from "../../p2p/metrics.ts";
import { createPeerNode, type PeerNode, type PeerServices } from "../../p2p/peer-node.ts";
import { type ListedPeers, ProtectedPeers } from "../../p2p/peers/protected-peers.ts";
import type { StatusMessage } from "../../p2p/reqresp/codecs/status-message.ts";
import { authHandler } from "../../p2p/reqresp/handlers/auth.ts";
import { blockHandler } from "../../p2p/reqresp/handlers/block.ts";
import { blockTxsHandler } from "../../p2p/reqresp/handlers/block-txs.ts";
import { chainBlocks, chainStatus } from "../../p2p/reqresp/handlers/chain-blocks.ts";
import { txHandler } from "../../p2p/reqresp/handlers/tx.ts";
import type { RequestHandlers } from "../../p2p/reqresp/request-handler.ts";
import type { MinedTxs } from "../../p2p/tx-collection/mined-txs.ts";
import type { TxCollection } from "../../p2p/tx-collection/tx-collection.ts";
import { Teardown } from "../../process/teardown.ts";
import { headerSlotNumber } from "../../protocol/block-header.ts";
import { componentVersion } from "../../protocol/consensus/component-version.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { PeerReport } from "../../rpc/admin/ports/node-reports.ts";
import type { PeerNetwork } from "../../rpc/ports/peer-network.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { type AdmissionSettings, admission, checkAdmission } from "../peers/admission.ts";
import { collectedTxs, type TxCollectionSettings } from "../peers/collected-txs.ts";
import { gossipTopics, type TopicSettings } from "../peers/gossip-topics.ts";
import { configuredDiscovery, type DiscoverySettings } from "../peers/node-discovery.ts";
import { announcedIp, configuredIdentity } from "../peers/own-identity.ts";
import { listedPeers, type PeerSettings, peerNodeSettings } from "../peers/peer-settings.ts";
import type { ConfigurablePart } from "../services/live-config.ts";
import { peerAnswers } from "../services/peer-answers.ts";
import { peerReports } from "../services/peer-reports.ts";
import { type LivePeerSettings, type LivePeerValues, livePeerSettings } from "../settings/live-peer-settings.ts";
import type { MempoolPart } from "./mempool.ts";
import type { CommitteeNetwork, ValidatorPart } from "./validator.ts";

export type P2pSettings = AdmissionSettings &
  DiscoverySettings &
  LivePeerValues &
  PeerSettings &
  TopicSettings &
  TxCollectionSettings &
  Pick<Values, "p2pIp" | "peerIdPrivateKey" | "peerIdPrivateKeyPath" | "queryForIp">;

export interface P2pOptions {
  values: P2pSettings;
  /** Undefined for a temporary one. */
  dataDirectory: string | undefined;
  mempool: MempoolPart;
  /** Creates the node's validator; undefined if it has none. */
  validator: ((network: CommitteeNetwork) => ValidatorPart) | undefined;
  dutyTimes: Pick<DutyTimes, "done">;
  signal: AbortSignal;
}

/** The node among its peers. */
export interface P2pPart {
  readonly node: PeerNode;
  readonly answers: PeerNetwork;
  readonly validator: ValidatorPart | undefined;
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
export function checkP2p(values: P2pSettings): void {
  checkAdmission(values);
  listedPeers(values);
}

/**
 * Creates the node's P2P services without starting them. If this fails, all started services are stopped. Rejects with
 * a ConfigurationError, PeerKeyError, NodeRecordError or PublicAddressError.
 */
export async function createP2p(context: ChainContext, options: P2pOptions): Promise<P2pPart> {
  const { chain, reader, synchronizer, loggerFor } = context;
  const { values, dataDirectory, mempool, signal } = options;
  const { now } = context.clock;
  const { identity: rollup } = reader;
  const { constants } = rollup;
  const logger = loggerFor("p2p");
  const teardown = new Teardown(logger);
  try {
    const version = componentVersion({ ...rollup, rollupAddress: rollup.addresses.rollupAddress });
    const identity = configuredIdentity(values, dataDirectory, logger);
    const ip = await announcedIp(values, logger, signal);
    const settings = peerNodeSettings(values, { identity, version, ip, release: NETWORK_RELEASE, constants });
    const { record, discovery, reachability } = configuredDiscovery(values, {
      ...{ identity, version, ip, dataDirectory },
      log: loggerFor("p2p:discovery"),
    });
    const read = (epoch: number) => reader.committee(epoch);
    const committees = new SlotCommittees({ read, constants, now, logger });
    const attestations = new AttestationPool(mempool.store, logger);
    teardown.add("attestation pool", () => attestations.close());
    let receiver: PeerNode["receiver"] | undefined;
    // Runs after the checks of proposals were stopped.
    teardown.add("processing of messages", () => receiver?.processed());
    const unfollow = synchronizer.on("finalized", ({ blockNumber }) => {
      const block = chain.block(blockNumber);
      if (block !== undefined) attestations.removeBefore(headerSlotNumber(block.header));
    });
    teardown.add("retention of attestations", unfollow);
    const equivocations = new Equivocations(logger);
    const status = () => chainStatus(version, chain);

    const recover = await signerRecovery();
    let validator: ValidatorPart | undefined;
    let collection: TxCollection | undefined;
    const live = livePeerSettings(values);
    const node = await createPeerNode({
      settings,
      discovery,
      async services(channels): Promise<PeerServices> {
        collection = collectedTxs(context, { values, mempool, channels, teardown });
        const { provider } = collection;
        const { publisher } = channels;
        validator = options.validator?.({ pool: attestations, committees, publisher, recover, equivocations });
        teardown.add("validator", () => validator?.stop());
        const handlers = requestHandlers(context, options, attestations);
        return {
          ...admission(context, { values, channels, listed: settings.listed, status, teardown }),
          topics: gossipTopics(context, {
            ...{ values, settings: live, mempool, attestations, committees, equivocations, provider, teardown },
            ...{ recover, validator, dutyTimes: options.dutyTimes },
          }),
          handlers: { ...handlers, ...(validator && authentication(validator, settings.listed, status)) },
          status,
          start() {
            committees.start();
            collection?.start();
            reachability.start();
          },
        };
      },
      now,
      loggerFor,
    });
    receiver = node.receiver;
    observePeers(context.metrics, node);
    observeAttestations(context.metrics, attestations);
    teardown.add(
      "publishing of submitted txs",
      mempool.onSubmitted((bytes) => node.publisher.publish("tx", bytes)),
    );
    teardown.add("committees", () => committees.stop());
    teardown.add("peers", () => node.stop());
    node.host.addEventListener("connection:open", ({ detail }) => {
      if (detail.direction === "inbound") reachability.reached("TCP");
    });
    teardown.add("reachability", () => reachability.stop());
    const ready = (): boolean => node.peers.peers().length > 0;
    return {
      node,
      answers: peerAnswers({ node, enr: () => record.text, attestations }),
      validator,
      attestations,
      committees,
      minedTxs: (collection as TxCollection).mined,
      live: { configure: (changes) => void Object.assign(live, changes) },
      reports: () => peerReports({ node, listed: settings.listed, version }),
      ready,
      health: {
        name: "peers",
        read() {
          if (ready()) return HEALTHY;
          return synchronizer.initialSyncComplete
            ? { state: "failed", reason: "connected to no peer" }
            : { state: "waiting", reason: "P2P starts after the initial sync" };
        },
      },
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

/** What the node answers to requests of peers, besides ping, status and goodbye. */
function requestHandlers(
  { chain }: ChainContext,
  { values, mempool: { pool } }: P2pOptions,
  attestations: AttestationPool,
): RequestHandlers {
  const blocks = chainBlocks(chain);
  const block = blockHandler(blocks);
  if (values.disableTransactions) return { block };
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
  validator: Pick<ValidatorPart, "signChallenge">,
  listed: ListedPeers,
  status: () => StatusMessage,
): RequestHandlers {
  const known = new ProtectedPeers(listed);
  const signer = {
    mayAsk: (peer: string) => known.has(peer),
    sign: (payloadHash: Uint8Array) => validator.signChallenge(payloadHash),
  };
  return { auth: authHandler(signer, status) };
}
