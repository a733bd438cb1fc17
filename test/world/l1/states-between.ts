import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from "viem";

type Text = `0x${string}`;
interface Block {
  number: Text;
  timestamp: Text;
}
interface Log {
  address: Text;
  topics: Text[];
  data: Text;
  blockNumber: Text;
}

/** What a recording says of the whole chain. */
interface Recorded {
  blocks: readonly Block[];
  logs: readonly Log[];
  /** Answer of a contract's function at the last block. */
  atEnd(contract: string, calldata: string): Text | undefined;
}

const abi = parseAbi([
  "struct InboxState { bytes16 rollingHash; uint64 totalMessagesInserted; uint64 inProgress; }",
  "function status(uint256) view returns (uint256, bytes32, uint256, bytes32, bytes32, uint256)",
  "function archiveAt(uint256) view returns (bytes32)",
  "function getProvenCheckpointNumber() view returns (uint256)",
  "function getPendingCheckpointNumber() view returns (uint256)",
  "function canPruneAtTime(uint256) view returns (bool)",
  "function getState() view returns (InboxState)",
]);

const selector = (name: string): Text => toFunctionSelector(`${name}()`);

/** Functions whose answers never change: constants and addresses. */
const CONSTANT = new Set(
  [
    ...["getVersion", "L1_BLOCK_AT_GENESIS", "getGenesisTime", "getSlotDuration", "getEpochDuration", "getManaLimit"],
    ...["getProofSubmissionEpochs", "getTargetCommitteeSize", "getVkTreeRoot", "getProtocolContractsHash"],
    ...["getInbox", "getOutbox", "getFeeAsset", "getFeeAssetPortal", "getRewardDistributor", "getStakingAsset"],
    ...["getGSE", "getCanonicalRollup", "getGovernance", "owner", "governanceProposer", "GATED_UNTIL"],
  ].map(selector),
);

const TOPIC = {
  proposed: "0x6ff492bf2b4ca1b93a175167d14b3e46085b935cab3f39ca94013000799b93a0",
  pruned: "0xc78a70f3b27748d5fa327f6a3c1104b9b007d6a80d20c41f7c0dc4543fbdbdcd",
  proven: "0x034dd13d657aeb14f8dec7291c4a8ddb3b20d40cf2412714e72f97f19c735609",
  message: "0xe3afb584bcff3adb9d452d2e1ccbcd4aee164ae2a8cdab637aecf866a53fbb77",
} as const;
const ZERO: Text = `0x${"0".repeat(64)}`;

/**
 * Answers of the rollup and its inbox at L1 blocks before the last one of a recording, from its logs: a recording has
 * the answers at its last block alone. Where the recorded rollup's proven tip was written into its storage, so that no
 * log tells when, every checkpoint counts as proven at once.
 */
export class StatesBetween {
  readonly #recorded: Recorded;
  readonly #logs: Log[];
  readonly #times: Map<number, number>;
  readonly #writtenProven: number;

  constructor(recorded: Recorded) {
    this.#recorded = recorded;
    this.#times = new Map(recorded.blocks.map(({ number, timestamp }) => [Number(number), Number(timestamp)]));
    const topics: readonly string[] = Object.values(TOPIC);
    this.#logs = recorded.logs.filter((log) => topics.includes(log.topics[0]));
    const rollup = this.#logs.find((log) => log.topics[0] === TOPIC.proposed)!.address;
    const logged = this.#logs.some((log) => log.topics[0] === TOPIC.proven);
    this.#writtenProven = logged ? 0 : this.#number(rollup, "getProvenCheckpointNumber");
  }

  #number(rollup: string, name: string): number {
    return Number(this.#recorded.atEnd(rollup, selector(name)));
  }

  answer(contract: string, calldata: Text, block: number): Text | undefined {
    if (CONSTANT.has(calldata.slice(0, 10) as Text)) return this.#recorded.atEnd(contract, calldata);
    let call: ReturnType<typeof decodeFunctionData<typeof abi>>;
    try {
      call = decodeFunctionData({ abi, data: calldata as Hex });
    } catch {
      return undefined;
    }
    if (call.functionName === "getState") return this.#inbox(block);
    const { pending, proven } = this.#tips(block);
    const archive = (checkpoint: number): Text =>
      checkpoint === 0
        ? this.#recorded.atEnd(contract, `${toFunctionSelector("archiveAt(uint256)")}${"0".repeat(64)}`)!
        : (pending[checkpoint - 1]?.topics[2] ?? ZERO);
    switch (call.functionName) {
      case "status": {
        const [provenArchive, pendingArchive] = [archive(proven), archive(pending.length)];
        const asked = archive(Number(call.args[0]));
        return encodeAbiParameters(
          ["uint256", "bytes32", "uint256", "bytes32", "bytes32", "uint256"].map((type) => ({ type })),
          [BigInt(proven), provenArchive, BigInt(pending.length), pendingArchive, asked, 0n],
        );
      }
      case "archiveAt":
        return archive(Number(call.args[0]));
      case "getProvenCheckpointNumber":
        return encodeFunctionResult({ abi, functionName: call.functionName, result: BigInt(proven) });
      case "getPendingCheckpointNumber":
        return encodeFunctionResult({ abi, functionName: call.functionName, result: BigInt(pending.length) });
      case "canPruneAtTime": {
        const first = pending[proven];
        const epochOf = (time: number): number => {
          const of = (name: string) => this.#number(contract, name);
          return Math.floor((time - of("getGenesisTime")) / of("getSlotDuration") / of("getEpochDuration"));
        };
        const last = (): number =>
          epochOf(this.#times.get(Number(first.blockNumber))!) + this.#number(contract, "getProofSubmissionEpochs");
        const result = first !== undefined && epochOf(Number(call.args[0])) > last();
        return encodeFunctionResult({ abi, functionName: call.functionName, result });
      }
    }
  }

  /** The proposals of the pending chain as of a block, from checkpoint 1 on, and the number of proven ones. */
  #tips(block: number): { pending: Log[]; proven: number } {
    let pending: Log[] = [];
    let proven = 0;
    for (const log of this.#logs) {
      if (Number(log.blockNumber) > block) break;
      if (log.topics[0] === TOPIC.pruned) pending = pending.slice(0, proven);
      else if (log.topics[0] === TOPIC.proposed) pending[Number(log.topics[1]) - 1] = log;
      else if (log.topics[0] === TOPIC.proven) proven = Math.max(proven, Number(log.topics[1]));
    }
    return { pending, proven: Math.max(proven, Math.min(this.#writtenProven, pending.length)) };
  }

  #inbox(block: number): Text {
    const sent = this.#logs.filter((log) => log.topics[0] === TOPIC.message && Number(log.blockNumber) <= block);
    const last = sent.at(-1);
    const result = {
      rollingHash: (last === undefined ? `0x${"0".repeat(32)}` : `0x${last.data.slice(66, 98)}`) as Hex,
      totalMessagesInserted: BigInt(sent.length),
      inProgress: BigInt(last?.topics[1] ?? 2),
    };
    return encodeFunctionResult({ abi, functionName: "getState", result });
  }
}
