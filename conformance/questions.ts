import { Fr } from "@aztec/foundation/curves/bn254";
import { EthAddress } from "@aztec/foundation/eth-address";
import { AztecAddress } from "@aztec/stdlib/aztec-address";
import { BlockHash } from "@aztec/stdlib/block";
import { LogId, SiloedTag, Tag } from "@aztec/stdlib/logs";
import { mockTx } from "@aztec/stdlib/testing";
import { TxHash } from "@aztec/stdlib/tx";
import type { GoldenCase } from "../test/world/node/recorded-node.ts";

/** Expected outcome of a call: a result that the library accepts, no result, or an error message that matches. */
export type Expectation = "result" | "nothing" | RegExp;

export interface Question {
  method: string;
  args: readonly unknown[];
  expect: Expectation;
}

interface RecordedLog {
  id: { blockNumber: number; blockHash: string; txHash: string; txIndex: number; logIndex: number };
  log: { contractAddress: string; fields: string[] };
}

function recorded(golden: readonly GoldenCase[], method: string): GoldenCase {
  const found = golden.find((c) => c.method === method && c.result !== undefined);
  if (found === undefined) throw new RangeError(`the recording has no answer of ${method}`);
  return found;
}

/**
 * Calls beyond the recording, as values of the library's types. Every method is called for a found and a missing value
 * and with each optional parameter. Large calls carry a transaction: few of them fit into a body.
 */
