import { l2ToL1MessageHash } from "../core/derive/message.ts";
import { concat } from "../protocol/bytes.ts";
import { MaxFeesTooLowError } from "../protocol/fees/transaction-fee.ts";
import type { Fr } from "../protocol/field.ts";
import { isForPublic, type PublicAccumulatedData, publicAccumulatedData } from "../protocol/tx/accumulated-data.ts";
import { type TxEffectParts, txEffectFromParts } from "../protocol/tx-effect-words.ts";
import type { BlockState } from "./block-state.ts";
import type { ContractLogs } from "./contract-directory.ts";
import { orUnprocessable, UnprocessableTxError } from "./errors.ts";
import type { ExecutedTx, HashedTx } from "./executed-tx.ts";
import type { ExecutionOptions } from "./execution-options.ts";
import { runPrivateTx } from "./private-tx.ts";
import { PublicTxRun } from "./public-tx.ts";
import { revertReason } from "./revert-reason.ts";
import type { SideEffects } from "./side-effects.ts";
import { DebugLogError } from "./vm/errors.ts";
import type { Vm } from "./vm/vm.ts";

/** An executed transaction whose effects are in no tree yet. Call `apply` or `drop` before the next one is executed. */
export interface PendingTx {
  readonly executed: ExecutedTx;
  readonly effects: SideEffects;
  /** Applies its effects to the block's state. */
  apply(): void;
  /** Discards its effects; the block's state is as before it. */
  drop(): void;
}

/**
 * Executes a decoded transaction on a block's state. It returns a result or throws an UnprocessableTxError. Errors that
 * the transaction does not cause are VmDeadlineError, VmInterruptedError, VmMemoryError, and those of the contract
 * source or the fork. After any error the block's state is unchanged.
 */
export function executeTx(vm: Vm, state: BlockState, given: HashedTx, options: ExecutionOptions = {}): PendingTx {
  const { tx } = given;
  const published = state.contracts.mark();
  const depth = state.fork.depth;
  const drop = () => {
    state.contracts.revertTo(published);
    if (state.fork.depth > depth) state.fork.revertFramesTo(depth);
  };
  try {
    const data = callsOf(tx.data);
    const isInserted = data !== undefined && options.hints !== undefined;
    if (isInserted) state.fork.openFrame();
    const { executed, effects } =
      data === undefined ? executePrivate(state, given, options) : executePublic(vm, state, given, data, options);
    return {
      executed,
      effects,
      drop,
      apply() {
        try {
          if (isInserted) state.padTrees(effects);
          else state.apply(effects);
        } catch (error) {
          drop();
          throw error;
        }
        if (isInserted) state.fork.commitFrame();
      },
    };
  } catch (error) {
    drop();
    throw asUnprocessable(error);
  }
}

/** The accumulated data of a tx with public calls; undefined for a tx without. */
function callsOf(data: Uint8Array): PublicAccumulatedData | undefined {
  if (!isForPublic(data)) return undefined;
  const accumulated = orUnprocessable(() => publicAccumulatedData(data));
  const { setupCalls, appCalls, teardownCall } = accumulated;
  return setupCalls.length + appCalls.length > 0 || teardownCall !== undefined ? accumulated : undefined;
}

/** Turns errors that the tx itself causes into an UnprocessableTxError. */
function asUnprocessable(error: unknown): unknown {
  const own = error instanceof MaxFeesTooLowError || error instanceof DebugLogError;
  return own ? new UnprocessableTxError(error.message, { cause: error }) : error;
}

interface Outcome {
  executed: ExecutedTx;
  effects: SideEffects;
}

function executePrivate(state: BlockState, given: HashedTx, { skippedFees }: ExecutionOptions): Outcome {
  const { hash } = given;
  const { fee, gasUsed, effects, logs } = runPrivateTx(state, given, skippedFees);
  const effect = effectOf(state, { hash, fee, revertCode: 0, effects, logs: [logs] });
  return { executed: { hash, effect, gasUsed, calls: [], debugLogs: [] }, effects };
}

function executePublic(
  vm: Vm,
  state: BlockState,
  { hash, tx }: HashedTx,
  data: PublicAccumulatedData,
  options: ExecutionOptions,
): Outcome {
  const { revertCode, fee, gasUsed, calls, host, logs } = new PublicTxRun(vm, state, { tx, data }, options).run();
  const { effects, debugLogs } = host;
  const effect = effectOf(state, { hash, fee, revertCode, effects, logs });
  return {
    executed: {
      hash,
      effect,
      gasUsed,
      calls,
      debugLogs,
      ...(revertCode !== 0 && { revertReason: revertReason(calls) }),
    },
    effects,
  };
}

interface EffectSource {
  hash: Fr;
  fee: Fr;
  revertCode: number;
  effects: SideEffects;
  logs: ContractLogs[];
}

function effectOf(state: BlockState, { hash, fee, revertCode, effects, logs }: EffectSource): ExecutedTx["effect"] {
  const { chainId, version } = state.globals;
  const messages = effects.messages.map(({ contractAddress, recipient, content }) =>
    l2ToL1MessageHash({ sender: contractAddress, rollupVersion: version, recipient, chainId, content }),
  );
  const parts: TxEffectParts = {
    revertCode,
    txHash: hash,
    transactionFee: fee,
    noteHashes: concat(...effects.noteHashes),
    nullifiers: concat(...effects.nullifiers),
    l2ToL1Msgs: concat(...messages),
    publicDataWrites: state.publicDataWrites(effects.writes),
    privateLogs: logs.flatMap(({ privateLogs }) => privateLogs),
    publicLogs: [...effects.logs],
    contractClassLogs: logs.flatMap(({ contractClassLogs }) => contractClassLogs),
  };
  const effect = orUnprocessable(() => txEffectFromParts(parts));
  const fields = effect.words.length / 32;
  const { maxBlobFields = Number.POSITIVE_INFINITY } = state.siloing.generation.transactions;
  if (fields > maxBlobFields) {
    throw new UnprocessableTxError(`Effects take ${fields} blob fields, a transaction may take ${maxBlobFields}`);
  }
  return effect;
}
