import type { DutyStatus } from "../../protocol/slashing/validator-statistics.ts";

const ATTESTING: ReadonlySet<DutyStatus> = new Set(["attestation-sent", "attestation-missed"]);
const MISSED: ReadonlySet<DutyStatus> = new Set(["checkpoint-missed", "blocks-missed", "attestation-missed"]);

/** Each status is of one duty: to propose or to attest. */
export function isAttestationDuty(status: DutyStatus): boolean {
  return ATTESTING.has(status);
}

export function isMissed(status: DutyStatus): boolean {
  return MISSED.has(status);
}
