import { boolean, listOf, path, secret } from "../kinds/kinds.ts";
import {
  decimal,
  fraction,
  integer,
  MAX_CONCURRENCY,
  MAX_COUNT,
  MAX_KIBIBYTES,
  MAX_MILLISECONDS,
  port,
} from "../kinds/number-kinds.ts";
import { converted, not, rowsOf } from "../kinds/option.ts";
import { enr, hexText, ipv4 } from "../kinds/protocol-kinds.ts";

const rows = rowsOf("P2P", "p2p");

export const p2p = {
  p2pEnabled: rows.withDefault(
    {
      flags: ["--p2p-enabled"],
      env: ["P2P_ENABLED"],
      kind: boolean,
      to: ["p2p.enabled"],
      meaning: "join the P2P network",
    },
    false,
  ),
  p2pDiscoveryDisabled: rows.withDefault(
    {
      flags: ["--p2p.p2pDiscoveryDisabled"],
      env: ["P2P_DISCOVERY_DISABLED"],
      kind: boolean,
      to: ["p2p.discovery.disabled"],
      meaning: "disable peer discovery",
    },
    false,
  ),
  blockCheckIntervalMS: rows.withDefault(
    {
      flags: ["--p2p.blockCheckIntervalMS"],
      env: ["P2P_BLOCK_CHECK_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      meaning: "polling interval for new blocks, in ms",
      refused: "the pool follows the chain by events, without polling",
    },
    100,
  ),
  slotCheckIntervalMS: rows.withDefault(
    {
      flags: ["--p2p.slotCheckIntervalMS"],
      env: ["P2P_SLOT_CHECK_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["pool.slotCheckIntervalMs"],
      meaning: "polling interval for the current slot, in ms",
      usedBy: "mempool",
    },
    1000,
  ),
  debugDisableColocationPenalty: rows.withDefault(
    {
      flags: ["--p2p.debugDisableColocationPenalty"],
      env: ["DEBUG_P2P_DISABLE_COLOCATION_PENALTY"],
      kind: boolean,
      to: [converted("p2p.peers.limitPerAddress", not)],
      meaning: "for tests: do not penalize many peers at one IP address",
    },
    false,
  ),
  peerCheckIntervalMS: rows.withDefault(
    {
      flags: ["--p2p.peerCheckIntervalMS"],
      env: ["P2P_PEER_CHECK_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["p2p.peers.heartbeatMs"],
      meaning: "heartbeat interval of the peer manager, in ms",
    },
    30000,
  ),
  l2QueueSize: rows.withDefault(
    {
      flags: ["--p2p.l2QueueSize"],
      env: ["P2P_L2_QUEUE_SIZE"],
      kind: integer(1, MAX_COUNT),
      meaning: "maximum blocks in the processing queue",
      refused: "the pool follows the chain by events, without polling",
    },
    1000,
  ),
  listenAddress: rows.withDefault(
    {
      flags: ["--p2p.listenAddress"],
      env: ["P2P_LISTEN_ADDR"],
      kind: ipv4,
      to: ["p2p.own.address"],
      meaning: "IPv4 address to listen on",
      usedBy: "discovery",
    },
    "0.0.0.0",
  ),
  p2pPort: rows.withDefault(
    {
      flags: ["--p2p.p2pPort"],
      env: ["P2P_PORT"],
      kind: port,
      to: ["p2p.own.port"],
      meaning: "TCP and UDP port to listen on",
      usedBy: "discovery",
    },
    40400,
  ),
  p2pBroadcastPort: rows.optional({
    flags: ["--p2p.p2pBroadcastPort", "--p2pBootstrap.p2pBroadcastPort"],
    env: ["P2P_BROADCAST_PORT"],
    kind: port,
    to: ["p2p.own.broadcastPort"],
    meaning: "port to announce to peers; unset means p2pPort",
    usedBy: "discovery",
  }),
  p2pIp: rows.optional({
    flags: ["--p2p.p2pIp"],
    env: ["P2P_IP"],
    kind: ipv4,
    to: ["p2p.own.ip"],
    meaning: "IPv4 address to announce to peers",
    usedBy: "discovery",
  }),
  peerIdPrivateKey: rows.optional({
    flags: ["--p2p.peerIdPrivateKey"],
    env: ["PEER_ID_PRIVATE_KEY"],
    kind: secret(hexText),
    to: ["p2p.own.key"],
    meaning: "private key of the peer id",
    usedBy: "discovery",
  }),
  peerIdPrivateKeyPath: rows.optional({
    flags: ["--p2p.peerIdPrivateKeyPath", "--p2pBootstrap.peerIdPrivateKeyPath"],
    env: ["PEER_ID_PRIVATE_KEY_PATH"],
    kind: path,
    to: ["p2p.own.keyPath"],
    meaning: "file of the generated peer id key; unset means a file in the data directory",
    usedBy: "discovery",
  }),
  bootstrapNodes: rows.withDefault(
    {
      flags: ["--p2p.bootstrapNodes"],
      env: ["BOOTSTRAP_NODES"],
      kind: listOf(enr),
      to: ["p2p.discovery.bootnodes"],
      meaning: "ENRs of the bootnodes",
      usedBy: "discovery",
    },
    [],
  ),
  bootstrapNodeEnrVersionCheck: rows.withDefault(
    {
      flags: ["--p2p.bootstrapNodeEnrVersionCheck"],
      env: ["P2P_BOOTSTRAP_NODE_ENR_VERSION_CHECK"],
      kind: boolean,
      to: ["p2p.discovery.checkBootnodes"],
      meaning: "check the version in the bootnodes' ENRs",
    },
    false,
  ),
  bootstrapNodesAsFullPeers: rows.withDefault(
    {
      flags: ["--p2p.bootstrapNodesAsFullPeers"],
      env: ["P2P_BOOTSTRAP_NODES_AS_FULL_PEERS"],
      kind: boolean,
      to: ["p2p.discovery.bootnodesAsPeers"],
      meaning: "treat bootnodes as full peers",
    },
    false,
  ),
  maxPeerCount: rows.withDefault(
    {
      flags: ["--p2p.maxPeerCount"],
      env: ["P2P_MAX_PEERS"],
      kind: integer(0, MAX_COUNT),
      to: ["p2p.peers.maxPeers"],
      meaning: "target number of peers",
    },
    100,
  ),
  healthMinPeers: rows.withDefault(
    {
      flags: ["--p2p.healthMinPeers"],
      env: ["P2P_HEALTH_MIN_PEERS"],
      kind: integer(0, MAX_COUNT),
      to: ["p2p.health.minPeers"],
      meaning: "minimum connected peers of a node that is ready; with fewer /ready answers 503",
    },
    1,
  ),
  queryForIp: rows.withDefault(
    {
      flags: ["--p2p.queryForIp", "--p2pBootstrap.queryForIp"],
      env: ["P2P_QUERY_FOR_IP"],
      kind: boolean,
      to: ["p2p.own.queryForIp"],
      meaning: "query a public service for this node's IP address",
      usedBy: "discovery",
    },
    false,
  ),
  gossipsubInterval: rows.withDefault(
    {
      flags: ["--p2p.gossipsubInterval"],
      env: ["P2P_GOSSIPSUB_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["p2p.mesh.heartbeatMs"],
      meaning: "gossipsub heartbeat interval, in ms",
    },
    700,
  ),
  gossipsubD: rows.withDefault(
    {
      flags: ["--p2p.gossipsubD"],
      env: ["P2P_GOSSIPSUB_D"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["p2p.mesh.D"],
      meaning: "target gossipsub mesh degree (D)",
    },
    8,
  ),
  gossipsubDlo: rows.withDefault(
    {
      flags: ["--p2p.gossipsubDlo"],
      env: ["P2P_GOSSIPSUB_DLO"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["p2p.mesh.Dlo"],
      meaning: "minimum gossipsub mesh degree (Dlo)",
    },
    4,
  ),
  gossipsubDhi: rows.withDefault(
    {
      flags: ["--p2p.gossipsubDhi"],
      env: ["P2P_GOSSIPSUB_DHI"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["p2p.mesh.Dhi"],
      meaning: "maximum gossipsub mesh degree (Dhi)",
    },
    12,
  ),
  gossipsubDLazy: rows.withDefault(
    {
      flags: ["--p2p.gossipsubDLazy"],
      env: ["P2P_GOSSIPSUB_DLAZY"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["p2p.mesh.Dlazy"],
      meaning: "peers outside the mesh to send gossip to (Dlazy)",
    },
    8,
  ),
  gossipsubFloodPublish: rows.withDefault(
    {
      flags: ["--p2p.gossipsubFloodPublish"],
      env: ["P2P_GOSSIPSUB_FLOOD_PUBLISH"],
      kind: boolean,
      to: ["p2p.mesh.floodPublish"],
      meaning: "publish own messages to all peers",
    },
    false,
  ),
  gossipsubMcacheLength: rows.withDefault(
    {
      flags: ["--p2p.gossipsubMcacheLength"],
      env: ["P2P_GOSSIPSUB_MCACHE_LENGTH"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["p2p.mesh.mcacheLength"],
      meaning: "heartbeats for which messages are cached",
    },
    6,
  ),
  gossipsubMcacheGossip: rows.withDefault(
    {
      flags: ["--p2p.gossipsubMcacheGossip"],
      env: ["P2P_GOSSIPSUB_MCACHE_GOSSIP"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["p2p.mesh.mcacheGossip"],
      meaning: "recent heartbeats whose messages are gossiped",
    },
    3,
  ),
  gossipsubSeenTTL: rows.withDefault(
    {
      flags: ["--p2p.gossipsubSeenTTL"],
      env: ["P2P_GOSSIPSUB_SEEN_TTL"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["p2p.mesh.seenTtlMs"],
      meaning: "time for which ids of seen messages are kept, in ms",
    },
    1_200_000,
  ),
  gossipsubTxTopicWeight: rows.withDefault(
    {
      flags: ["--p2p.gossipsubTxTopicWeight"],
      env: ["P2P_GOSSIPSUB_TX_TOPIC_WEIGHT"],
      kind: decimal(-MAX_COUNT, MAX_COUNT),
      meaning: "score weight of the tx topic",
      refused: "scores follow from the network's slots and committee, so that all nodes judge alike",
    },
    1,
  ),
  gossipsubTxInvalidMessageDeliveriesWeight: rows.withDefault(
    {
      flags: ["--p2p.gossipsubTxInvalidMessageDeliveriesWeight"],
      env: ["P2P_GOSSIPSUB_TX_INVALID_MESSAGE_DELIVERIES_WEIGHT"],
      kind: decimal(-MAX_COUNT, MAX_COUNT),
      meaning: "score weight of invalid txs",
      refused: "scores follow from the network's slots and committee, so that all nodes judge alike",
    },
    -20,
  ),
  gossipsubTxInvalidMessageDeliveriesDecay: rows.withDefault(
    {
      flags: ["--p2p.gossipsubTxInvalidMessageDeliveriesDecay"],
      env: ["P2P_GOSSIPSUB_TX_INVALID_MESSAGE_DELIVERIES_DECAY"],
      kind: fraction,
      meaning: "decay of the score for invalid txs",
      refused: "scores follow from the network's slots and committee, so that all nodes judge alike",
    },
    0.5,
  ),
  peerPenaltyValues: rows.withDefault(
    {
      flags: ["--p2p.peerPenaltyValues"],
      env: ["P2P_PEER_PENALTY_VALUES"],
      kind: listOf(integer(0, MAX_COUNT), 3),
      to: ["p2p.peers.penalties"],
      meaning: "peer score penalties for errors of high, middle and low tolerance",
    },
    [2, 10, 50],
  ),
  doubleSpendSeverePeerPenaltyWindow: rows.withDefault(
    {
      flags: ["--p2p.doubleSpendSeverePeerPenaltyWindow"],
      env: ["P2P_DOUBLE_SPEND_SEVERE_PEER_PENALTY_WINDOW"],
      kind: integer(0, MAX_COUNT),
      to: ["p2p.topics.severeWindow"],
      meaning: "age in L2 blocks from which sending a double-spent tx gets the severe penalty",
    },
    30,
  ),
  blockRequestBatchSize: rows.withDefault(
    {
      flags: ["--p2p.blockRequestBatchSize"],
      env: ["P2P_BLOCK_REQUEST_BATCH_SIZE"],
      kind: integer(1, MAX_COUNT),
      meaning: "blocks per request",
      refused: "the pool follows the chain by events, without polling",
    },
    20,
  ),
  trustedPeers: rows.withDefault(
    {
      flags: ["--p2p.trustedPeers"],
      env: ["P2P_TRUSTED_PEERS"],
      kind: listOf(enr),
      to: ["p2p.listed.trusted"],
      meaning: "ENRs of trusted peers, which are always kept",
    },
    [],
  ),
  privatePeers: rows.withDefault(
    {
      flags: ["--p2p.privatePeers"],
      env: ["P2P_PRIVATE_PEERS"],
      kind: listOf(enr),
      to: ["p2p.listed.private"],
      meaning: "ENRs of private peers, which are always kept and never announced to others",
    },
    [],
  ),
  preferredPeers: rows.withDefault(
    {
      flags: ["--p2p.preferredPeers"],
      env: ["P2P_PREFERRED_PEERS"],
      kind: listOf(enr),
      admin: { only: "svc" },
      to: ["p2p.listed.preferred"],
      meaning: "ENRs of preferred peers, which are always kept and preferred over discovered ones",
    },
    [],
  ),
  p2pStoreMapSizeKb: rows.optional({
    flags: ["--p2p.p2pStoreMapSizeKb"],
    env: ["P2P_STORE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    to: ["storage.poolMapSizeKb"],
    meaning: "maximum size of the tx pool's store in KiB; unset means dataStoreMapSizeKb",
    usedBy: "mempool",
  }),
  seenMessageCacheSize: rows.withDefault(
    {
      flags: ["--p2p.seenMessageCacheSize"],
      env: ["P2P_SEEN_MSG_CACHE_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: ["p2p.peers.seenMessages"],
      meaning: "maximum ids of seen messages to keep",
    },
    100_000,
  ),
  p2pDisableStatusHandshake: rows.withDefault(
    {
      flags: ["--p2p.p2pDisableStatusHandshake"],
      env: ["P2P_DISABLE_STATUS_HANDSHAKE"],
      kind: boolean,
      to: ["p2p.admission.noHandshake"],
      meaning: "skip the status handshake",
    },
    false,
  ),
  p2pAllowOnlyValidators: rows.withDefault(
    {
      flags: ["--p2p.p2pAllowOnlyValidators"],
      env: ["P2P_ALLOW_ONLY_VALIDATORS"],
      kind: boolean,
      to: ["p2p.admission.onlyValidators"],
      meaning: "accept only peers that authenticate as validators",
    },
    false,
  ),
  p2pMaxFailedAuthAttemptsAllowed: rows.withDefault(
    {
      flags: ["--p2p.p2pMaxFailedAuthAttemptsAllowed"],
      env: ["P2P_MAX_AUTH_FAILED_ATTEMPTS_ALLOWED"],
      kind: integer(0, MAX_COUNT),
      to: ["p2p.admission.allowedFailures"],
      meaning: "failed authentication attempts after which a peer is rejected",
    },
    3,
  ),
  dropTransactions: rows.withDefault(
    {
      flags: ["--p2p.dropTransactions"],
      env: ["P2P_DROP_TX"],
      kind: boolean,
      to: ["p2p.topics.drops"],
      meaning: "for tests: drop txs",
    },
    false,
  ),
  dropTransactionsProbability: rows.withDefault(
    {
      flags: ["--p2p.dropTransactionsProbability"],
      env: ["P2P_DROP_TX_CHANCE"],
      kind: fraction,
      to: ["p2p.topics.dropProbability"],
      meaning: "for tests: probability that a tx is dropped",
    },
    0,
  ),
  debugP2PInstrumentMessages: rows.withDefault(
    {
      flags: ["--p2p.debugP2PInstrumentMessages"],
      env: ["DEBUG_P2P_INSTRUMENT_MESSAGES"],
      kind: boolean,
      to: ["p2p.peers.instrumented"],
      meaning: "for tests: measure the latency of messages",
    },
    false,
  ),
  broadcastEquivocatedProposals: rows.withDefault(
    {
      flags: ["--p2p.broadcastEquivocatedProposals"],
      kind: boolean,
      meaning: "for tests: forward equivocated proposals",
      usedBy: "validator",
      refused: "this node has no faults for tests",
    },
    false,
  ),
};
