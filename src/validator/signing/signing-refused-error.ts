import { type Duty, dutyText } from "./duty.ts";

/**
 * Why a duty is not signed.
 * - `other message`: another message is recorded for the duty.
 * - `signed elsewhere`: another node of the high-availability group signed it, or holds its lock.
 * - `time`: the slot is too far ahead, or over.
 * - `unknown past`: the record may be older than the last signature for this slot.
 * - `lock lost`: the lock of the group was gone when the signature was made; the signature was dropped.
 * - `record`: the record on disk cannot be written.
 * - `no key`: this node has no key of the validator.
 * - `database`: the group's database did not answer or refused.
 */
export type RefusalReason =
  | "other message"
  | "signed elsewhere"
  | "time"
  | "unknown past"
  | "lock lost"
  | "record"
  | "no key"
  | "database";

/** Nothing was signed, or the signature was dropped. The message is one line for the operator. */
export class SigningRefusedError extends Error {
  override readonly name = "SigningRefusedError";
  readonly reason: RefusalReason;
  /** Lower-case 0x text. */
  readonly validator: string;
  readonly duty: Duty;
  readonly rule: string;

  constructor(validator: string, duty: Duty, reason: RefusalReason, rule: string, options?: ErrorOptions) {
    super(`${validator} does not sign ${dutyText(duty)}: ${rule}`, options);
    this.reason = reason;
    this.validator = validator;
    this.duty = duty;
    this.rule = rule;
  }
}
