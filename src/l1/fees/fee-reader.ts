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
