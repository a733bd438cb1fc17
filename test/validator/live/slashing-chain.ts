import {
  createPublicClient,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  parseAbi,
  parseAbiItem,
  toBytes,
} from "viem";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { SlashingContracts } from "../../../src/l1/slashing/slashing-contracts.ts";
import type { TallyProposer } from "../../../src/l1/slashing/tally-proposer.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { call } from "../../world/live/json-rpc.ts";

const VOTE_CAST = parseAbiItem("event VoteCast(uint256 indexed round, uint256 indexed slot, address indexed proposer)");
const ROUND_EXECUTED = parseAbiItem("event RoundExecuted(uint256 indexed round, uint256 slashCount)");
const SLASHED = parseAbiItem("event Slashed(address indexed attester, uint256 amount)");
const ATTESTER_VIEW = parseAbi(["function getAttesterView(address attester) view returns (uint8, uint256)"]);
const PROPOSER_AT = parseAbi(["function getProposerAt(uint256 time) view returns (address)"]);

const TIPS_SLOT = keccak256(toBytes("aztec.stf.storage"));

/** A vote of a slot's proposer. Addresses are lower-case 0x text. */
export interface CastVote {
  round: number;
  slot: number;
  proposer: string;
}

export interface ExecutedRound {
  round: number;
  txHash: string;
  /** Who sent the transaction; lower-case 0x text. */
  sender: string;
  /** Amounts taken by it from each validator, in the staking asset's smallest unit. */
  slashes: { validator: string; amount: bigint }[];
}

/** Votes, slashed rounds and stakes on a development L1, and its proven tip, which can be moved there. */
export class SlashingChain {
  readonly proposer: TallyProposer;
  readonly #url: string;
  readonly #rollup: Hex;
  readonly #client: PublicClient;
  readonly #fromBlock: bigint;

  private constructor(url: string, rollup: string, { proposer, height }: { proposer: TallyProposer; height: number }) {
    this.#url = url;
    this.#fromBlock = BigInt(height + 1);
    this.#rollup = rollup as Hex;
    this.#client = createPublicClient({ transport: http(url) });
    this.proposer = proposer;
  }

  /** Events of L1 blocks until now are left out. */
  static async connect(url: string, rollup: string): Promise<SlashingChain> {
    const rpc = new L1Rpc({ urls: [url], logger: silentLogger });
    const proposer = await new SlashingContracts(rpc, rollup).current();
    if (proposer?.kind !== "tally")
      throw new Error(`the network slashes by ${proposer?.kind ?? "no"} model, not by tally`);
    const height = Number(await call(url, "eth_blockNumber"));
    return new SlashingChain(url, rollup, { proposer, height });
  }

  /** Stake of a validator that counts, in the staking asset's smallest unit. */
  async stake(validator: string): Promise<bigint> {
    const [, balance] = await this.#client.readContract({
      address: this.#rollup,
      abi: ATTESTER_VIEW,
      functionName: "getAttesterView",
      args: [validator as Hex],
    });
    return balance;
  }

  /** Proposer of the slot that begins at `time`, in Unix milliseconds; lower-case 0x text. */
  async proposerAt(time: number): Promise<string> {
    const proposer = await this.#client.readContract({
      address: this.#rollup,
      abi: PROPOSER_AT,
      functionName: "getProposerAt",
      args: [BigInt(time / 1000)],
    });
    return proposer.toLowerCase();
  }

  async votes(): Promise<CastVote[]> {
    const address = this.proposer.address as Hex;
    const logs = await this.#client.getLogs({ address, event: VOTE_CAST, fromBlock: this.#fromBlock, strict: true });
    return logs.map(({ args: { round, slot, proposer } }) => ({
      round: Number(round),
      slot: Number(slot),
      proposer: proposer.toLowerCase(),
    }));
  }

  async executions(): Promise<ExecutedRound[]> {
    const address = this.proposer.address as Hex;
    const rounds = await this.#client.getLogs({
      address,
      event: ROUND_EXECUTED,
      fromBlock: this.#fromBlock,
      strict: true,
    });
    const slashed = await this.#client.getLogs({
      address: this.#rollup,
      event: SLASHED,
      fromBlock: this.#fromBlock,
      strict: true,
    });
    return Promise.all(
      rounds.map(async ({ args: { round }, transactionHash: txHash }) => ({
        round: Number(round),
        txHash,
        sender: (await this.#client.getTransaction({ hash: txHash })).from.toLowerCase(),
        slashes: slashed
          .filter(({ transactionHash }) => transactionHash === txHash)
          .map(({ args: { attester, amount } }) => ({ validator: attester.toLowerCase(), amount })),
      })),
    );
  }

  /**
   * Makes the rollup treat a checkpoint and all before it as proven, without a proof
   * (docs/protocol/08-building-and-checkpoints.md#829-time-of-a-local-network).
   */
  async prove(checkpoint: number): Promise<void> {
    // Between two L1 blocks, so that no checkpoint that arrives meanwhile is lost.
    const before = await this.#client.getBlockNumber({ cacheTime: 0 });
    while ((await this.#client.getBlockNumber({ cacheTime: 0 })) === before) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const tips = (await call(this.#url, "eth_getStorageAt", this.#rollup, TIPS_SLOT, "latest")) as string;
    const [pending, proven] = [tips.slice(2, 34), tips.slice(34)];
    const number = checkpoint.toString(16).padStart(32, "0");
    if (BigInt(`0x${pending}`) < checkpoint || BigInt(`0x${proven}`) >= checkpoint) return;
    await call(this.#url, "anvil_setStorageAt", this.#rollup, TIPS_SLOT, `0x${pending}${number}`);
  }
}
