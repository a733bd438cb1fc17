import { boolean, listOf, oneOf } from "../kinds/kinds.ts";
import { integer, MAX_CONCURRENCY, MAX_COUNT, MAX_MILLISECONDS } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { httpUrl, readableStore, writableStore } from "../kinds/url-kinds.ts";

const rows = rowsOf("Tx collection", "p2p");

export const txCollection = {
  overallRequestTimeoutMs: rows.withDefault(
    {
      flags: ["--p2p.overallRequestTimeoutMs"],
      env: ["P2P_REQRESP_OVERALL_REQUEST_TIMEOUT_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      meaning: "timeout of a request to peers including retries, in ms",
      refused: "a request ends by its own timeout, and collecting ends with the slot of the block",
    },
    10000,
  ),
  individualRequestTimeoutMs: rows.withDefault(
    {
      flags: ["--p2p.individualRequestTimeoutMs"],
      env: ["P2P_REQRESP_INDIVIDUAL_REQUEST_TIMEOUT_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["p2p.requestTimeouts.requestMs"],
      meaning: "timeout of a request to one peer, in ms",
    },
    10000,
  ),
  dialTimeoutMs: rows.withDefault(
    {
      flags: ["--p2p.dialTimeoutMs"],
      env: ["P2P_REQRESP_DIAL_TIMEOUT_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["p2p.requestTimeouts.dialMs"],
      meaning: "timeout of connecting to a peer, in ms",
    },
    5000,
  ),
  p2pOptimisticNegotiation: rows.withDefault(
    {
      flags: ["--p2p.p2pOptimisticNegotiation"],
      env: ["P2P_REQRESP_OPTIMISTIC_NEGOTIATION"],
      kind: boolean,
      meaning: "send requests before protocol negotiation completes",
      refused: "peers of the network drop what is sent before negotiation is complete",
    },
    false,
  ),
  batchTxRequesterSmartParallelWorkerCount: rows.withDefault(
    {
      flags: ["--p2p.batchTxRequesterSmartParallelWorkerCount"],
      env: ["P2P_BATCH_TX_REQUESTER_SMART_PARALLEL_WORKER_COUNT"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["txCollection.batchTxRequesterSmartParallelWorkerCount"],
      meaning: "parallel requests to peers known to have the txs",
    },
    10,
  ),
  batchTxRequesterDumbParallelWorkerCount: rows.withDefault(
    {
      flags: ["--p2p.batchTxRequesterDumbParallelWorkerCount"],
      env: ["P2P_BATCH_TX_REQUESTER_DUMB_PARALLEL_WORKER_COUNT"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["txCollection.batchTxRequesterDumbParallelWorkerCount"],
      meaning: "parallel requests to other peers",
    },
    10,
  ),
  batchTxRequesterTxBatchSize: rows.withDefault(
    {
      flags: ["--p2p.batchTxRequesterTxBatchSize"],
      env: ["P2P_BATCH_TX_REQUESTER_TX_BATCH_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: ["txCollection.batchTxRequesterTxBatchSize"],
      meaning: "txs per request",
    },
    8,
  ),
  batchTxRequesterBadPeerThreshold: rows.withDefault(
    {
      flags: ["--p2p.batchTxRequesterBadPeerThreshold"],
      env: ["P2P_BATCH_TX_REQUESTER_BAD_PEER_THRESHOLD"],
      kind: integer(0, MAX_COUNT),
      to: ["txCollection.batchTxRequesterBadPeerThreshold"],
      meaning: "failed requests after which a peer counts as bad",
    },
    2,
  ),
  txCollectionFastNodesTimeoutBeforeReqRespMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFastNodesTimeoutBeforeReqRespMs"],
      env: ["TX_COLLECTION_FAST_NODES_TIMEOUT_BEFORE_REQ_RESP_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFastNodesTimeoutBeforeReqRespMs"],
      meaning: "fast collection: how long only nodes are asked before peers are asked too, in ms",
    },
    200,
  ),
  txCollectionSlowNodesIntervalMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionSlowNodesIntervalMs"],
      env: ["TX_COLLECTION_SLOW_NODES_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionSlowNodesIntervalMs"],
      meaning: "slow collection: interval at which nodes are asked, in ms",
    },
    12000,
  ),
  txCollectionSlowReqRespIntervalMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionSlowReqRespIntervalMs"],
      env: ["TX_COLLECTION_SLOW_REQ_RESP_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionSlowReqRespIntervalMs"],
      meaning: "slow collection: interval at which peers are asked, in ms",
    },
    12000,
  ),
  txCollectionSlowReqRespTimeoutMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionSlowReqRespTimeoutMs"],
      env: ["TX_COLLECTION_SLOW_REQ_RESP_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionSlowReqRespTimeoutMs"],
      meaning: "slow collection: timeout of one round of requests to peers, in ms",
    },
    20000,
  ),
  txCollectionReconcileIntervalMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionReconcileIntervalMs"],
      env: ["TX_COLLECTION_RECONCILE_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionReconcileIntervalMs"],
      meaning: "interval at which missing txs are compared with the pool, in ms",
    },
    60000,
  ),
  txCollectionDisableSlowDuringFastRequests: rows.withDefault(
    {
      flags: ["--p2p.txCollectionDisableSlowDuringFastRequests"],
      env: ["TX_COLLECTION_DISABLE_SLOW_DURING_FAST_REQUESTS"],
      kind: boolean,
      to: ["txCollection.txCollectionDisableSlowDuringFastRequests"],
      meaning: "pause slow collection while fast requests run",
    },
    true,
  ),
  txCollectionFastNodeIntervalMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFastNodeIntervalMs"],
      env: ["TX_COLLECTION_FAST_NODE_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFastNodeIntervalMs"],
      meaning: "fast collection: interval at which a node is asked again, in ms",
    },
    500,
  ),
  txCollectionNodeRpcUrls: rows.withDefault(
    {
      flags: ["--p2p.txCollectionNodeRpcUrls"],
      env: ["TX_COLLECTION_NODE_RPC_URLS", "PROVER_COORDINATION_NODE_URLS"],
      kind: listOf(httpUrl),
      to: ["txCollection.txCollectionNodeRpcUrls"],
      meaning: "RPC URLs of nodes to request txs from",
    },
    [],
  ),
  txCollectionFastMaxParallelRequestsPerNode: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFastMaxParallelRequestsPerNode"],
      env: ["TX_COLLECTION_FAST_MAX_PARALLEL_REQUESTS_PER_NODE"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["txCollection.txCollectionFastMaxParallelRequestsPerNode"],
      meaning: "parallel requests to one node",
    },
    4,
  ),
  txCollectionNodeRpcMaxBatchSize: rows.withDefault(
    {
      flags: ["--p2p.txCollectionNodeRpcMaxBatchSize"],
      env: ["TX_COLLECTION_NODE_RPC_MAX_BATCH_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: ["txCollection.txCollectionNodeRpcMaxBatchSize"],
      meaning: "txs per request to a node",
    },
    50,
  ),
  txCollectionMissingTxsCollectorType: rows.withDefault(
    {
      flags: ["--p2p.txCollectionMissingTxsCollectorType"],
      env: ["TX_COLLECTION_MISSING_TXS_COLLECTOR_TYPE"],
      kind: oneOf(["new", "old"]),
      to: ["txCollection.txCollectionMissingTxsCollectorType"],
      meaning: "implementation of the collector of missing txs",
    },
    "new",
  ),
  txCollectionFileStoreUrls: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreUrls"],
      env: ["TX_COLLECTION_FILE_STORE_URLS"],
      kind: listOf(readableStore),
      to: ["txCollection.txCollectionFileStoreUrls"],
      meaning: "stores to download txs from",
    },
    [],
  ),
  txCollectionFileStoreSlowDelayMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreSlowDelayMs"],
      env: ["TX_COLLECTION_FILE_STORE_SLOW_DELAY_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFileStoreSlowDelayMs"],
      meaning: "slow collection: delay before stores are asked, in ms",
    },
    24000,
  ),
  txCollectionFileStoreFastDelayMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreFastDelayMs"],
      env: ["TX_COLLECTION_FILE_STORE_FAST_DELAY_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFileStoreFastDelayMs"],
      meaning: "fast collection: delay before stores are asked, in ms",
    },
    2000,
  ),
  txCollectionFileStoreFastWorkerCount: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreFastWorkerCount"],
      env: ["TX_COLLECTION_FILE_STORE_FAST_WORKER_COUNT"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["txCollection.txCollectionFileStoreFastWorkerCount"],
      meaning: "fast collection: parallel requests to stores",
    },
    5,
  ),
  txCollectionFileStoreSlowWorkerCount: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreSlowWorkerCount"],
      env: ["TX_COLLECTION_FILE_STORE_SLOW_WORKER_COUNT"],
      kind: integer(0, MAX_CONCURRENCY),
      to: ["txCollection.txCollectionFileStoreSlowWorkerCount"],
      meaning: "slow collection: parallel requests to stores",
    },
    2,
  ),
  txCollectionFileStoreFastBackoffBaseMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreFastBackoffBaseMs"],
      env: ["TX_COLLECTION_FILE_STORE_FAST_BACKOFF_BASE_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFileStoreFastBackoffBaseMs"],
      meaning: "fast collection: initial backoff after a failure, in ms",
    },
    1000,
  ),
  txCollectionFileStoreSlowBackoffBaseMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreSlowBackoffBaseMs"],
      env: ["TX_COLLECTION_FILE_STORE_SLOW_BACKOFF_BASE_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFileStoreSlowBackoffBaseMs"],
      meaning: "slow collection: initial backoff after a failure, in ms",
    },
    5000,
  ),
  txCollectionFileStoreFastBackoffMaxMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreFastBackoffMaxMs"],
      env: ["TX_COLLECTION_FILE_STORE_FAST_BACKOFF_MAX_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFileStoreFastBackoffMaxMs"],
      meaning: "fast collection: maximum backoff after failures, in ms",
    },
    5000,
  ),
  txCollectionFileStoreSlowBackoffMaxMs: rows.withDefault(
    {
      flags: ["--p2p.txCollectionFileStoreSlowBackoffMaxMs"],
      env: ["TX_COLLECTION_FILE_STORE_SLOW_BACKOFF_MAX_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["txCollection.txCollectionFileStoreSlowBackoffMaxMs"],
      meaning: "slow collection: maximum backoff after failures, in ms",
    },
    30000,
  ),
  txFileStoreUrl: rows.optional({
    flags: ["--p2p.txFileStoreUrl"],
    env: ["TX_FILE_STORE_URL"],
    kind: writableStore,
    to: ["txCollection.txFileStoreUrl"],
    meaning: "store to upload txs to",
  }),
  txFileStoreUploadConcurrency: rows.withDefault(
    {
      flags: ["--p2p.txFileStoreUploadConcurrency"],
      env: ["TX_FILE_STORE_UPLOAD_CONCURRENCY"],
      kind: integer(1, MAX_CONCURRENCY),
      to: ["txCollection.txFileStoreUploadConcurrency"],
      meaning: "parallel uploads of txs",
    },
    10,
  ),
  txFileStoreMaxQueueSize: rows.withDefault(
    {
      flags: ["--p2p.txFileStoreMaxQueueSize"],
      env: ["TX_FILE_STORE_MAX_QUEUE_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: ["txCollection.txFileStoreMaxQueueSize"],
      meaning: "maximum txs waiting for upload; beyond it the oldest is dropped",
    },
    1000,
  ),
  txFileStoreEnabled: rows.withDefault(
    {
      flags: ["--p2p.txFileStoreEnabled"],
      env: ["TX_FILE_STORE_ENABLED"],
      kind: boolean,
      to: ["txCollection.txFileStoreEnabled"],
      meaning: "upload txs to txFileStoreUrl",
    },
    false,
  ),
};
