import { isZero, toHex } from "../protocol/bytes.ts";
import type { TxGas } from "../protocol/fees/gas-fees.ts";
import { FR_ZERO, type Fr, fr } from "../protocol/field.ts";
import { OK, REVERTED } from "../protocol/revert-code.ts";
import type { PublicAccumulatedData, PublicCallRequest } from "../protocol/tx/accumulated-data.ts";
import { type TxGasSettings, txFeePayer, txGasSettings } from "../protocol/tx/gas-settings.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { type BlockState, balanceEntry } from "./block-state.ts";
import type { ContractLogs } from "./contract-directory.ts";
import { contractLogs } from "./contract-logs.ts";
import { UnprocessableTxError } from "./errors.ts";
import type { ExecutedCall, GasUsed, Phase } from "./executed-tx.ts";
import { DEFAULT_MAX_DEBUG_LOG_READS, type ExecutionOptions } from "./execution-options.ts";
import { balanceAfter, transactionFee } from "./fee.ts";
import { atLeastNone, gasDifference, gasSum, NO_GAS, vmGas } from "./gas-budget.ts";
import { HintedTxHost } from "./hinted-tx-host.ts";
import { addNonRevertible, addRevertible } from "./private-effects.ts";
import { TxHost } from "./tx-host.ts";
import { type CallRecordCaps, CallRecords } from "./vm/call-records.ts";
import type { RunOptions } from "./vm/run.ts";
import type { Vm } from "./vm/vm.ts";

/**
 * Maximum number of setup and app logic calls together
 * (docs/protocol/06-public-execution.md#623-limits-of-a-transaction).
 */
const MAX_ENQUEUED_CALLS = 32;

/** The outcome of a public tx, before it is applied to the trees. */
interface PublicOutcome {
  /** OK or REVERTED. */
  revertCode: number;
  fee: Fr;
  gasUsed: GasUsed;
  calls: ExecutedCall[];
  host: TxHost;
  /** Logs of the parts that were not reverted. */
  logs: ContractLogs[];
}

interface CallBudget {
  gas: TxGas;
  /** Gas that the tx had used before the call, and the tx's limit including `gas`. */
  before: TxGas;
  limit: TxGas;
  /** Transaction fee that the call can read. */
  fee: Fr;
}

interface CallEnd {
  succeeded: boolean;
  gasUsed: TxGas;
}

/** Runs the phases of a tx with public calls (docs/protocol/06-public-execution.md#624-phases). */
export class PublicTxRun {
  readonly #vm: Vm;
  readonly #state: BlockState;
  readonly #options: ExecutionOptions;
  readonly #data: PublicAccumulatedData;
  readonly #gas: TxGasSettings;
  readonly #feePayer: Fr;
  readonly #logs: ContractLogs[];
  readonly #calldata: ReadonlyMap<string, Uint8Array>;
  readonly #host: TxHost;
  readonly #records: CallRecords | undefined;
  readonly #calls: ExecutedCall[] = [];
  /** Milliseconds of each phase's calls, if somebody records them. */
  readonly #phaseMs = new Map<Phase, number>();
  /** Gas of setup and app logic so far. */
  #used: TxGas = NO_GAS;

  /** Throws an UnprocessableTxError for a tx that no private kernel can have produced. */
  constructor(
    vm: Vm,
    state: BlockState,
    { tx, data }: { tx: Tx; data: PublicAccumulatedData },
    options: ExecutionOptions,
  ) {
    this.#vm = vm;
    this.#state = state;
    this.#options = options;
    this.#data = data;
    this.#gas = txGasSettings(tx.data);
    this.#feePayer = txFeePayer(tx.data);
    this.#logs = contractLogs([this.#data.nonRevertible, this.#data.revertible], tx.contractClassLogFields);
    this.#calldata = new Map(tx.publicFunctionCalldata.map(({ hash, values }) => [toHex(hash), values]));
    const firstNullifier = this.#data.nonRevertible.nullifiers.at(0);
    if (firstNullifier === undefined) {
      throw new UnprocessableTxError("Non-revertible nullifiers are empty in the transaction.");
    }
    const parts = {
      vm,
      state,
      firstNullifier,
      maxDebugLogReads: options.maxDebugLogReads ?? DEFAULT_MAX_DEBUG_LOG_READS,
    };
    this.#host = options.hints === undefined ? new TxHost(parts) : new HintedTxHost(parts, options.hints);
    this.#records = callRecords(options.recordCalls);
    this.#checkForm();
  }

