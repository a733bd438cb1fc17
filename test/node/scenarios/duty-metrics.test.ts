import { expect, test } from "vitest";
import { observeSequencer } from "../../../src/sequencer/metrics.ts";
import { SKIP_REASONS } from "../../../src/sequencer/skip.ts";
import type { SlotCounts } from "../../../src/sequencer/slot-ledger.ts";
import { observeMissedDuties, observeOffenses } from "../../../src/slasher/metrics.ts";
import { observeDuties } from "../../../src/telemetry/duty-metrics.ts";
import { DutyTimes } from "../../../src/telemetry/duty-times.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";
import { observeValidator } from "../../../src/validator/metrics.ts";

function exported(observe: (metrics: Metrics) => void): string[] {
  const metrics = new Metrics((error) => {
    throw error;
  });
  observe(metrics);
  return prometheusText(metrics.collect()).split("\n");
}

const OWN = `0x${"11".repeat(20)}`;

test("slots of this node are those that it published or missed as the proposer", () => {
  const none = Object.fromEntries(["published", ...SKIP_REASONS].map((name) => [name, 0])) as SlotCounts;
  const slots = { ...none, published: 3, "publishing failed": 2, "not proposer": 40 };
  const lines = exported((metrics) =>
    observeSequencer(metrics, {
      sequencer: {
        status: () => ({ state: "IDLE", paused: false, slots, lastPublished: undefined }),
        onStateChange: () => () => {},
      },
    }),
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      'svc_sequencer_slots_total{outcome="publishing failed"} 2',
      "aztec_sequencer_slot_total_count 5",
      "aztec_sequencer_slot_filled_count 3",
    ]),
  );
});

test("the time that a duty left is counted when its slot is over", () => {
  const times = new DutyTimes({
    startOf: (slot) => slot * 1000,
    due: () => 800,
    now: () => 10_300,
    logger: silentLogger,
  });
  times.done(10, "sent", { duty: "attest" });
  expect(exported((metrics) => observeDuties(metrics, times)).join()).not.toContain("svc_duty");
  times.done(11, "received", { duty: "attest" });
  const lines = exported((metrics) => observeDuties(metrics, times));
  expect(lines).toContain('svc_duty_time_left_seconds_sum{duty="attest"} 0.5');
});

test("attestations are counted, and proposals that were not attested to, by reason", () => {
  const lines = exported((metrics) =>
    observeValidator(metrics, {
      attester: {
        outcomes: new Map([
          ["attested", 4],
          ["refused", 2],
          ["late", 1],
        ]),
        attested: 8,
      },
      constants: { l1GenesisTime: 0, slotDuration: 10, epochDuration: 4 },
      now: () => 120_000,
    }),
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      "aztec_validator_attestation_success_count 8",
      "aztec_validator_attestation_failed_bad_proposal_count 2",
      'aztec_validator_attestation_failed_node_issue_count{aztec_error_type="late"} 1',
      "aztec_validator_current_epoch 3",
      'svc_validator_checkpoint_proposals_total{outcome="attested"} 4',
    ]),
  );
});

test("offenses and missed duties of own validators are told apart from those of others", () => {
  const own = new Uint8Array(20).fill(0x11);
  const other = new Uint8Array(20).fill(0x22);
  const offense = { amount: 1n, offenseType: 1 as const, epochOrSlot: 1n, slashed: false };
  const store = {
    *range() {
      yield { ...offense, validator: own };
      yield { ...offense, validator: other };
      yield { ...offense, validator: other, slashed: true };
    },
  };
  const duties = (count: number, currentStreak: number) => ({ count, total: 10, currentStreak });
  const validator = {
    address: own,
    totalSlots: 10,
    missedProposals: duties(1, 0),
    missedAttestations: duties(4, 2),
    history: [],
  };
  const lines = exported((metrics) => {
    observeOffenses(metrics, { store, ownValidators: () => [OWN.toUpperCase().replace("0X", "0x")] });
    const sentinel = { of: () => ({ validator, allTimeProvenPerformance: [], slotWindow: 10 }) };
    observeMissedDuties(metrics, { sentinel, ownValidators: () => [own] });
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      'svc_slasher_offenses{of="own"} 1',
      'svc_slasher_offenses{of="others"} 1',
      "svc_sentinel_missed_attestations 4",
      "svc_sentinel_missed_proposals 1",
      "svc_sentinel_missed_in_a_row 2",
    ]),
  );
});
