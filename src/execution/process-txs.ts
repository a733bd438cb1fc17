import { setImmediate } from "node:timers/promises";
import type { Fr } from "../protocol/field.ts";
import { type TxGas, txGasSettings } from "../protocol/tx/gas-settings.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import type { Verdict } from "../protocol/tx/verdict.ts";
import { leastBlobFields } from "./blob-room.ts";
import type { BlockState } from "./block-state.ts";
import { ofTxForm, UnprocessableTxError } from "./errors.ts";
import { executeTx, type PendingTx } from "./execute-tx.ts";
import type { ExecutedTx, HashedTx } from "./executed-tx.ts";
import type { ExecutionOptions } from "./execution-options.ts";
import { gasFits, gasSum, NO_GAS } from "./gas-budget.ts";
import { VmDeadlineError, VmInterruptedError } from "./vm/errors.ts";
import type { Vm } from "./vm/vm.ts";

export interface ProcessOptions extends Omit<ExecutionOptions, "deadline"> {
  /**
   * "build" makes a new block: a tx that might not fit is left for later ones. "reexecute" repeats a block that someone else made: each tx
   * is tried, and the first that does not fit ends the run (sheet 06 section 5.3).
   */
  mode: "build" | "reexecute";
  maxTxs?: number;
  /** Of the block, in what its txs use; a new block keeps the L2 limit in what they are billed for too, since its header counts that. */
  maxGas?: Partial<TxGas>;
  /** Of the block's txs, in blob fields. */
  maxBlobFields?: number;
  /** Unix time in milliseconds at which the run ends, inside a tx if need be. */
  deadline?: number;
  /** Milliseconds that one tx may take. */
  maxTxMilliseconds?: number;
  /**
   * Runs the whole list in one turn of the event loop, so that all reads see one snapshot of the store: for a thread that does nothing
   * else. Otherwise the loop gets a turn between two txs.
   */
  uninterrupted?: boolean;
  /** Asked before each tx, with the state that it would run on. */
  validate?: (tx: Tx, hash: Fr) => Verdict | Promise<Verdict>;
}

/** A tx that did not get into the block, by its place in the list. */
export interface LeftTx {
  index: number;
  hash: Fr;
  reason: string;
}

export interface ProcessedTxs {
  /** In order. Their effects are in the block's state. */
  processed: (ExecutedTx & { index: number })[];
  /** Txs that no block can include. */
  unprocessable: LeftTx[];
  /** Txs that could not be executed for a reason that is not their own, which is the cause. */
  failed: (LeftTx & { cause: unknown })[];
  /** Txs that might fit another block. */
  skipped: LeftTx[];
  /** Why the run ended before the list did; txs from `at` on are none of the above. */
  stopped?: { at: number; why: "tx count" | "deadline" | "interrupted" | "block gas" | "state"; cause?: unknown };
  /** Sum of what the processed txs used, which limits the block. */
  totalGas: TxGas;
  blobFields: number;
}

type Ended = NonNullable<ProcessedTxs["stopped"]>["why"];

/**
 * Runs transactions in order over a block's state. Never rejects because of one: each is processed, unprocessable, failed or skipped.
 */
export async function processTxs(
  vm: Vm,
  state: BlockState,
  txs: readonly HashedTx[],
  options: ProcessOptions,
): Promise<ProcessedTxs> {
  const run = new Processing(vm, state, options);
  for (const [index, tx] of txs.entries()) {
    if (index > 0 && !options.uninterrupted) await setImmediate();
    const why = await run.next(tx, index);
    if (why !== undefined) {
      run.result.stopped = { at: index, ...why };
      break;
    }
  }
  return run.result;
}

class Processing {
  readonly result: ProcessedTxs = {
    processed: [],
    unprocessable: [],
    failed: [],
    skipped: [],
    totalGas: NO_GAS,
    blobFields: 0,
  };
  readonly #vm: Vm;
  readonly #state: BlockState;
  readonly #options: ProcessOptions;
  /** L2 gas that the processed txs are billed for: what they used, with teardown limits in place of what teardowns used. */
  #mana = 0;

  constructor(vm: Vm, state: BlockState, options: ProcessOptions) {
    this.#vm = vm;
    this.#state = state;
    this.#options = options;
  }

