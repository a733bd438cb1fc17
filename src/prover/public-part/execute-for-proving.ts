import type { BlockState } from "../../execution/block-state.ts";
import { executeTx } from "../../execution/execute-tx.ts";
import type { ExecutedTx, HashedTx } from "../../execution/executed-tx.ts";
import type { ExecutionOptions } from "../../execution/execution-options.ts";
import { HintCollector } from "../../execution/hint-collector.ts";
import { treeSnapshots } from "../../execution/hints/tree-hints.ts";
import type { Vm } from "../../execution/vm/vm.ts";
import { isForPublic, publicAccumulatedData } from "../../protocol/tx/accumulated-data.ts";
import { ToPublicParts } from "../circuits/layouts/kernel.ts";
import { kernelOutputOf } from "../circuits/tx-data.ts";
import { decode } from "../codec/codec.ts";
import type { PublicPart } from "../epoch/epoch-types.ts";
import { encodeVmInput } from "../jobs/vm-input.ts";
import { type ProvingTerms, vmPublicInputs } from "./public-inputs.ts";
import { txHint } from "./tx-hint.ts";

export interface ExecutedForProving {
  readonly executed: ExecutedTx;
  /** Set if the tx has public calls. */
  readonly publicPart?: PublicPart;
}

/**
 * Executes a transaction of a block on the state before it and applies its effects. Throws like executeTx; the state is
 * then unchanged.
 */
export function executeForProving(
  vm: Vm,
  state: BlockState,
  given: HashedTx,
  terms: ProvingTerms,
  options: Pick<ExecutionOptions, "interrupted"> = {},
): ExecutedForProving {
  if (!isForPublic(given.tx.data)) {
    const pending = executeTx(vm, state, given, options);
    pending.apply();
    return { executed: pending.executed };
  }
  const collector = new HintCollector(state);
  const pending = executeTx(vm, state, given, { ...options, hints: collector });
  pending.apply();
  const { executed } = pending;
  const { data } = given.tx;
  const tx = {
    ...given,
    parts: decode(ToPublicParts, "kernel output", kernelOutputOf(data)),
    data: publicAccumulatedData(data),
  };
  const { hints } = collector;
  const outcome = {
    executed,
    messages: pending.effects.messages,
    start: hints.startingTreeRoots,
    end: treeSnapshots(state.fork),
  };
  const publicInputs = vmPublicInputs(state.core, tx, outcome, terms);
  const { globals } = terms;
  const { derivedAddresses } = publicInputs;
  const vmInput = encodeVmInput(terms.generation, {
    hints: {
      globalVariables: globals,
      tx: txHint(tx, globals),
      protocolContracts: derivedAddresses,
      debugFunctionNames: [],
      ...hints,
    },
    publicInputs,
  });
  return { executed, publicPart: { vmInput, publicInputs } };
}
