/**
 * Kinds of duties that a validator signs at most once each, named as in the database of a high-availability group. The
 * local record stores the position in this list.
 */
export const DUTY_KINDS = [
  "BLOCK_PROPOSAL",
  "CHECKPOINT_PROPOSAL",
  "ATTESTATION",
  "ATTESTATIONS_AND_SIGNERS",
  "GOVERNANCE_VOTE",
  "SLASHING_VOTE",
] as const;

export type DutyKind = (typeof DUTY_KINDS)[number];

/**
 * What is signed once for a validator. A slot has several block proposals, one for each index within its checkpoint.
 */
export type Duty =
  | {
      readonly kind: "BLOCK_PROPOSAL";
      readonly slot: number;
      readonly indexWithinCheckpoint: number;
      readonly blockNumber: number;
    }
  | {
      readonly kind: Exclude<DutyKind, "BLOCK_PROPOSAL">;
      readonly slot: number;
      /** Number of the block or checkpoint, for operators who read the database; 0 when the duty has none. */
      readonly blockNumber?: number;
    };

/** Largest slot and block number that are stored, and that PostgreSQL's bigint and a JavaScript number can hold. */
const MAX_NUMBER = 2 ** 48 - 1;
/** PostgreSQL's integer. */
const MAX_INDEX = 2 ** 31 - 1;

function isWhole(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max;
}

/** The broken rule as a clause; undefined if the duty's numbers can be stored. */
export function dutyFault(duty: Duty): string | undefined {
  if (!isWhole(duty.slot, MAX_NUMBER)) return `slot must be a whole number from 0 to ${MAX_NUMBER}`;
  if (!isWhole(duty.blockNumber ?? 0, MAX_NUMBER)) return `blockNumber must be a whole number from 0 to ${MAX_NUMBER}`;
  if (duty.kind === "BLOCK_PROPOSAL" && !isWhole(duty.indexWithinCheckpoint, MAX_INDEX)) {
    return `indexWithinCheckpoint must be a whole number from 0 to ${MAX_INDEX}`;
  }
  return undefined;
}

/** For example `BLOCK_PROPOSAL 2 of slot 812`. */
export function dutyText(duty: Duty): string {
  const index = duty.kind === "BLOCK_PROPOSAL" ? ` ${duty.indexWithinCheckpoint}` : "";
  return `${duty.kind}${index} of slot ${duty.slot}`;
}
