import type { BlockState } from "./block-state.ts";
import { ContractHints } from "./contract-hints.ts";
import type { ExecutionHints } from "./hints/execution-hints.ts";
import { TreeHints } from "./hints/tree-hints.ts";

/** Collects the hints of one transaction, which must be the next one to run on `state`. */
export class HintCollector {
  readonly trees: TreeHints;
  readonly contracts: ContractHints;

  constructor({ core, fork, contracts }: BlockState) {
    this.trees = new TreeHints(fork);
    this.contracts = new ContractHints(core, contracts);
  }

  get hints(): ExecutionHints {
    return { ...this.contracts.hints, ...this.trees.hints };
  }
}
