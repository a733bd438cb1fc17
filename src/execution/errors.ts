import { DecodeError } from "../protocol/errors.ts";

/** A transaction that no block can include, in the network's words (sheet 05 section 8.8). The state is as it was before it. */
export class UnprocessableTxError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "UnprocessableTxError";
  }
}

/** Reads or writes a part of a tx, for which breaking a rule of its form makes it unprocessable. */
export function ofTxForm<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof DecodeError ? new UnprocessableTxError(error.message, { cause: error }) : error;
  }
}
