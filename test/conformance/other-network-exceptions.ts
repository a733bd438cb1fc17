/**
 * Cases of other-network.jsonl.gz (line numbers from 0) that this node answers differently over the recorded chain, and
 * why. Cases that turn out equal must be removed from the list.
 */
export const EXCEPTIONS: readonly { reason: string; cases: readonly number[] }[] = [
  // getNodeInfo, getL1ContractAddresses
  {
    reason:
      "the L1 answers name contracts of the recording's set-up that nothing on L1 tells (see recording-limits.ts)",
    cases: [7, 11],
  },
  // getTxReceipt
  { reason: "this node tells a transaction that it never saw from one that it dropped", cases: [97] },
  // getPrivateLogsByTags
  { reason: "this node refuses a fraction of a page", cases: [243] },
  // getCurrentMinFees
  { reason: "fees follow that chain's L1", cases: [14] },
  // getMaxPriorityFees, getPendingTxCount, getTxByHash, getPendingTxs
  { reason: "that node had transactions in its pool", cases: [15, 16, 106, 116, 206] },
  // isValidTx, simulatePublicCalls
  { reason: "the transactions are of that network", cases: [117, 118] },
  // svc_getVersion
  { reason: "this node has the development namespace, that one had not", cases: [285] },
  // getBlockNumber, getProvenBlockNumber, getCheckpointedBlockNumber, getCheckpointNumber, getL2Tips,
  // getWorldStateSyncStatus, getBlock, getBlockHeader, getBlockByHash, getBlockByArchive, getBlockHeaderByArchive,
  // getBlocks, getCheckpointedBlocks, getCheckpoints, getCheckpointsDataForEpoch, getTxReceipt, getTxEffect,
  // getPublicStorageAt, findLeavesIndexes, getNullifierMembershipWitness, getLowNullifierMembershipWitness,
  // getPublicDataWitness, getBlockHashMembershipWitness, getNoteHashMembershipWitness,
  // getL1ToL2MessageMembershipWitness, getL1ToL2MessageCheckpoint, isL1ToL2MessageSynced, getL2ToL1Messages,
  // getContract, getPublicLogs, getPublicLogsByTagsFromContract, getPrivateLogsByTags
  {
    reason: "the answer is about that chain's blocks, or names its tip",
    cases: [
      0, 1, 2, 3, 4, 5, 20, 22, 23, 24, 38, 41, 42, 43, 46, 49, 51, 55, 59, 62, 63, 64, 73, 77, 82, 83, 93, 94, 95, 96,
      103, 130, 131, 137, 139, 140, 141, 143, 146, 154, 157, 159, 160, 161, 162, 164, 165, 166, 167, 168, 169, 170, 171,
      172, 173, 176, 177, 180, 182, 183, 184, 187, 188, 189, 190, 191, 192, 193, 194, 195, 197, 198, 199, 200, 201, 202,
      204, 205, 213, 219, 227, 236, 237, 239, 240, 251,
    ],
  },
];
