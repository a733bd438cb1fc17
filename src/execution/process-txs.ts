import { setImmediate } from "node:timers/promises";
import type { TxGas } from "../protocol/fees/gas-fees.ts";
import type { Fr } from "../protocol/field.ts";
import { txGasSettings } from "../protocol/tx/gas-settings.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import type { Verdict } from "../protocol/tx/verdict.ts";
import { minBlobFields } from "./blob-room.ts";
import type { BlockState } from "./block-state.ts";
import { orUnprocessable, UnprocessableTxError } from "./errors.ts";
import { executeTx, type PendingTx } from "./execute-tx.ts";
import type { ExecutedTx, HashedTx } from "./executed-tx.ts";
import type { ExecutionOptions } from "./execution-options.ts";
import { gasFits, gasSum, NO_GAS } from "./gas-budget.ts";
import { VmDeadlineError, VmInterruptedError } from "./vm/errors.ts";
import type { Vm } from "./vm/vm.ts";

export interface ProcessOptions extends Omit<ExecutionOptions, "deadline"> {
  /**
   * "build" makes a new block: a tx that might not fit is skipped, so that a later block may include it. "reexecute"
   * repeats a given block: each tx is executed, and the first that does not fit ends the run
   * (docs/protocol/08-building-and-checkpoints.md#811-choosing-transactions).
   */
  mode: "build" | "reexecute";
  maxTxs?: number;
  /**
   * Limit on the gas that the block's txs use. In a new block the L2 limit also applies to billed gas, which its header
   * counts.
   */
  maxGas?: Partial<TxGas>;
  /** Limit on the blob fields of the block's txs. */
  maxBlobFields?: number;
  /** Unix milliseconds at which the run ends; a tx being executed is aborted. */
  deadline?: number;
  /** Maximum execution time of one tx, milliseconds. */
  maxTxMilliseconds?: number;
  /**
   * Runs the whole list without yielding to the event loop, so that all reads see one snapshot of the store. For
   * dedicated threads; otherwise the run yields between txs.
   */
  uninterrupted?: boolean;
  /** Called before each tx, while the state is the one that the tx would run on. */
  validate?: (tx: Tx, hash: Fr) => Verdict | Promise<Verdict>;
}

/** A tx of the list that is not in the block; `index` is its position in the list. */
export interface ExcludedTx {
  index: number;
  hash: Fr;
  reason: string;
}

export interface ProcessedTxs {
  /** In order. Their effects are in the block's state. */
  processed: (ExecutedTx & { index: number })[];
  /** Txs that no block can include. */
  unprocessable: ExcludedTx[];
  /** Txs whose execution failed through no fault of theirs, for example on a read error. */
  failed: (ExcludedTx & { cause: unknown })[];
  /** Txs that another block might include. */
  skipped: ExcludedTx[];
  /** Why the run ended early; txs from `at` on are in none of the lists above. */
  stopped?: { at: number; why: "tx count" | "deadline" | "interrupted" | "block gas" | "state"; cause?: unknown };
  /** Gas used by the processed txs, which counts against the block's limit. */
  totalGas: TxGas;
  blobFields: number;
}

type Ended = NonNullable<ProcessedTxs["stopped"]>["why"];

/**
 * Runs transactions in order on a block's state. Never rejects because of a tx: each is processed, unprocessable,
 * failed or skipped.
 */
export async function processTxs(
  vm: Vm,
  state: BlockState,
  txs: readonly HashedTx[],
  options: ProcessOptions,
): Promise<ProcessedTxs> {
  const run = new Processing(vm, state, options);
  const began = performance.now();
  for (const [index, tx] of txs.entries()) {
    if (index > 0 && !options.uninterrupted) await setImmediate();
    const why = await run.next(tx, index);
    if (why !== undefined) {
      run.result.stopped = { at: index, ...why };
      break;
    }
  }
  const { processed, totalGas } = run.result;
  if (processed.length > 0) options.record?.block(totalGas, performance.now() - began);
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
  /** L2 gas billed to the processed txs: gas used, but for teardowns their limit. */
  #mana = 0;

  constructor(vm: Vm, state: BlockState, options: ProcessOptions) {
    this.#vm = vm;
    this.#state = state;
    this.#options = options;
  }

  /** Processes one tx, or returns why the run ends before it. */
  async next(given: HashedTx, index: number): Promise<{ why: Ended; cause?: unknown } | undefined> {
    const { maxTxs, deadline, interrupted } = this.#options;
    if (interrupted?.() === true) return { why: "interrupted" };
    if (this.result.processed.length >= (maxTxs ?? Number.POSITIVE_INFINITY)) return { why: "tx count" };
    if (Date.now() > (deadline ?? Number.POSITIVE_INFINITY)) return { why: "deadline" };
    const { tx, hash } = given;
    const began = performance.now();
    try {
      const excluded = this.#lackOfRoom(tx) ?? (await this.#refusal(tx, hash));
      if (excluded !== undefined) {
        this.result[excluded.of].push({ index, hash, reason: excluded.reason });
        return undefined;
      }
      return this.#include(this.#execute(given), { index, began });
    } catch (error) {
      return this.#exclude(error, { index, hash });
    }
  }

  /** Why a new block has no room for a tx, as far as is known before it is executed. */
  #lackOfRoom(tx: Tx): { of: "skipped"; reason: string } | undefined {
    const { mode, maxGas = {}, maxBlobFields } = this.#options;
    if (mode !== "build") return undefined;
    if (this.#exceedsBlobs(orUnprocessable(() => minBlobFields(tx.data)))) {
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

  #include(pending: PendingTx, { index, began }: { index: number; began: number }): { why: Ended } | undefined {
    const { executed } = pending;
    const { mode, maxGas = {}, maxBlobFields, record } = this.#options;
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
    const executedAt = performance.now();
    pending.apply();
    record?.applied(performance.now() - executedAt);
    const phases = new Set(executed.calls.map(({ phase }) => phase)).size;
    record?.tx({ ms: executedAt - began, gas: executed.gasUsed.totalGas, phases });
    this.#mana = mana;
    this.result.processed.push({ ...executed, index });
    this.result.totalGas = totalGas;
    this.result.blobFields += blobFields;
    return undefined;
  }

  #exclude(error: unknown, tx: { index: number; hash: Fr }): { why: Ended; cause?: unknown } | undefined {
    const { deadline } = this.#options;
    if (error instanceof UnprocessableTxError) {
      this.#options.record?.refusedTx();
      this.result.unprocessable.push({ ...tx, reason: error.message });
      return undefined;
    }
    if (error instanceof VmDeadlineError && error.deadline === deadline) return { why: "deadline" };
    if (error instanceof VmInterruptedError) return { why: "interrupted" };
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.record?.refusedTx();
    this.result.failed.push({ ...tx, reason, cause: error });
    return this.#brokenState();
  }

  /** Ends the run when the state can no longer be read, because every remaining tx would fail. */
  #brokenState(): { why: Ended; cause: unknown } | undefined {
    try {
      this.#state.assertOpen();
      return undefined;
    } catch (cause) {
      return { why: "state", cause };
    }
  }
}
