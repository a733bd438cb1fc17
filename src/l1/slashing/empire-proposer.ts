import type { Hex } from "viem";
import { empireSlashingProposerAbi } from "../abi/slashing.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { Slasher } from "./slasher.ts";

/** Immutable values of an empire slashing proposer. */
interface EmpireRules {
  quorum: number;
  /** Slots. */
  roundSize: number;
  lifetimeInRounds: number;
  executionDelayInRounds: number;
}

interface EmpireRound {
  executed: boolean;
  /** The payload with the most signals; undefined if there is none. Lower-case 0x text. */
  leader: string | undefined;
}

/** The contract that counts signals for slash payloads. Reads throw an L1Error. */
export class EmpireProposer {
  readonly kind = "empire";
  /** Lower-case 0x text. */
  readonly address: string;
  readonly slasher: Slasher;
  readonly rules: EmpireRules;
  readonly #rpc: L1Rpc;
  readonly #rollup: Hex;
  readonly #contract: Contract<typeof empireSlashingProposerAbi>;

  private constructor(rpc: L1Rpc, addresses: EmpireAddresses, rules: EmpireRules) {
    this.#rpc = rpc;
    this.#rollup = addresses.rollup as Hex;
    this.#contract = contractAt(addresses.address);
    this.address = addresses.address;
    this.slasher = addresses.slasher;
    this.rules = rules;
  }

  static async load(rpc: L1Rpc, addresses: EmpireAddresses): Promise<EmpireProposer> {
    const contract = contractAt(addresses.address);
    const [quorum, roundSize, lifetime, delay] = await Promise.all([
      read(rpc, contract, "QUORUM_SIZE", []),
      read(rpc, contract, "ROUND_SIZE", []),
      read(rpc, contract, "LIFETIME_IN_ROUNDS", []),
      read(rpc, contract, "EXECUTION_DELAY_IN_ROUNDS", []),
    ]);
    return new EmpireProposer(rpc, addresses, {
      quorum: Number(quorum),
      roundSize: Number(roundSize),
      lifetimeInRounds: Number(lifetime),
      executionDelayInRounds: Number(delay),
    });
  }

  async round(round: number): Promise<EmpireRound> {
    const args = [this.#rollup, BigInt(round)] as const;
    const { payloadWithMostSignals, executed } = await read(this.#rpc, this.#contract, "getRoundData", args);
    const leader = payloadWithMostSignals.toLowerCase();
    return { executed, leader: /^0x0+$/.test(leader) ? undefined : leader };
  }

  async votes(round: number, payload: string): Promise<number> {
    const args = [this.#rollup, BigInt(round), payload as Hex] as const;
    return Number(await read(this.#rpc, this.#contract, "signalCount", args));
  }
}

interface EmpireAddresses {
  address: string;
  rollup: string;
  slasher: Slasher;
}

function contractAt(address: string): Contract<typeof empireSlashingProposerAbi> {
  return { name: "EmpireSlashingProposer", address, abi: empireSlashingProposerAbi };
}
