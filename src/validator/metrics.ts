import { epochOfSlot, type L1Constants, slotAt } from "../protocol/time.ts";
import { counter, gauge, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { AttestingOutcome, CheckpointAttester } from "./checkpoint-attester.ts";

const OUTCOMES: AttestingOutcome["kind"][] = [
  "attested",
  "refused",
  "escape hatch",
  "own proposal",
  "not a member",
  "observed",
  "late",
  "not signed",
  "failed",
];

export const VALIDATOR_METRICS = {
  attested: upDownCounter("aztec.validator.attestation_success_count", {
    meaning: "attestations that keys of this node made",
  }),
  badProposals: upDownCounter("aztec.validator.attestation_failed_bad_proposal_count", {
    meaning: "checkpoint proposals that this node refused",
  }),
  nodeIssues: upDownCounter("aztec.validator.attestation_failed_node_issue_count", {
    labels: { "aztec.error_type": ["late", "not signed", "failed"] },
    meaning: "checkpoint proposals that this node did not attest to for reasons of its own",
  }),
  currentEpoch: gauge("aztec.validator.current_epoch", { meaning: "epoch by the node's clock" }),
  proposals: counter("svc.validator.checkpoint_proposals", {
    unit: "{proposal}",
    labels: { outcome: OUTCOMES },
    meaning: "checkpoint proposals of others by what this node did",
  }),
} as const;

const NODE_ISSUES = ["late", "not signed", "failed"] as const;

export interface ObservedValidator {
  attester: Pick<CheckpointAttester, "outcomes" | "attested">;
  constants: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "epochDuration">;
  /** Unix milliseconds. */
  now(): number;
}

/** Exports what the node's validator did with the proposals of others. */
export function observeValidator(metrics: Metrics, { attester, constants, now }: ObservedValidator): () => void {
  const rows = VALIDATOR_METRICS;
  return metrics.observe((to) => {
    const { outcomes } = attester;
    for (const outcome of OUTCOMES) to.set(rows.proposals, outcomes.get(outcome) ?? 0, { outcome });
    to.set(rows.attested, attester.attested);
    to.set(rows.badProposals, outcomes.get("refused") ?? 0);
    for (const kind of NODE_ISSUES) to.set(rows.nodeIssues, outcomes.get(kind) ?? 0, { "aztec.error_type": kind });
    to.set(rows.currentEpoch, Number(epochOfSlot(slotAt(Math.floor(now() / 1000), constants), constants)));
  });
}
