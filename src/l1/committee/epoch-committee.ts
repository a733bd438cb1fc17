import { fromHex } from "../../protocol/bytes.ts";
import { slotTimestamp } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { escapeHatchAbi } from "../abi/escape-hatch.ts";
import { rollupAbi } from "../abi/rollup.ts";
import { read } from "../contracts/contract.ts";
import { ContractRevertError, EpochNotStableError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { EpochCommittee, RollupIdentity } from "../types.ts";

/** Epochs to cache. Epochs without a committee are not cached, since validators may still join. */
const KEPT_EPOCHS = 12;

interface KeptCommittee {
  answer: EpochCommittee;
  /** Timestamp of the latest L1 block before it was read. */
  asOf: number;
}

/** Committees by epoch, from the rollup contract (docs/protocol/04-l1-contracts.md#423-seed-and-committee). */
export class EpochCommittees {
  readonly #rpc: L1Rpc;
  readonly #identity: RollupIdentity;
  readonly #logger: Logger;
  readonly #kept = new Map<number, KeptCommittee>();
  #lags: Promise<{ validators: number; randao: number }> | undefined;

  constructor(rpc: L1Rpc, identity: RollupIdentity, logger: Logger) {
    this.#rpc = rpc;
    this.#identity = identity;
    this.#logger = logger;
  }

  /**
   * Throws EpochNotStableError if the epoch's validator set is sampled after the latest L1 block. An answer that is not
   * settled is read again when there is a new L1 block.
   * @param latestTimestamp returns the timestamp of the latest L1 block.
   * @param fresh bypasses the cache.
   */
  async get(epoch: number, latestTimestamp: () => Promise<number>, fresh = false): Promise<EpochCommittee> {
    const kept = fresh ? undefined : this.#kept.get(epoch);
    if (kept?.answer.settled) return kept.answer;
    const { constants } = this.#identity;
    if (constants.targetCommitteeSize === 0) {
      return { epoch, committee: undefined, seed: 0n, escapeHatchOpen: false, settled: true };
    }
    const rollup = { name: "Rollup", address: this.#identity.addresses.rollupAddress, abi: rollupAbi };
    const lags = await this.#lagsInEpochs();
    const start = slotTimestamp(epoch * constants.epochDuration, constants);
    const epochSeconds = constants.epochDuration * constants.slotDuration;
    const sampledAt = start - lags.validators * epochSeconds;
    const latest = await latestTimestamp();
    if (kept?.asOf === latest) return kept.answer;
    if (sampledAt > latest) throw new EpochNotStableError(epoch, sampledAt, latest);
    // The first checkpoint of an epoch stores its randao, at any time in that epoch, under the time of its start.
    const settled = latest >= start - (lags.randao - 1) * epochSeconds;
    const [committee, seed, escapeHatchOpen] = await Promise.all([
      read(this.#rpc, rollup, "getCommitteeAt", [BigInt(start)]).catch((error: unknown) => {
        const tooFew =
          error instanceof ContractRevertError &&
          error.errorName === "ValidatorSelection__InsufficientValidatorSetSize";
        if (tooFew) return undefined;
        throw error;
      }),
      read(this.#rpc, rollup, "getSampleSeedAt", [BigInt(start)]),
      this.#escapeHatchOpen(epoch),
    ]);
    const members = committee?.length ? committee.map(fromHex) : undefined;
    const answer = { epoch, committee: members, seed, escapeHatchOpen, settled };
    this.#kept.delete(epoch);
    if (members) {
      this.#kept.set(epoch, { answer, asOf: latest });
      for (const old of this.#kept.keys()) {
        if (this.#kept.size <= KEPT_EPOCHS) break;
        this.#kept.delete(old);
      }
    }
    return answer;
  }

  #lagsInEpochs(): Promise<{ validators: number; randao: number }> {
    const rollup = { name: "Rollup", address: this.#identity.addresses.rollupAddress, abi: rollupAbi };
    this.#lags ??= Promise.all([
      read(this.#rpc, rollup, "getLagInEpochsForValidatorSet", []),
      read(this.#rpc, rollup, "getLagInEpochsForRandao", []),
    ]).then(([validators, randao]) => ({ validators: Number(validators), randao: Number(randao) }));
    this.#lags.catch(() => {
      this.#lags = undefined;
    });
    return this.#lags;
  }

  async #escapeHatchOpen(epoch: number): Promise<boolean> {
    const rollup = { name: "Rollup", address: this.#identity.addresses.rollupAddress, abi: rollupAbi };
    try {
      const address = (await read(this.#rpc, rollup, "getEscapeHatch", [])).toLowerCase();
      if (/^0x0+$/.test(address)) return false;
      const hatch = { name: "EscapeHatch", address, abi: escapeHatchAbi };
      const [isOpen] = await read(this.#rpc, hatch, "isHatchOpen", [BigInt(epoch)]);
      return isOpen;
    } catch (error) {
      this.#logger.warn({ epoch, err: error }, "cannot read the escape hatch, assuming that it is closed");
      return false;
    }
  }
}
