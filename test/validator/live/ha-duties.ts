import type { DutyKind } from "../../../src/validator/signing/duty.ts";
import type { SignedMessage, SignedRecord } from "./signed-messages.ts";

/** A row of the table of duties. */
export interface DutyRow {
  slot: number;
  kind: DutyKind;
  /** -1 for duties other than block proposals. */
  index: number;
  status: string;
  hash: string;
  node: string;
}

/** A node of a pair that was killed, until it was connected again; Unix milliseconds. */
export interface Downtime {
  attester: string;
  node: string;
  from: number;
  to: number;
}

/** When the database did not answer; Unix milliseconds. */
export interface Outage {
  from: number;
  to: number;
}

export interface SlotTimes {
  genesisMs: number;
  slotDurationMs: number;
}

export interface DutyQuestion {
  /** Lower-case 0x text. */
  attester: string;
  record: SignedRecord;
  /** Proposer of each slot in question, lower-case 0x text. */
  proposers: ReadonlyMap<number, string>;
  rows: readonly DutyRow[];
  downtimes: readonly Downtime[];
  outages: readonly Outage[];
  times: SlotTimes;
}

interface MissedDuty {
  slot: number;
  kind: SignedMessage["kind"];
}

export interface DutyAnswer {
  /** Slots with a checkpoint proposal of their proposer, and those of them that the key attested in. */
  attestations: { expected: number; done: number };
  /** Slots of the key as proposer, and those of them with its checkpoint proposal. */
  proposals: { expected: number; done: number };
  /** Duties that nothing explains. */
  missed: MissedDuty[];
  /** Duties that a fault made impossible, with it. */
  excused: (MissedDuty & { reason: string })[];
}

/** A slot's work begins this long before it. */
const AHEAD_MS = 4_000;
/** After a restart of the database nothing is signed for a slot that begins within an L1 slot and a second. */
const UNTRUSTED_MS = 13_000;

/** What was seen of a key in the slots of `proposers`. */
export function dutiesOf(question: DutyQuestion): DutyAnswer {
  const { attester, record, proposers } = question;
  const answer: DutyAnswer = {
    attestations: { expected: 0, done: 0 },
    proposals: { expected: 0, done: 0 },
    missed: [],
    excused: [],
  };
  const look = (counts: { expected: number; done: number }, slot: number, kind: SignedMessage["kind"]) => {
    counts.expected++;
    if (record.hashes({ signer: attester, kind, slot, index: -1 }).length > 0) counts.done++;
    else {
      const reason = excuse(question, slot, kind);
      if (reason === undefined) answer.missed.push({ slot, kind });
      else answer.excused.push({ slot, kind, reason });
    }
  };
  for (const [slot, proposer] of proposers) {
    if (proposer === attester) look(answer.proposals, slot, "CHECKPOINT_PROPOSAL");
    const proposed = record.hashes({ signer: proposer, kind: "CHECKPOINT_PROPOSAL", slot, index: -1 });
    if (proposed.length > 0) look(answer.attestations, slot, "ATTESTATION");
  }
  return answer;
}

/**
 * Why nobody could do a duty. A lock of the group is never taken from another node, and a proposer's node attests to
 * its own proposal; so a node that is killed after it has taken a duty takes it along.
 */
function excuse(question: DutyQuestion, slot: number, kind: SignedMessage["kind"]): string | undefined {
  const { attester, rows, downtimes, outages, times, proposers } = question;
  const start = times.genesisMs + slot * times.slotDurationMs;
  const overlaps = ({ from, to }: Outage) => from < start + times.slotDurationMs && to > start - AHEAD_MS;
  if (outages.some(({ from, to }) => overlaps({ from, to: to + UNTRUSTED_MS }))) return "the database was restarted";
  const down = downtimes.filter((each) => each.attester === attester && overlaps(each));
  const isProposer = proposers.get(slot) === attester;
  for (const { node, from } of down) {
    const killedInSlot = from >= start - AHEAD_MS;
    const took = rows.find(
      (row) =>
        row.slot === slot && row.node === node && (row.kind === kind || (isProposer && /PROPOSAL/.test(row.kind))),
    );
    if (killedInSlot && took !== undefined) return `${node} was killed when it had taken ${took.kind}`;
  }
  const together = down.some((one) =>
    down.some((two) => one.node !== two.node && one.from < two.to && two.from < one.to),
  );
  return together ? "no node of the pair was there" : undefined;
}

/** Compares the messages of a key with the table of its pair. */
export function compareRows(
  attester: string,
  record: SignedRecord,
  rows: readonly DutyRow[],
  { first, last }: { first: number; last: number },
): { equal: number; unlike: string[]; unseen: string[] } {
  const text = ({ kind, slot, index }: Pick<DutyRow, "kind" | "slot" | "index">) => `${kind} ${slot} ${index}`;
  const byDuty = new Map(rows.map((row) => [text(row), row]));
  const seen = record.duties(first, last).filter(({ signer }) => signer === attester);
  const unlike = seen.filter(({ hash, ...duty }) => {
    const row = byDuty.get(text(duty));
    return row?.status !== "signed" || row.hash !== hash;
  });
  const onWire = new Set(seen.map(text));
  const gossiped = rows.filter(
    ({ slot, kind, status }) =>
      slot >= first && slot <= last && status === "signed" && /^(BLOCK|CHECKPOINT)_PROPOSAL$|^ATTESTATION$/.test(kind),
  );
  const unseen = gossiped.filter((row) => !onWire.has(text(row)));
  return {
    equal: seen.length - unlike.length,
    unlike: unlike.map(text),
    unseen: unseen.map((row) => `${text(row)} by ${row.node}`),
  };
}

/** Signed duties of each node by kind. */
export function signedBy(rows: readonly DutyRow[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { node, kind, status } of rows) {
    if (status !== "signed") continue;
    counts[node] ??= {};
    counts[node][kind] = (counts[node][kind] ?? 0) + 1;
  }
  return counts;
}
