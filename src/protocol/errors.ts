import { ContentError } from "../errors/content-error.ts";

/** A value received from outside breaks a rule of the protocol. */
export class DecodeError extends ContentError {
  override readonly errorCode: string = "malformed";

  /** The value that was decoded, for example "blob words of checkpoint 7". */
  readonly subject: string;
  /** The broken rule, in one clause. */
  readonly rule: string;

  constructor(subject: string, rule: string, options?: ErrorOptions) {
    super(`${subject}: ${rule}`, options);
    this.name = "DecodeError";
    this.subject = subject;
    this.rule = rule;
  }
}
