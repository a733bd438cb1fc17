import { joined, type Verdict } from "../../protocol/tx/verdict.ts";
import type { TxFacts, UndigestedTx } from "../digest/tx-facts.ts";
import { checkAnchorBlock } from "./checks/anchor-block.ts";
import { checkContractInstance, checkData } from "./checks/content.ts";
import type { CheckContext, CheckedState } from "./checks/context.ts";
import { checkDoubleSpend } from "./checks/double-spend.ts";
import { checkExpiration } from "./checks/expiration.ts";
import { checkGas } from "./checks/gas.ts";
import { checkMetadata } from "./checks/metadata.ts";
import { checkPermitted } from "./checks/permitted.ts";
import { checkPhases } from "./checks/phases.ts";
import { checkSize } from "./checks/size.ts";

/** How tolerant to be of a peer that sends such a tx: "low" tolerance penalizes most. */
export type Tolerance = "high" | "mid" | "low";

/** Blocks before the target: a nullifier spent that long ago was known to every node. */
const DEFAULT_SEVERE_WINDOW = 30;

export interface GossipVerdict {
  verdict: Verdict;
  /** The tolerance of the worst failed check. */
  tolerance: Tolerance | undefined;
}

export interface GossipOptions {
  /** P2P_DOUBLE_SPEND_SEVERE_PEER_PENALTY_WINDOW. */
  severeWindow?: number;
  /** The state after an older block; undefined if it was pruned. */
  stateAt(block: number): Pick<CheckedState, "hasNullifier"> | undefined;
}

/**
 * The checks of a gossiped tx that need no hash; a tx that fails one is not hashed. A failure of its proof has low
 * tolerance (docs/protocol/07-transactions-and-fees.md#718-gossip).
 */
export function runCheapGossipChecks(tx: UndigestedTx, context: CheckContext, options: GossipOptions): GossipVerdict {
  return concluded([
    [checkExpiration(tx, context), () => "high"],
    [checkPermitted(tx, context), () => "mid"],
    [checkSize(tx), () => "mid"],
    [checkMetadata(tx, context), () => "mid"],
    [checkGas(tx, context), () => "mid"],
    [checkDoubleSpend(tx, context), () => doubleSpendTolerance(tx, context, options)],
  ]);
}

/** The checks of a gossiped tx that compare hashes. */
export function runDigestGossipChecks(facts: TxFacts, context: CheckContext): GossipVerdict {
  return concluded([
    [checkPhases(facts, context), () => "mid"],
    [checkAnchorBlock(facts, context), () => "high"],
    [checkData(facts), () => "mid"],
    [checkContractInstance(facts), () => "mid"],
  ]);
}

function concluded(outcomes: readonly (readonly [Verdict, () => Tolerance])[]): GossipVerdict {
  const failed = outcomes.filter(([{ result }]) => result === "invalid").map(([, tolerance]) => tolerance());
  const tolerance = (["low", "mid", "high"] as const).find((level) => failed.includes(level));
  return { verdict: joined(outcomes.map(([verdict]) => verdict)), tolerance };
}

function doubleSpendTolerance(
  { nullifiers }: UndigestedTx,
  { target }: CheckContext,
  { severeWindow = DEFAULT_SEVERE_WINDOW, stateAt }: GossipOptions,
): Tolerance {
  if (target.blockNumber <= severeWindow) return "high";
  const old = stateAt(target.blockNumber - severeWindow);
  return old !== undefined && nullifiers.some((nullifier) => old.hasNullifier(nullifier)) ? "low" : "high";
}
