import { readFileSync } from "node:fs";
import type { GoldenCase } from "../../world/node/recorded-node.ts";

export type NamespaceName = "node" | "nodeAdmin" | "svc" | "svcAdmin";

/** All methods of both API generations, by namespace. */
export const API_METHODS: Readonly<Record<NamespaceName, readonly string[]>> = JSON.parse(
  readFileSync(new URL("../../fixtures/rpc/methods.json", import.meta.url), "utf8"),
);

/** Valid parameter lists by method, to be mutated. */
export type Seeds = ReadonlyMap<string, readonly unknown[][]>;

const TX = {
  txHash: `0x${"07".repeat(32)}`,
  data: Buffer.alloc(300, 1).toString("base64"),
  chonkProof: Buffer.alloc(64, 2).toString("base64"),
  contractClassLogFields: [{ fields: [`0x${"00".repeat(32)}`] }],
  publicFunctionCalldata: [{ values: ["0x1", "0x2"], hash: "0x3" }],
};

/** Parameters for svc_ methods, and for methods that the recording has only refusals of. */
function furtherSeeds(golden: readonly GoldenCase[]): Record<string, unknown[][]> {
  const first = (method: string) => golden.find((c) => c.method === method && c.result !== undefined)?.params ?? [];
  const [txHash] = first("getTxReceipt");
  const [tags] = first("getPrivateLogsByTags");
  const [contractAddress, publicTags] = first("getPublicLogsByTagsFromContract");
  const [message] = first("getL1ToL2MessageCheckpoint");
  const [blockHash] = golden.find((c) => c.method === "getBlock" && typeof c.params[0] === "string")?.params ?? [];
  const [archive] = first("getBlockByArchive");
  const validator = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
  const selectors = [[5], ["proposed"], [{ number: 7 }], [{ hash: blockHash }], [{ archive }], [{ tag: "proven" }]];
  const include = { includeTransactions: true, includeL1PublishInfo: true, includeAttestations: true };
  return {
    svc_getBlockNumber: [["proven"]],
    svc_getCheckpointNumber: [["checkpointed"]],
    svc_getBlock: [...selectors, [5, include]],
    svc_getBlockData: selectors,
    svc_getBlocks: [[1, 2, include]],
    svc_getCheckpoint: [[5], ["proven"], [{ number: 5 }, { includeBlocks: true, ...include }]],
    svc_getCheckpoints: [[1, 2, { includeBlocks: true }]],
    svc_getCheckpointsData: [[{ from: 1, limit: 3 }], [{ epoch: 3 }]],
    svc_getTxReceipt: [[txHash, { includeTxEffect: true, includePendingTx: true, includeProof: true }]],
    svc_getTxByHash: [[txHash, { includeProof: true }]],
    svc_getTxsByHash: [[[txHash], { includeProof: true }]],
    svc_getPendingTxs: [[5, txHash, { includeProof: true }]],
    svc_getPredictedMinFees: [["target"]],
    svc_getPeers: [[true]],
    svc_getCheckpointAttestationsForSlot: [[5, `0x${"05".repeat(32)}`], ["7"]],
    svc_getProposalsForSlot: [[5]],
    svc_getL2ToL1MembershipWitness: [
      [txHash, message],
      [txHash, message, { index: 0 }],
    ],
    svc_getPrivateLogsByTags: [[{ tags, includeEffects: true, fromBlock: 1, toBlock: 9, referenceBlock: blockHash }]],
    svc_getPublicLogsByTags: [[{ tags: publicTags, contractAddress, includeEffects: true, txHash }]],
    node_getPublicLogs: [[{ fromBlock: 1, toBlock: 20, contractAddress, tag: "0x1", txHash }]],
    node_getContractClassLogs: [[{ fromBlock: 1, toBlock: 9 }]],
    node_getTxsByHash: [[[txHash]]],
    node_getValidatorStats: [[validator, 1, 5]],
    node_sendTx: [[TX]],
    node_isValidTx: [[TX, { isSimulation: true, skipFeeEnforcement: true }]],
    node_simulatePublicCalls: [[TX, true]],
    svc_simulatePublicCalls: [
      [TX, true, { publicStorage: [{ contract: contractAddress, slot: "0x1", value: "0x2" }] }],
    ],
    nodeAdmin_setConfig: [
      [{ maxPendingTxCount: 10, archiverBatchSize: 50, validateMaxL2BlockGas: 6_000_000 }],
      [{ coinbase: validator, slashUnknownPenalty: "5", realProofs: false }],
    ],
    // A target beyond the tip is refused: a rollback that succeeds would change later answers.
    nodeAdmin_rollbackTo: [[100_000]],
    svcAdmin_rollbackTo: [[100_000, true, true]],
    nodeAdmin_startSnapshotUpload: [["nowhere"]],
    nodeAdmin_getSlashOffenses: [["all"], ["current"]],
  };
}

/** Recorded parameters by full method name; a svc_ method gets those of its node_ namesake too. */
export function seedsFor(golden: readonly GoldenCase[]): Seeds {
  const further = furtherSeeds(golden);
  const seeds = new Map<string, unknown[][]>();
  for (const [namespace, names] of Object.entries(API_METHODS)) {
    const elder = namespace.replace("svc", "node");
    for (const name of names) {
      const recorded = namespace.endsWith("Admin") ? [] : golden.filter((c) => c.method === name).map((c) => c.params);
      const own = further[`${namespace}_${name}`] ?? further[`${elder}_${name}`] ?? [];
      // Takes a sample of each kind, because many recorded parameters are much alike.
      const sample = recorded.filter((_, i) => i % Math.ceil(recorded.length / 8) === 0);
      const lists = [...sample, ...own];
      seeds.set(`${namespace}_${name}`, lists.length > 0 ? lists : [[]]);
    }
  }
  return seeds;
}