export async function furtherQuestions(
  golden: readonly GoldenCase[],
): Promise<{ small: Question[]; large: Question[] }> {
  const tip = recorded(golden, "getBlockNumber").result as number;
  const { logs } = recorded(golden, "getPublicLogs").result as { logs: RecordedLog[] };
  const { id, log } = logs[0];
  const block = BlockHash.fromString(id.blockHash);
  const txHash = TxHash.fromString(id.txHash);
  const contract = AztecAddress.fromString(log.contractAddress);
  const publicTag = new Tag(Fr.fromString(log.fields[0]));
  const privateTags = recorded(golden, "getPrivateLogsByTags").params[0] as string[];
  const siloedTag = new SiloedTag(Fr.fromString(privateTags[0]));
  const nullifier = Fr.fromString(recorded(golden, "getNullifierMembershipWitness").params[1] as string);
  const noteHash = Fr.fromString(recorded(golden, "getNoteHashMembershipWitness").params[1] as string);
  const classId = Fr.fromString(recorded(golden, "getContractClass").params[0] as string);
  const archive = Fr.fromString(recorded(golden, "getBlockByArchive").params[0] as string);
  const leafSlot = Fr.fromString(recorded(golden, "getPublicDataWitness").params[1] as string);
  const message = Fr.fromString(recorded(golden, "getL1ToL2MessageCheckpoint").params[0] as string);
  const validator = EthAddress.fromString("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
  const noFr = new Fr(0x1234567890abcdefn);
  const noHash = new BlockHash(noFr);
  const noTx = TxHash.fromField(noFr);
  const noAddress = AztecAddress.fromField(noFr);
  const afterLog = new LogId(id.blockNumber as never, block, txHash, id.txIndex, id.logIndex);
  const tx = await mockTx(1);

  const questions: Question[] = [];
  const ask = (method: string, expect: Expectation, ...lists: readonly unknown[][]) => {
    for (const args of lists) questions.push({ method, args, expect });
  };

  ask("getBlockHeader", "result", [], [undefined], ["latest"], [tip], [block], [0]);
  ask("getBlockHeader", "nothing", [tip + 1], [noHash]);
  ask("getBlock", "result", ["latest"], [1], [block], [0]);
  ask("getBlock", "nothing", [tip + 1], [noHash]);
  ask("getBlockByHash", "result", [block]);
  ask("getBlockByHash", "nothing", [noHash]);
  ask("getBlockByArchive", "result", [archive]);
  ask("getBlockByArchive", "nothing", [noFr]);
  ask("getBlockHeaderByArchive", "result", [archive]);
  ask("getBlockHeaderByArchive", "nothing", [noFr]);
  ask("getBlocks", "result", [1, 50], [tip + 1, 1], [tip, 50]);
  ask("getBlocks", /less than or equal to 50/, [1, 51]);
  ask("getCheckpointedBlocks", "result", [1, 50], [tip + 1, 1]);
  ask("getCheckpoints", "result", [1, 50], [tip + 1, 1]);
  ask("getCheckpointsDataForEpoch", "result", [0], [1], [100_000]);
  ask("getL2ToL1Messages", "result", [0], [1], [100_000]);

  for (const reference of ["latest", tip, 1, 0, block] as const) {
    ask("findLeavesIndexes", "result", [reference, 0, [nullifier, noFr]], [reference, 1, [noteHash]]);
    ask("findLeavesIndexes", "result", [reference, 3, [message]], [reference, 4, [Fr.fromString(id.blockHash)]]);
    ask("getLowNullifierMembershipWitness", "result", [reference, noFr]);
    ask("getPublicDataWitness", "result", [reference, leafSlot], [reference, noFr]);
    ask("getPublicStorageAt", "result", [reference, contract, new Fr(1)], [reference, noAddress, noFr]);
  }
  ask("getNullifierMembershipWitness", "result", ["latest", nullifier]);
  ask("getNullifierMembershipWitness", "nothing", ["latest", noFr]);
  ask("getNoteHashMembershipWitness", "result", ["latest", noteHash]);
  ask("getNoteHashMembershipWitness", "nothing", ["latest", noFr]);
  ask("getBlockHashMembershipWitness", "result", ["latest", block]);
  ask("getBlockHashMembershipWitness", "nothing", ["latest", noHash]);
  ask("getL1ToL2MessageMembershipWitness", "result", ["latest", message]);
  ask("getL1ToL2MessageMembershipWitness", "nothing", ["latest", noFr]);
  ask("getL1ToL2MessageCheckpoint", "result", [message]);
  ask("getL1ToL2MessageCheckpoint", "nothing", [noFr]);
  ask("isL1ToL2MessageSynced", "result", [message], [noFr]);
  ask("getPublicStorageAt", /not yet synced/, [tip + 1, contract, noFr]);
  ask("getPublicStorageAt", /not found when querying world state/, [noHash, contract, noFr]);

  ask(
    "getPublicLogs",
    "result",
    [{}],
    [{ fromBlock: 1, toBlock: tip + 1 }],
    [{ txHash }],
    [{ contractAddress: contract }],
  );
  ask("getPublicLogs", "result", [{ contractAddress: contract, tag: publicTag }], [{ afterLog }], [{ txHash: noTx }]);
  ask("getContractClassLogs", "result", [{}], [{ fromBlock: 1, toBlock: 3 }], [{ txHash }], [{ afterLog }]);
  ask(
    "getPrivateLogsByTags",
    "result",
    [[]],
    [[siloedTag]],
    [[siloedTag], 0],
    [[siloedTag], 1],
    [[siloedTag], 0, block],
  );
  ask("getPrivateLogsByTags", "result", [[siloedTag], undefined, block], [[new SiloedTag(noFr), siloedTag], 0]);
  ask("getPrivateLogsByTags", /not found in the node/, [[siloedTag], 0, noHash]);
  ask("getPublicLogsByTagsFromContract", "result", [contract, []], [contract, [publicTag]], [contract, [publicTag], 1]);
  ask("getPublicLogsByTagsFromContract", "result", [contract, [publicTag], 0, block], [noAddress, [publicTag]]);
  ask("getPublicLogsByTagsFromContract", /not found in the node/, [contract, [publicTag], 0, noHash]);

  ask("getTxReceipt", "result", [txHash], [noTx]);
  ask("getTxEffect", "result", [txHash]);
  ask("getTxEffect", "nothing", [noTx]);
  ask("getTxByHash", "nothing", [noTx]);
  ask("getTxsByHash", "result", [[]], [[noTx]], [[txHash, noTx]]);
  ask("getPendingTxs", "result", [], [50], [1, noTx], [undefined, noTx]);
  ask("getPendingTxs", /less than or equal to 50/, [51]);
  ask("getContract", "result", [contract], [AztecAddress.fromNumber(5)]);
  ask("getContract", "nothing", [noAddress]);
  ask("getContractClass", "result", [classId]);
  ask("getContractClass", "nothing", [noFr]);
  ask("getValidatorStats", "nothing", [validator], [validator, 1], [validator, 1, 5], [validator, undefined, 5]);
  ask("registerContractFunctionSignatures", "nothing", [[]], [["transfer(Field,Field)"]]);
  ask("registerContractFunctionSignatures", /at most 10000 character/, [["x".repeat(10_001)]]);
  ask("getCurrentMinFees", "result", []);

  // A tx of another network without a fee payer.
  ask("sendTx", /^Invalid tx: .*Incorrect L1 chain id/, [tx]);
  ask("isValidTx", "result", [tx], [tx, {}], [tx, { isSimulation: true }], [tx, { skipFeeEnforcement: true }]);
  ask("simulatePublicCalls", /must be greater than or equal to gasFees/, [tx], [tx, true], [tx, false]);
  const isLarge = ({ args }: Question) => args[0] === tx;
  return { small: questions.filter((question) => !isLarge(question)), large: questions.filter(isLarge) };
}
