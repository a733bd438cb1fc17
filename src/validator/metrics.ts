import { epochOfSlot, type L1Constants, slotAt } from "../protocol/time.ts";
import { counter, gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { AttestingOutcome, CheckpointAttester } from "./checkpoint-attester.ts";
import type { CollectionRecord } from "./committee-attestations.ts";

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

/** Own attesters, which the configuration bounds. */
const ATTESTER = "aztec.attester.address";

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
  attestedEpochs: upDownCounter("aztec.validator.attested_epoch_count", {
    labels: { [ATTESTER]: "any" },
    meaning: "epochs in which an attester of this node made an attestation, since the start",
  }),
  required: gauge("aztec.sequencer.attestations.required_count", {
    meaning: "attestations that the latest own checkpoint needed",
  }),
  collected: gauge("aztec.sequencer.attestations.collected_count", {
    meaning: "attestations collected for the latest own checkpoint, 0 until its quorum is reached",
  }),
  collectTime: gauge("aztec.sequencer.attestations.collect_duration", {
    unit: "ms",
    meaning: "time of collecting the attestations to the latest own checkpoint, 0 until its quorum is reached",
  }),
  allowance: gauge("aztec.sequencer.attestations.collect_allowance", {
    unit: "ms",
    meaning: "time that there was to collect the attestations to the latest own checkpoint",
  }),
  delay: histogram("aztec.sequencer.checkpoint.attestation_delay", {
    unit: "ms",
    meaning: "time from proposing a checkpoint until enough members attested to it",
  }),
  proposals: counter("svc.validator.checkpoint_proposals", {
    unit: "{proposal}",
    labels: { outcome: OUTCOMES },
    meaning: "checkpoint proposals of others by what this node did",
  }),
} as const;

const NODE_ISSUES = ["late", "not signed", "failed"] as const;

interface ObservedValidator {
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

/** Counts how the attestations to own checkpoints are collected. */
export function collectionRecord(metrics: Metrics): CollectionRecord {
  const rows = VALIDATOR_METRICS;
  const required = metrics.gauge(rows.required);
  const allowance = metrics.gauge(rows.allowance);
  const collected = metrics.gauge(rows.collected);
  const time = metrics.gauge(rows.collectTime);
  const delay = metrics.histogram(rows.delay);
  return {
    begun(count, allowanceMs) {
      required.set(count);
      if (allowanceMs !== undefined) allowance.set(Math.ceil(allowanceMs));
      collected.set(0);
      time.set(0);
    },
    reached(count, ms) {
      collected.set(count);
      time.set(Math.ceil(ms));
      delay.record(Math.ceil(ms));
    },
  };
}

/** Returns what counts the epochs in which each own attester attested. */
export function countAttestedEpochs(
  metrics: Metrics,
  constants: Pick<L1Constants, "epochDuration">,
): (attester: string, slot: number) => void {
  const epochs = metrics.counter(VALIDATOR_METRICS.attestedEpochs);
  const latest = new Map<string, number>();
  return (attester, slot) => {
    const epoch = epochOfSlot(slot, constants);
    if (latest.get(attester) === epoch) return;
    latest.set(attester, epoch);
    epochs.add(1, { [ATTESTER]: attester });
  };
}
