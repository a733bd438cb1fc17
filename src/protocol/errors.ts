import { ContentError } from "../errors/content-error.ts";

/** A value that arrived over some boundary breaks a rule of the protocol. */
export class DecodeError extends ContentError {
  override readonly errorCode: string = "malformed";

  /** What was being read, for example "blob words of checkpoint 7". */
  readonly subject: string;
  /** The rule that does not hold, in one clause. */
  readonly rule: string;

  constructor(subject: string, rule: string, options?: ErrorOptions) {
    super(`${subject}: ${rule}`, options);
    this.name = "DecodeError";
    this.subject = subject;
    this.rule = rule;
  }
}