  #checkForm(): void {
    const { setupCalls, appCalls } = this.#data;
    if (setupCalls.length + appCalls.length > MAX_ENQUEUED_CALLS) {
      throw new UnprocessableTxError(
        `Too many enqueued calls. Setup calls: ${setupCalls.length}, App logic calls: ${appCalls.length}`,
      );
    }
  }

  /**
   * Throws an UnprocessableTxError, MaxFeesTooLowError or DebugLogError when no block can include the tx, and a
   * VmDeadlineError when time is up. Errors of the contract source or the fork pass through. After an error the caller
   * must revert published contracts.
   */
  run(): PublicOutcome {
    // A tx that offers less than the block's price fails before anything is run.
    this.#feeOf(this.#gas.gasUsed);
    this.#insertNonRevertible();
    for (const call of this.#data.setupCalls) {
      if (!this.#callFromBudget("setup", call)) {
        throw new UnprocessableTxError(
          `[SETUP] UNRECOVERABLE ERROR! Enqueued call to ${toHex(call.contractAddress)} failed`,
        );
      }
    }
    let afterSetup = this.#host.mark();
    const reverted = new Set<Phase>();
    if (!this.#appLogic()) {
      reverted.add("app");
      this.#host.revertTo(afterSetup);
      afterSetup = this.#host.mark();
    }
    const billedGas = gasSum(this.#gas.gasUsed, this.#used);
    const fee = this.#feeOf(billedGas);
    let teardownGas: TxGas = NO_GAS;
    const { teardownCall } = this.#data;
    if (teardownCall !== undefined) {
      const limit = this.#gas.teardownGasLimits;
      const teardown = this.#call("teardown", teardownCall, { gas: limit, before: NO_GAS, limit, fee: fr(fee) });
      teardownGas = teardown.gasUsed;
      if (!teardown.succeeded) reverted.add("teardown");
    }
    if (reverted.has("teardown")) this.#host.revertTo(afterSetup);
    else this.#host.keep(afterSetup);
    this.#payFee(fee);
    this.#checkCounts();
    for (const [phase, ms] of this.#phaseMs) this.#options.record?.phase(phase, ms, !reverted.has(phase));
    const unusedTeardown =
      teardownCall === undefined ? teardownGas : gasDifference(this.#gas.teardownGasLimits, teardownGas);
    return {
      revertCode: reverted.size === 0 ? OK : REVERTED,
      fee: fr(fee),
      gasUsed: {
        totalGas: atLeastNone(gasDifference(billedGas, unusedTeardown)),
        publicGas: atLeastNone(gasSum(this.#used, teardownGas)),
        teardownGas,
        billedGas,
      },
      calls: this.#calls,
      host: this.#host,
      logs: reverted.size === 0 ? this.#logs : this.#logs.slice(0, 1),
    };
  }

  #insertNonRevertible(): void {
    const began = performance.now();
    const refused = addNonRevertible(this.#host, this.#data.nonRevertible);
    this.#options.record?.privateEffects((performance.now() - began) * 1000, "non-revertible");
    if (refused !== undefined) throw new UnprocessableTxError(refused.message);
    this.#state.contracts.publish(this.#logs[0]);
  }

  /** Inserts the revertible effects, then runs the calls up to the first that fails. Returns whether all succeeded. */
  #appLogic(): boolean {
    const began = performance.now();
    const refused = addRevertible(this.#host, this.#data.revertible);
    this.#options.record?.privateEffects((performance.now() - began) * 1000, "revertible");
    if (refused !== undefined) {
      const { revertibleCollision } = this.#state.siloing.generation.execution;
      if (refused.of === "collision" && revertibleCollision === "drop") throw new UnprocessableTxError(refused.message);
      this.#recordFailedInsertion(refused.message);
      return false;
    }
    this.#state.contracts.publish(this.#logs[1]);
    return this.#data.appCalls.every((call) => this.#callFromBudget("app", call));
  }

  #recordFailedInsertion(haltMessage: string): void {
    const none = new Uint8Array(0);
    const frame = { contract: FR_ZERO, callerPc: 0, calldata: none, isStatic: false, output: none, exitPcs: [] };
    this.#calls.push({
      phase: "app",
      contractAddress: FR_ZERO,
      isStatic: false,
      reverted: true,
      output: none,
      ...(this.#records && {
        record: { ...frame, gasLimit: { l2: 0, da: 0 }, haltMessage, reverted: true, nested: [] },
      }),
    });
  }

  /**
   * Runs a call of setup or app logic, which share one gas budget
   * (docs/protocol/06-public-execution.md#626-gas-and-fee).
   */
  #callFromBudget(phase: Phase, request: PublicCallRequest): boolean {
    const { gasLimits, gasUsed } = this.#gas;
    const before = gasSum(gasUsed, this.#used);
    const available = gasDifference(gasLimits, before);
    // No kernel produces a tx that has used more than its limits. On networks without proofs such a tx runs out of gas
    // at its first instruction.
    const isOverdrawn = available.daGas < 0 || available.l2Gas < 0;
    const gas = isOverdrawn ? NO_GAS : available;
    const call = this.#call(phase, request, { gas, before, limit: gasLimits, fee: FR_ZERO });
    this.#used = gasSum(this.#used, isOverdrawn ? available : call.gasUsed);
    return call.succeeded;
  }

  #call(phase: Phase, request: PublicCallRequest, { gas, before, limit, fee }: CallBudget): CallEnd {
    const { contractAddress, msgSender, isStaticCall, calldataHash } = request;
    const recorded = this.#records?.roots.length ?? 0;
    const began = performance.now();
    this.#host.beginRun();
    const { ended, output, gasUsed } = this.#vm.run(
      {
        address: contractAddress,
        sender: msgSender,
        calldata: this.#calldata.get(toHex(calldataHash)) ?? new Uint8Array(0),
        isStatic: isStaticCall,
        gas: vmGas(gas),
        gasUsedBefore: vmGas(before),
        gasLimit: vmGas(limit),
        transactionFee: fee,
        globals: this.#state.globals,
      },
      this.#host,
      this.#runOptions(),
    );
    const succeeded = ended === "returned";
    this.#recordCall(phase, performance.now() - began, gasUsed.l2, succeeded);
    // A run beyond the caps is not recorded.
    const record = this.#records?.roots[recorded];
    this.#calls.push({
      phase,
      contractAddress,
      isStatic: isStaticCall,
      reverted: !succeeded,
      output,
      ...(record && { record }),
    });
    return { succeeded, gasUsed: { daGas: gasUsed.da, l2Gas: gasUsed.l2 } };
  }

  #recordCall(phase: Phase, ms: number, mana: number, succeeded: boolean): void {
    const { record } = this.#options;
    if (record === undefined) return;
    record.call(ms, mana, succeeded);
    this.#phaseMs.set(phase, (this.#phaseMs.get(phase) ?? 0) + ms);
  }

  #runOptions(): RunOptions {
    const { collectDebugLogs, maxOutputFields, deadline, interrupted } = this.#options;
    return { collectDebugLogs, maxOutputFields, deadline, interrupted, calls: this.#records };
  }

  #feeOf(billed: TxGas): bigint {
    return transactionFee(this.#state.globals, this.#gas, billed, this.#options.skippedFees);
  }

  #payFee(fee: bigint): void {
    const skip = this.#options.skippedFees !== undefined;
    if (isZero(this.#feePayer)) {
      if (skip) return;
      throw new UnprocessableTxError("Fee payer cannot be 0 unless skipping fee enforcement for simulation");
    }
    const { key, contract, slot } = balanceEntry(this.#state.siloing, this.#feePayer);
    const left = balanceAfter(this.#host.storageRead(contract, slot), fee) ?? (skip ? FR_ZERO : undefined);
    if (left === undefined) throw new UnprocessableTxError("Not enough balance for fee payer to pay for transaction");
    this.#host.write(key, { contract, slot, value: left });
  }

  #checkCounts(): void {
    const { noteHashes, nullifiers, messages, writes } = this.#host.effects;
    // Every other count is checked when an effect is added.
    if (writes.size > this.#state.siloing.generation.execution.maxWrites) {
      throw new UnprocessableTxError(
        `Too many side effects. Note hashes: ${noteHashes.length}, Nullifiers: ${nullifiers.length}, ` +
          `L2 to L1 messages: ${messages.length}, Storage writes: ${writes.size}`,
      );
    }
  }
}

function callRecords(asked: boolean | CallRecordCaps | undefined): CallRecords | undefined {
  if (asked === undefined || asked === false) return undefined;
  return asked === true ? new CallRecords() : new CallRecords(asked);
}
