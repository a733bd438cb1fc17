import type { CheckpointTerms } from "../checkpoints/checkpoint-terms.ts";
import { type BlockState, balanceEntry } from "../execution/block-state.ts";
import type { ProcessOptions } from "../execution/process-txs.ts";
import { txFacts } from "../mempool/tx-facts.ts";
import type { CheckContexts } from "../mempool/validation/check-contexts.ts";
import { BLOCK_CHECKS, runChecks } from "../mempool/validation/check-groups.ts";
import type { CheckedState } from "../mempool/validation/context.ts";
import { readBigUint } from "../protocol/bytes.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import type { Fr } from "../protocol/field.ts";

/** The state of a block that is being built, as checks read it: with the txs that the block has already. */
function checkedState(state: BlockState): CheckedState {
  return {
    hasNullifier: (nullifier) => state.hasNullifier(nullifier),
    hasBlock: (hash) => state.fork.findLeaf(ARCHIVE, hash) !== undefined,
    feeJuice: (payer) => {
      const { key, contract, slot } = balanceEntry(state.siloing, payer);
      return readBigUint(state.storage(key, contract, slot));
    },
  };
}

/**
 * The rules of block building for one tx after the other (sheet 06 section 1.1). Txs are those of the pool: that their data hold together
 * was checked when they came, so no digest is made again; `anchorHash` gives what the pool noted of theirs.
 */
export function blockChecks(
  contexts: CheckContexts,
  terms: Pick<CheckpointTerms, "timestamp" | "gasFees">,
  { state, anchorHash }: { state: BlockState; anchorHash(tx: Fr): Fr | undefined },
): NonNullable<ProcessOptions["validate"]> {
  const checked = checkedState(state);
  return (tx, hash) => {
    const anchor = anchorHash(hash);
    // It left the pool between its turn and now: a block that the chain took meanwhile may have it.
    if (anchor === undefined) return { result: "skipped", reason: ["the tx left the pool"] };
    const digest = { hash, anchorHash: anchor, dataFault: undefined, instanceFault: undefined, contractsHold: true };
    const target = { timestamp: BigInt(terms.timestamp), blockNumber: state.globals.blockNumber };
    const context = contexts.ofBlock({ target, gasFees: terms.gasFees, state: checked });
    return runChecks(BLOCK_CHECKS, txFacts(tx, digest), context);
  };
}
