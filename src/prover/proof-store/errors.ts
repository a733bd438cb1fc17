import { OperatorError } from "../../errors/operator-error.ts";

/** An input or output is not where its URI says, or in another store than this process uses. */
export class ProofStoreError extends OperatorError {
  override readonly errorCode: string = "proof-store";

  constructor(rule: string) {
    super(rule);
    this.name = "ProofStoreError";
  }
}
