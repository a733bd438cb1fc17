import { decodeEventLog, type Hex, toEventSelector } from "viem";
import { toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { slashFactoryAbi } from "../abi/slashing.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { block, type L1Log, quantity } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { getLogs } from "../rpc/logs.ts";

/** What a payload takes from a validator. */
export interface PayloadSlash {
  /** Lower-case 0x text. */
  validator: string;
  amount: bigint;
  offenses: { epochOrSlot: bigint; offenseType: number }[];
}

export interface CreatedPayload {
  /** Lower-case 0x text. */
  address: string;
  slashes: PayloadSlash[];
  /** Time of the L1 block that created it, in seconds. */
  timestamp: number;
}

const TYPE_SHIFT = 120n;
/** SlashPayloadCreated. */
export const PAYLOAD_CREATED_TOPIC = toEventSelector(
  slashFactoryAbi.find((item) => item.type === "event" && item.name === "SlashPayloadCreated") as never,
);

/** An offense in 128 bits: its type in the highest 8, epoch or slot in the others. */
export function packOffense({ offenseType, epochOrSlot }: PayloadSlash["offenses"][number]): bigint {
  return (BigInt(offenseType) << TYPE_SHIFT) + epochOrSlot;
}

export function unpackOffense(packed: bigint): PayloadSlash["offenses"][number] {
  return { offenseType: Number(packed >> TYPE_SHIFT), epochOrSlot: packed & ((1n << TYPE_SHIFT) - 1n) };
}

/**
 * In the order that all nodes use, because a payload's address depends on it: by validator, epoch or slot, and type.
 */
export function sortedSlashes(slashes: readonly PayloadSlash[]): PayloadSlash[] {
  return slashes
    .map((slash) => ({
      ...slash,
      offenses: [...slash.offenses].sort(
        (a, b) => Number(a.epochOrSlot - b.epochOrSlot) || a.offenseType - b.offenseType,
      ),
    }))
    .sort((a, b) => (a.validator < b.validator ? -1 : Number(a.validator > b.validator)));
}

/** The contract that deploys slash payloads of the empire model. Reads throw an L1Error. */
export class SlashFactory {
  /** Lower-case 0x text. */
  readonly address: string;
  readonly #rpc: L1Rpc;
  readonly #contract: Contract<typeof slashFactoryAbi>;

  constructor(rpc: L1Rpc, address: string) {
    this.#rpc = rpc;
    this.address = address.toLowerCase();
    this.#contract = { name: "SlashFactory", address: this.address, abi: slashFactoryAbi };
  }

  /** Where a payload with these slashes (sorted) is or would be. */
  async payloadOf(slashes: readonly PayloadSlash[]): Promise<{ address: string; deployed: boolean }> {
    const args = [
      slashes.map(({ validator }) => validator as Hex),
      slashes.map(({ amount }) => amount),
      slashes.map(({ offenses }) => offenses.map(packOffense)),
    ] as const;
    const [address, , deployed] = await read(this.#rpc, this.#contract, "getAddressAndIsDeployed", args);
    return { address: address.toLowerCase(), deployed };
  }

  /** The payloads that the last `blocks` L1 blocks created, oldest first. */
  async created(blocks: number): Promise<CreatedPayload[]> {
    const parse = (answer: unknown) => quantity(answer, "block number");
    const toBlock = await this.#rpc.request({ method: "eth_blockNumber", params: [], parse });
    const fromBlock = Math.max(0, toBlock - blocks);
    const filter = { address: this.address, topics: [PAYLOAD_CREATED_TOPIC], fromBlock, toBlock };
    const found = await getLogs(this.#rpc, filter, (logs) => logs.map(readCreated));
    const times = new Map<number, number>();
    for (const { l1Block } of found) if (!times.has(l1Block)) times.set(l1Block, await this.#timeOf(l1Block));
    return found.map(({ address, slashes, l1Block }) => ({ address, slashes, timestamp: times.get(l1Block) ?? 0 }));
  }

  async #timeOf(number: number): Promise<number> {
    const params = [`0x${number.toString(16)}`, false];
    const found = await this.#rpc.request({ method: "eth_getBlockByNumber", params, parse: block });
    return found?.timestamp ?? 0;
  }
}

/** Throws a DecodeError if the log is not a SlashPayloadCreated event. */
function readCreated(log: L1Log): { address: string; slashes: PayloadSlash[]; l1Block: number } {
  const subject = `SlashPayloadCreated log ${log.logIndex} of L1 block ${log.blockNumber}`;
  const topics = log.topics.map(toHex) as [Hex, ...Hex[]];
  const data = toHex(log.data) as Hex;
  let args: {
    payloadAddress: Hex;
    validators: readonly Hex[];
    amounts: readonly bigint[];
    offenses: readonly (readonly bigint[])[];
  };
  try {
    ({ args } = decodeEventLog({ abi: slashFactoryAbi, eventName: "SlashPayloadCreated", topics, data }));
  } catch (cause) {
    throw new DecodeError(subject, "must match the event's ABI", { cause });
  }
  const { payloadAddress, validators, amounts, offenses } = args;
  if (validators.length !== amounts.length || validators.length !== offenses.length)
    throw new DecodeError(subject, "must have an amount and offenses for each validator");
  const slashes = validators.map((validator, i) => ({
    validator: validator.toLowerCase(),
    amount: amounts[i],
    offenses: offenses[i].map(unpackOffense),
  }));
  return { address: payloadAddress.toLowerCase(), slashes, l1Block: log.blockNumber };
}
