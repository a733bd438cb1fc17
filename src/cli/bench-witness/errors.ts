import { OperatorError } from "../../errors/operator-error.ts";

/** Witnesses cannot be measured as asked. The message is complete: nothing but it needs to be shown to the operator. */
export class BenchWitnessError extends OperatorError {
  override readonly errorCode: string = "bench-witness";
  readonly subject: string;
  readonly rule: string;

  constructor(subject: string, rule: string, options?: ErrorOptions) {
    super(`${subject} ${rule}`, options);
    this.name = "BenchWitnessError";
    this.subject = subject;
    this.rule = rule;
  }
}
