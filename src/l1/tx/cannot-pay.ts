import { L1Error } from "../errors.ts";
import { L1TxNotSentError } from "./errors.ts";

/** Whether L1 refused a transaction because its account lacks funds; another account may send it. */
export function cannotPay(error: unknown): error is Error {
  return (error instanceof L1Error || error instanceof L1TxNotSentError) && /insufficient funds/i.test(error.message);
}