  /** Takes one tx, or says why the run ends in front of it. */
  async next(given: HashedTx, index: number): Promise<{ why: Ended; cause?: unknown } | undefined> {
    const { maxTxs, deadline, interrupted } = this.#options;
    if (interrupted?.() === true) return { why: "interrupted" };
    if (this.result.processed.length >= (maxTxs ?? Number.POSITIVE_INFINITY)) return { why: "tx count" };
    if (Date.now() > (deadline ?? Number.POSITIVE_INFINITY)) return { why: "deadline" };
    const { tx, hash } = given;
    try {
      const unfit = this.#whyUnfit(tx) ?? (await this.#refusal(tx, hash));
      if (unfit !== undefined) {
        this.result[unfit.of].push({ index, hash, reason: unfit.reason });
        return undefined;
      }
      return this.#take(this.#execute(given), index);
    } catch (error) {
      return this.#leave(error, { index, hash });
    }
  }

  /** What is known of a tx before it is executed and keeps it out of a new block. */
  #whyUnfit(tx: Tx): { of: "skipped"; reason: string } | undefined {
    const { mode, maxGas = {}, maxBlobFields } = this.#options;
    if (mode !== "build") return undefined;
    if (this.#exceedsBlobs(ofTxForm(() => leastBlobFields(tx.data)))) {
      return { of: "skipped", reason: `its private part does not fit the ${maxBlobFields} blob fields of the block` };
    }
    const spent = { daGas: this.result.totalGas.daGas, l2Gas: this.#mana };
    if (!gasFits(gasSum(spent, txGasSettings(tx.data).gasLimits), maxGas)) {
      return { of: "skipped", reason: "its gas limits do not fit what is left of the block's gas" };
    }
    return undefined;
  }

  async #refusal(tx: Tx, hash: Fr): Promise<{ of: "skipped" | "unprocessable"; reason: string } | undefined> {
    const verdict = await this.#options.validate?.(tx, hash);
    if (verdict === undefined || verdict.result === "valid") return undefined;
    const reasons = verdict.reason.join(", ");
    if (verdict.result === "skipped") return { of: "skipped", reason: reasons };
    return { of: "unprocessable", reason: `Tx failed preprocess validation: ${reasons}` };
  }

  #exceedsBlobs(fields: number): boolean {
    return this.result.blobFields + fields > (this.#options.maxBlobFields ?? Number.POSITIVE_INFINITY);
  }

  #execute(tx: HashedTx): PendingTx {
    const { deadline, maxTxMilliseconds } = this.#options;
    const own = maxTxMilliseconds === undefined ? undefined : Date.now() + maxTxMilliseconds;
    const times = [deadline, own].filter((time) => time !== undefined);
    return executeTx(this.#vm, this.#state, tx, {
      ...this.#options,
      deadline: times.length === 0 ? undefined : Math.min(...times),
    });
  }

  #take(pending: PendingTx, index: number): { why: Ended } | undefined {
    const { executed } = pending;
    const { mode, maxGas = {}, maxBlobFields } = this.#options;
    const blobFields = executed.effect.words.length / 32;
    if (this.#exceedsBlobs(blobFields)) {
      pending.drop();
      const reason = `its effect does not fit the ${maxBlobFields} blob fields of the block`;
      this.result.skipped.push({ index, hash: executed.hash, reason });
      return undefined;
    }
    const totalGas = gasSum(this.result.totalGas, executed.gasUsed.totalGas);
    const mana = this.#mana + executed.gasUsed.billedGas.l2Gas;
    if (!gasFits(mode === "build" ? { ...totalGas, l2Gas: mana } : totalGas, maxGas)) {
      pending.drop();
      if (mode === "reexecute") return { why: "block gas" };
      const reason = "its gas, beyond its own limits, does not fit what is left of the block's gas";
      this.result.skipped.push({ index, hash: executed.hash, reason });
      return undefined;
    }
    pending.apply();
    this.#mana = mana;
    this.result.processed.push({ ...executed, index });
    this.result.totalGas = totalGas;
    this.result.blobFields += blobFields;
    return undefined;
  }

  #leave(error: unknown, tx: { index: number; hash: Fr }): { why: Ended; cause?: unknown } | undefined {
    const { deadline } = this.#options;
    if (error instanceof UnprocessableTxError) {
      this.result.unprocessable.push({ ...tx, reason: error.message });
      return undefined;
    }
    if (error instanceof VmDeadlineError && error.deadline === deadline) return { why: "deadline" };
    if (error instanceof VmInterruptedError) return { why: "interrupted" };
    const reason = error instanceof Error ? error.message : String(error);
    this.result.failed.push({ ...tx, reason, cause: error });
    return this.#brokenState();
  }

  /** A state that no longer answers fails every tx that is left. */
  #brokenState(): { why: Ended; cause: unknown } | undefined {
    try {
      this.#state.assertOpen();
      return undefined;
    } catch (cause) {
      return { why: "state", cause };
    }
  }
}
