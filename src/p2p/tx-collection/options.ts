/** Settings of transaction collection, by the names of their options (docs/configuration.md). */
export interface TxCollectionOptions {
  txCollectionFastNodesTimeoutBeforeReqRespMs: number;
  txCollectionFastNodeIntervalMs: number;
  txCollectionFastMaxParallelRequestsPerNode: number;
  txCollectionNodeRpcMaxBatchSize: number;
  /** "new" asks with bit vectors (BatchTxRequester), "old" by hash. */
  txCollectionMissingTxsCollectorType: "new" | "old";
  txCollectionSlowNodesIntervalMs: number;
  txCollectionSlowReqRespIntervalMs: number;
  txCollectionSlowReqRespTimeoutMs: number;
  txCollectionReconcileIntervalMs: number;
  txCollectionDisableSlowDuringFastRequests: boolean;
  txCollectionFileStoreSlowDelayMs: number;
  txCollectionFileStoreFastDelayMs: number;
  txCollectionFileStoreFastWorkerCount: number;
  txCollectionFileStoreSlowWorkerCount: number;
  txCollectionFileStoreFastBackoffBaseMs: number;
  txCollectionFileStoreSlowBackoffBaseMs: number;
  txCollectionFileStoreFastBackoffMaxMs: number;
  txCollectionFileStoreSlowBackoffMaxMs: number;
  /** How a prover asks nodes for txs of mined blocks. */
  txGatheringIntervalMs: number;
  txGatheringBatchSize: number;
  txGatheringMaxParallelRequestsPerNode: number;
}

export interface BatchTxRequesterOptions {
  batchTxRequesterSmartParallelWorkerCount: number;
  batchTxRequesterDumbParallelWorkerCount: number;
  batchTxRequesterTxBatchSize: number;
  batchTxRequesterBadPeerThreshold: number;
}
