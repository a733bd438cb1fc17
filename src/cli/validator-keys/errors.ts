import { OperatorError } from "../../errors/operator-error.ts";

/** A command for keys was given something that it cannot use. Never contains a secret. */
export class KeyCommandError extends OperatorError {
  override readonly errorCode: string = "validator-keys";

  /** `subject` is a flag or a file; `rule` is a clause. */
  constructor(subject: string, rule: string, options?: ErrorOptions) {
    super(`${subject} ${rule}`, options);
    this.name = "KeyCommandError";
  }
}
