import { encodeFunctionData, type Hex } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { slotTimestamp } from "../../protocol/time.ts";
import { governanceProposerAbi, PAYLOAD_SUBMITTED_TOPIC } from "../abi/governance-proposer.ts";
import { MULTICALL3_ADDRESS } from "../abi/multicall3.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { simulateCall } from "../propose/simulate.ts";
import { bytes, quantity } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { getLogs } from "../rpc/logs.ts";
import { latestTime } from "../tx/account-reads.ts";
import type { TypedData } from "../tx/signer.ts";
import type { RollupIdentity } from "../types.ts";

/** State of the signalling round that a slot belongs to. */
interface SignalRound {
  round: bigint;
  /** Last slot with a signal; 0 when there is none. */
  lastSignalSlot: bigint;
  /** Whether a payload has enough signals already. */
  quorumReached: boolean;
}

/**
 * The contract in which slot proposers signal for a governance payload
 * (docs/protocol/08-building-and-checkpoints.md#823-governance-signals). Reads throw an L1Error.
 */
export class GovernanceProposer {
  readonly #rpc: L1Rpc;
  readonly #identity: Pick<RollupIdentity, "l1ChainId" | "addresses" | "constants">;
  readonly #contract: Contract<typeof governanceProposerAbi>;

  constructor(rpc: L1Rpc, identity: Pick<RollupIdentity, "l1ChainId" | "addresses" | "constants">) {
    this.#rpc = rpc;
    this.#identity = identity;
    const address = identity.addresses.governanceProposerAddress;
    this.#contract = { name: "GovernanceProposer", address, abi: governanceProposerAbi };
  }

  /** Lower-case 0x text. */
  get address(): string {
    return this.#contract.address;
  }

  async roundOf(slot: number): Promise<SignalRound> {
    const instance = this.#identity.addresses.rollupAddress as Hex;
    const round = await read(this.#rpc, this.#contract, "computeRound", [BigInt(slot)]);
    const [{ lastSignalSlot, payloadWithMostSignals }, quorum] = await Promise.all([
      read(this.#rpc, this.#contract, "getRoundData", [instance, round]),
      read(this.#rpc, this.#contract, "QUORUM_SIZE", []),
    ]);
    const signals = await read(this.#rpc, this.#contract, "signalCount", [instance, round, payloadWithMostSignals]);
    return { round, lastSignalSlot, quorumReached: signals >= quorum };
  }

  async hasCode(payload: string): Promise<boolean> {
    const parse = (answer: unknown) => bytes(answer, "code").length > 0;
    return this.#rpc.request({ method: "eth_getCode", params: [payload, "latest"], parse, about: "payload" });
  }

  /** Whether a payload was submitted to governance since the rollup was deployed. */
  async wasSubmitted(payload: string): Promise<boolean> {
    const filter = {
      address: this.address,
      topics: [PAYLOAD_SUBMITTED_TOPIC, `0x${payload.slice(2).toLowerCase().padStart(64, "0")}`],
      fromBlock: this.#identity.constants.l1StartBlock,
      toBlock: await this.#rpc.request({
        method: "eth_blockNumber",
        params: [],
        parse: (answer) => quantity(answer, "block number"),
      }),
    };
    return (await getLogs(this.#rpc, filter, (log) => log)).length > 0;
  }

  /** Why a call would revert in a slot; undefined if it would succeed or L1 cannot simulate it. */
  async revertReason(data: Uint8Array, slot: number): Promise<string | undefined> {
    const next = (await latestTime(this.#rpc)) / 1000 + 1;
    const timestamp = Math.max(next, slotTimestamp(slot, this.#identity.constants));
    const result = await simulateCall(this.#rpc, { from: MULTICALL3_ADDRESS, to: this.address, data, timestamp });
    return result.kind === "reverted" ? result.reason : undefined;
  }

  /** The typed data that a slot's proposer signs. */
  signalToSign(payload: string, slot: number): TypedData {
    const { l1ChainId: chainId, addresses } = this.#identity;
    return {
      domain: { name: "EmpireBase", version: "1", chainId, verifyingContract: this.address },
      types: {
        Signal: [
          { name: "payload", type: "address" },
          { name: "slot", type: "uint256" },
          { name: "instance", type: "address" },
        ],
      },
      primaryType: "Signal",
      message: { payload, slot: BigInt(slot), instance: addresses.rollupAddress },
    };
  }
}

/** Calldata of signalWithSig; the signature is 65 bytes r, s, v. */
export function signalCalldata(payload: string, signature: Uint8Array): Uint8Array {
  const [r, s] = [signature.slice(0, 32), signature.slice(32, 64)].map((word) => toHex(word) as Hex);
  const args = [payload as Hex, { v: signature[64], r, s }] as const;
  return fromHex(encodeFunctionData({ abi: governanceProposerAbi, functionName: "signalWithSig", args }));
}
