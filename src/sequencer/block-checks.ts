import type { CheckpointTerms } from "../checkpoints/checkpoint-terms.ts";
import { type BlockState, balanceEntry } from "../execution/block-state.ts";
import type { ProcessOptions } from "../execution/process-txs.ts";
import { txFacts } from "../mempool/digest/tx-facts.ts";
import type { CheckContexts } from "../mempool/validation/check-contexts.ts";
import { BLOCK_CHECKS, runChecks } from "../mempool/validation/check-groups.ts";
import type { CheckedState } from "../mempool/validation/checks/context.ts";
import { readBigUint } from "../protocol/bytes.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import type { Fr } from "../protocol/field.ts";

/** State that the checks read: that of the block being built, including the txs already in it. */
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
 * Returns a validator that applies the rules of block building to each tx in turn
 * (docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where). The txs come from the pool, which checked
 * that their data is consistent when it accepted them, so the digest is not recomputed. `anchorHash` returns the anchor
 * block hash that the pool recorded.
 */
export function blockChecks(
  contexts: CheckContexts,
  terms: Pick<CheckpointTerms, "timestamp" | "gasFees">,
  { state, anchorHash }: { state: BlockState; anchorHash(tx: Fr): Fr | undefined },
): NonNullable<ProcessOptions["validate"]> {
  const checked = checkedState(state);
  return (tx, hash) => {
    const anchor = anchorHash(hash);
    // The tx left the pool after it was selected, for example because it was mined in another block.
    if (anchor === undefined) return { result: "skipped", reason: ["the tx left the pool"] };
    const digest = {
      hash,
      anchorHash: anchor,
      dataFault: undefined,
      instanceFault: undefined,
      contractsReadable: true,
    };
    const target = { timestamp: BigInt(terms.timestamp), blockNumber: state.globals.blockNumber };
    const context = contexts.ofBlock({ target, gasFees: terms.gasFees, state: checked });
    return runChecks(BLOCK_CHECKS, txFacts(tx, digest, contexts.rules.contracts), context);
  };
}
