import type { Hex } from "viem";
import { fromHex } from "../../protocol/bytes.ts";
import { tallySlashingProposerAbi } from "../abi/slashing.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { Slasher } from "./slasher.ts";

/** Immutable values of a tally slashing proposer. Rounds are counted in slots. */
interface TallyRules {
  quorum: number;
  roundSize: number;
  committeeSize: number;
  lifetimeInRounds: number;
  executionDelayInRounds: number;
  offsetInRounds: number;
  /** Ascending. */
  amounts: readonly [small: bigint, medium: bigint, large: bigint];
}

/** What a round's votes take from a validator, which may be there once for each epoch. Lower-case 0x text. */
interface TalliedSlash {
  validator: string;
  amount: bigint;
}

/** The contract that counts votes on validators. Reads throw an L1Error. */
export class TallyProposer {
  readonly kind = "tally";
  /** Lower-case 0x text. */
  readonly address: string;
  readonly slasher: Slasher;
  readonly rules: TallyRules;
  readonly #rpc: L1Rpc;
  readonly #contract: Contract<typeof tallySlashingProposerAbi>;

  private constructor(rpc: L1Rpc, { address, slasher }: { address: string; slasher: Slasher }, rules: TallyRules) {
    this.#rpc = rpc;
    this.#contract = contractAt(address);
    this.address = address;
    this.slasher = slasher;
    this.rules = rules;
  }

  static async load(rpc: L1Rpc, addresses: { address: string; slasher: Slasher }): Promise<TallyProposer> {
    const contract = contractAt(addresses.address);
    const [quorum, roundSize, committeeSize, lifetime, delay, offset, ...amounts] = await Promise.all([
      read(rpc, contract, "QUORUM", []),
      read(rpc, contract, "ROUND_SIZE", []),
      read(rpc, contract, "COMMITTEE_SIZE", []),
      read(rpc, contract, "LIFETIME_IN_ROUNDS", []),
      read(rpc, contract, "EXECUTION_DELAY_IN_ROUNDS", []),
      read(rpc, contract, "SLASH_OFFSET_IN_ROUNDS", []),
      read(rpc, contract, "SLASH_AMOUNT_SMALL", []),
      read(rpc, contract, "SLASH_AMOUNT_MEDIUM", []),
      read(rpc, contract, "SLASH_AMOUNT_LARGE", []),
    ]);
    return new TallyProposer(rpc, addresses, {
      quorum: Number(quorum),
      roundSize: Number(roundSize),
      committeeSize: Number(committeeSize),
      lifetimeInRounds: Number(lifetime),
      executionDelayInRounds: Number(delay),
      offsetInRounds: Number(offset),
      amounts: [amounts[0], amounts[1], amounts[2]],
    });
  }

  /** State of one of the 128 latest rounds. */
  async round(round: number): Promise<{ executed: boolean; votes: number }> {
    const [executed, votes] = await read(this.#rpc, this.#contract, "getRound", [BigInt(round)]);
    return { executed, votes: Number(votes) };
  }

  /** The votes that one proposer gave in a round (docs/protocol/12-slashing.md#127-votes-of-the-tally-model). */
  async ballot(round: number, index: number): Promise<Uint8Array> {
    return fromHex(await read(this.#rpc, this.#contract, "getVotes", [BigInt(round), BigInt(index)]));
  }

  isReadyToExecute(round: number, slot: number): Promise<boolean> {
    return read(this.#rpc, this.#contract, "isRoundReadyToExecute", [BigInt(round), BigInt(slot)]);
  }

  /** Committees of the epochs that a round votes on; empty where there was none. Lower-case 0x text. */
  async targetCommittees(round: number): Promise<string[][]> {
    const committees = await read(this.#rpc, this.#contract, "getSlashTargetCommittees", [BigInt(round)]);
    return committees.map((members) => members.map((member) => member.toLowerCase()));
  }

  /** What the votes of a round decided so far. */
  async tally(round: number, committees: readonly (readonly string[])[]): Promise<TalliedSlash[]> {
    const slashes = await read(this.#rpc, this.#contract, "getTally", [BigInt(round), committees as Hex[][]]);
    return slashes.map(({ validator, slashAmount }) => ({ validator: validator.toLowerCase(), amount: slashAmount }));
  }

  /** Address of the payload that executing the slashes of a round deploys. */
  async payloadAddress(round: number, slashes: readonly TalliedSlash[]): Promise<string> {
    const actions = slashes.map(({ validator, amount }) => ({ validator: validator as Hex, slashAmount: amount }));
    return (await read(this.#rpc, this.#contract, "getPayloadAddress", [BigInt(round), actions])).toLowerCase();
  }
}

function contractAt(address: string): Contract<typeof tallySlashingProposerAbi> {
  return { name: "TallySlashingProposer", address, abi: tallySlashingProposerAbi };
}
