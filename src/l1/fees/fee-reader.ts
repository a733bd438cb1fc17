import { setTimeout as sleep } from "node:timers/promises";
import { type GasFees, manaFees } from "../../protocol/fees/gas-fees.ts";
import {
  type ManaUsage,
  PREDICTED_SLOTS,
  type PredictionBasis,
  predictMinFees,
} from "../../protocol/fees/predicted-min-fees.ts";
import { slotAt, slotTimestamp } from "../../protocol/time.ts";
import { rollupFeesAbi } from "../abi/rollup-fees.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { L1Error, StaleFeesError } from "../errors.ts";
import { PerL1Block, readAtLatest, sharedLatestBlock } from "../latest-block.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { FeeReader, L1Block, RollupIdentity } from "../types.ts";

interface FeeReaderOptions {
  rpc: L1Rpc;
  identity: RollupIdentity;
  latestBlock(): Promise<L1Block>;
  /** Seconds since 1970. */
  now?(): number;
}

/**
 * FeeReader over JSON-RPC. Every read is pinned to the L1 block that was the latest at the time of the call, and cached
 * for that block.
 */
export class JsonRpcFeeReader implements FeeReader {
  readonly #rpc: L1Rpc;
  readonly #identity: RollupIdentity;
  readonly #rollup: Contract<typeof rollupFeesAbi>;
  readonly #latestBlock: () => Promise<L1Block>;
  readonly #now: () => number;
  readonly #current = new PerL1Block((block) => this.#readCurrent(block));
  readonly #basis = new PerL1Block((block) => this.#readBasis(block));

  constructor({ rpc, identity, latestBlock, now = () => Date.now() / 1000 }: FeeReaderOptions) {
    this.#rpc = rpc;
    this.#identity = identity;
    this.#rollup = { name: "Rollup", address: identity.addresses.rollupAddress, abi: rollupFeesAbi };
    this.#latestBlock = sharedLatestBlock(latestBlock);
    this.#now = now;
  }

