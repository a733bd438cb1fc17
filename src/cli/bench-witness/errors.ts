import { OperatorError } from "../../errors/operator-error.ts";

/** The requested measurement is not possible. The message alone is enough for the operator. */
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
