/**
 * What a committee member did in a slot. The position in the list plus one is the byte that is stored
 * (docs/store-format.md#sentinel).
 */
export const DUTY_STATUSES = [
  "checkpoint-mined",
  "checkpoint-proposed",
  "checkpoint-missed",
  "attestation-sent",
  "attestation-missed",
  "blocks-missed",
] as const;
export type DutyStatus = (typeof DUTY_STATUSES)[number];

const ATTESTING: ReadonlySet<DutyStatus> = new Set(["attestation-sent", "attestation-missed"]);
const MISSED: ReadonlySet<DutyStatus> = new Set(["checkpoint-missed", "blocks-missed", "attestation-missed"]);

/** Each status is of one duty: to propose or to attest. */
export function isAttestationDuty(status: DutyStatus): boolean {
  return ATTESTING.has(status);
}

export function isMissed(status: DutyStatus): boolean {
  return MISSED.has(status);
}
