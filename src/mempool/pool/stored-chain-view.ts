import type { ContentReader } from "../../archiver/content-types.ts";
import { type GasFees, manaFees } from "../../protocol/fees/gas-fees.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { undigestedTx } from "../digest/tx-facts.ts";
import type { CheckContexts } from "../validation/check-contexts.ts";
import { poolChecks, runChecks } from "../validation/check-groups.ts";
import { checkSetupCalls } from "../validation/checks/phases.ts";
import type { CommittedStates } from "../validation/committed-state.ts";
import type { PoolChainView } from "./pool-chain-view.ts";

interface ChainSources {
  content: Pick<ContentReader, "settledTx">;
  contexts: CheckContexts;
  states: CommittedStates;
  /** The last min fees that L1 told; undefined before. */
  knownMinFees(): GasFees | undefined;
  /** Unix time in milliseconds. */
  now(): number;
}

/** The pool's view of the stored chain. Falls back to the latest state when the asked one was pruned. */
export function storedChainView({ content, contexts, states, knownMinFees, now }: ChainSources): PoolChainView {
  const stateAt = (block: number | undefined) =>
    (block === undefined ? undefined : states.after(block)) ?? states.latest();
  return {
    minedIn(hash) {
      const settled = content.settledTx(hash);
      return settled && { number: settled.blockNumber, hash: settled.blockHash };
    },
    admission() {
      const context = contexts.next(knownMinFees() ?? manaFees(0n));
      const { transactions, contracts } = contexts.rules;
      const checks = poolChecks(transactions);
      const setupAllowed = (tx: Tx | undefined) =>
        tx === undefined || checkSetupCalls(undigestedTx(tx, contracts), context).result === "valid";
      return (summary, body) =>
        runChecks(checks, summary, context).result === "valid" &&
        (!transactions.pending.setup || !summary.forPublic || setupAllowed(body()));
    },
    feeJuice: (payer, block) => stateAt(block).feeJuice(payer),
    hasBlock: (hash, after) => stateAt(after).hasBlock(hash),
    now,
  };
}