  async currentMinFees(): Promise<GasFees> {
    return { ...(await readAtLatest(this.#latestBlock, (block) => this.#current.at(block))) };
  }

  async predictedMinFees(usage: ManaUsage): Promise<GasFees[]> {
    const [current, basis] = await readAtLatest(this.#latestBlock, (block) =>
      Promise.all([this.#current.at(block), this.#basis.at(block)]),
    );
    return [{ ...current }, ...predictMinFees(basis, usage)];
  }

  async #readCurrent({ number: at, timestamp }: L1Block): Promise<GasFees> {
    const { constants } = this.#identity;
    const pending = await read(this.#rpc, this.#rollup, "getPendingCheckpointNumber", [], at);
    const { slotNumber } = await read(this.#rpc, this.#rollup, "getCheckpoint", [pending], at);
    // No checkpoint can come before the slot after the last one, nor before the next L1 block.
    const time = Math.max(slotTimestamp(Number(slotNumber) + 1, constants), timestamp + constants.ethereumSlotDuration);
    return manaFees(await read(this.#rpc, this.#rollup, "getManaMinFeeAt", [BigInt(time), true], at));
  }

  async #readBasis({ number: at, timestamp }: L1Block): Promise<PredictionBasis> {
    const { constants } = this.#identity;
    const soonest = Math.max(
      slotAt(timestamp, constants),
      slotAt(Math.floor(this.#now()) + constants.ethereumSlotDuration, constants),
    );
    const prunable = BigInt(slotTimestamp(soonest, constants));
    const [tips, pruned, manaTarget, provingCostPerMana] = await Promise.all([
      read(this.#rpc, this.#rollup, "getTips", [], at),
      read(this.#rpc, this.#rollup, "canPruneAtTime", [prunable], at),
      read(this.#rpc, this.#rollup, "getManaTarget", [], at),
      read(this.#rpc, this.#rollup, "getProvingCostPerManaInEth", [], at),
    ]);
    const number = pruned ? tips.proven : tips.pending;
    const { slotNumber, feeHeader: parent } = await read(this.#rpc, this.#rollup, "getCheckpoint", [number], at);
    const next = Math.max(Number(slotNumber) + 1, soonest);
    const l1Fees = await Promise.all(
      Array.from({ length: PREDICTED_SLOTS }, (_, k) =>
        read(this.#rpc, this.#rollup, "getL1FeesAt", [BigInt(slotTimestamp(next + k, constants))], at),
      ),
    );
    const parameters = { manaTarget, provingCostPerMana, epochDuration: BigInt(constants.epochDuration) };
    return { parameters, parent, l1Fees };
  }
}

interface LastingFeesOptions {
  /** Maximum age of the cached fees that are returned while L1 gives no newer ones. */
  maxAgeMs?: number;
  /** Time to wait for L1 before the cached fees are returned. */
  patienceMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
}

/** One L1 slot. Fees change with L1 blocks, so a value of this age belongs to the latest L1 block or the one before. */
const MAX_AGE_MS = 12_000;
const PATIENCE_MS = 1_000;

const FALLBACK = Symbol("fallback");

/** Caches the last value read, and returns it while a newer one is not available. */
class LastingValue<T> {
  readonly #options: Required<LastingFeesOptions>;
  #last: { value: T; at: number } | undefined;

  constructor(options: Required<LastingFeesOptions>) {
    this.#options = options;
  }

  /** Rejects with the error of `read` if the cached value is too old. */
  async get(read: () => Promise<T>): Promise<T> {
    const { patienceMs } = this.#options;
    const asked = this.#current(read);
    if (this.#recent() === undefined) return await asked;
    const over = new AbortController();
    const first = await Promise.race([
      asked.catch((error: unknown) => {
        if (error instanceof L1Error) return FALLBACK;
        throw error;
      }),
      sleep(patienceMs, FALLBACK, { signal: over.signal, ref: false }).catch(() => FALLBACK),
    ]).finally(() => over.abort());
    return first === FALLBACK ? (this.#recent() ?? (await asked)) : (first as T);
  }

  #recent(): T | undefined {
    const { now, maxAgeMs } = this.#options;
    return this.#last !== undefined && now() - this.#last.at < maxAgeMs ? this.#last.value : undefined;
  }

  /** An L1 that answered too late answers again, so it is asked once more. */
  #current(read: () => Promise<T>): Promise<T> {
    return this.#remembered(read()).catch((error: unknown) => {
      if (error instanceof StaleFeesError) return this.#remembered(read());
      throw error;
    });
  }

  /** The age of a value counts from the request for it. Rejects with a StaleFeesError if it is too old by then. */
  async #remembered(read: Promise<T>): Promise<T> {
    const { now, maxAgeMs } = this.#options;
    const at = now();
    const value = await read;
    if (this.#last === undefined || at >= this.#last.at) this.#last = { value, at };
    const ageMs = now() - at;
    if (ageMs >= maxAgeMs) throw new StaleFeesError(ageMs, maxAgeMs);
    return value;
  }
}

/**
 * Wraps a fee reader: while L1 fails or is slow, returns cached fees up to their maximum age. After that it throws the
 * reader's errors.
 */
export function lastingFees(
  reader: FeeReader,
  { maxAgeMs = MAX_AGE_MS, patienceMs = PATIENCE_MS, now = () => performance.now() }: LastingFeesOptions = {},
): FeeReader {
  const options = { maxAgeMs, patienceMs, now };
  const current = new LastingValue<GasFees>(options);
  const predicted = new Map<ManaUsage, LastingValue<GasFees[]>>();
  return {
    currentMinFees: async () => ({ ...(await current.get(() => reader.currentMinFees())) }),
    predictedMinFees: async (usage) => {
      const lasting = predicted.get(usage) ?? new LastingValue<GasFees[]>(options);
      predicted.set(usage, lasting);
      return (await lasting.get(() => reader.predictedMinFees(usage))).map((fees) => ({ ...fees }));
    },
  };
}
