import type { ContentReader } from "../../archiver/content-types.ts";
import { manaFees } from "../../protocol/fees/gas-fees.ts";
import type { CheckContexts } from "../validation/check-contexts.ts";
import { POOL_CHECKS, runChecks } from "../validation/check-groups.ts";
import type { CommittedStates } from "../validation/committed-state.ts";
import type { PoolChainView } from "./pool-chain-view.ts";

interface ChainSources {
  content: Pick<ContentReader, "settledTx">;
  contexts: CheckContexts;
  states: CommittedStates;
  /** Unix time in milliseconds. */
  now(): number;
}

/** The pool's view of the stored chain. Falls back to the latest state when the asked one was pruned. */
export function storedChainView({ content, contexts, states, now }: ChainSources): PoolChainView {
  const stateAt = (block: number | undefined) =>
    (block === undefined ? undefined : states.after(block)) ?? states.latest();
  return {
    minedIn(hash) {
      const settled = content.settledTx(hash);
      return settled && { number: settled.blockNumber, hash: settled.blockHash };
    },
    admission() {
      const context = contexts.next(manaFees(0n));
      return (summary) => runChecks(POOL_CHECKS, summary, context).result === "valid";
    },
    feeJuice: (payer, block) => stateAt(block).feeJuice(payer),
    hasBlock: (hash, after) => stateAt(after).hasBlock(hash),
    now,
  };
}
