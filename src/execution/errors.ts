import { DecodeError } from "../protocol/errors.ts";

/**
 * No block can include a transaction. The message is the reference node's
 * (docs/protocol/06-public-execution.md#630-unprocessable-transactions). The state is unchanged.
 */
export class UnprocessableTxError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "UnprocessableTxError";
  }
}

/** Runs a step that decodes or encodes part of a tx, and turns a DecodeError into an UnprocessableTxError. */
export function orUnprocessable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof DecodeError ? new UnprocessableTxError(error.message, { cause: error }) : error;
  }
}
