import { toHex } from "../protocol/bytes.ts";
import { gauge } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { OffenseStore } from "./offenses/offense-store.ts";
import type { Sentinel } from "./sentinel/sentinel.ts";

const OF = { of: ["own", "others"] } as const;

export const SLASHER_METRICS = {
  offenses: gauge("svc.slasher.offenses", {
    unit: "{offense}",
    labels: OF,
    meaning: "offenses on record that were not slashed, of validators of this node and of others",
  }),
  votesAgainstOwn: gauge("svc.slasher.votes_against_own", {
    unit: "{vote}",
    meaning: "votes on L1, of the round in progress, to slash validators of this node; read once a minute",
  }),
  missedAttestations: gauge("svc.sentinel.missed_attestations", {
    unit: "{duty}",
    meaning: "attestations that validators of this node missed, within the sentinel's history",
  }),
  missedProposals: gauge("svc.sentinel.missed_proposals", {
    unit: "{duty}",
    meaning: "proposals that validators of this node missed, within the sentinel's history",
  }),
  missedInARow: gauge("svc.sentinel.missed_in_a_row", {
    unit: "{duty}",
    meaning: "most attestations that a validator of this node has missed in a row, up to now",
  }),
} as const;

type OwnValidators = () => readonly string[];

/** Most own validators whose record is read in one collection. */
const MAX_VALIDATORS = 64;

/** Exports the offenses on record. */
export function observeOffenses(
  metrics: Metrics,
  { store, ownValidators }: { store: Pick<OffenseStore, "range">; ownValidators: OwnValidators },
): () => void {
  return metrics.observe((to) => {
    const own = new Set(ownValidators().map((address) => address.toLowerCase()));
    const counts = { own: 0, others: 0 };
    for (const { validator, slashed } of store.range()) {
      if (!slashed) counts[own.has(toHex(validator)) ? "own" : "others"]++;
    }
    to.set(SLASHER_METRICS.offenses, counts.own, { of: "own" });
    to.set(SLASHER_METRICS.offenses, counts.others, { of: "others" });
  });
}

/** Exports the votes to slash validators of this node. */
export function observeVotesAgainstOwn(metrics: Metrics, votes: { readonly count: number }): () => void {
  return metrics.observe((to) => to.set(SLASHER_METRICS.votesAgainstOwn, votes.count));
}

/** Exports the duties that validators of this node missed, as the sentinel saw them. */
export function observeMissedDuties(
  metrics: Metrics,
  { sentinel, ownValidators }: { sentinel: Pick<Sentinel, "of">; ownValidators: () => readonly Uint8Array[] },
): () => void {
  return metrics.observe((to) => {
    let attestations = 0;
    let proposals = 0;
    let inARow = 0;
    for (const address of ownValidators().slice(0, MAX_VALIDATORS)) {
      const statistics = sentinel.of(address, undefined, undefined)?.validator;
      if (statistics === undefined) continue;
      attestations += statistics.missedAttestations.count;
      proposals += statistics.missedProposals.count;
      inARow = Math.max(inARow, statistics.missedAttestations.currentStreak);
    }
    to.set(SLASHER_METRICS.missedAttestations, attestations);
    to.set(SLASHER_METRICS.missedProposals, proposals);
    to.set(SLASHER_METRICS.missedInARow, inARow);
  });
}
