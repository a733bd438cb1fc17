import { L1Error } from "../../l1/errors.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";

/**
 * What L1 was asked for. A failure to ask becomes an answer that says so and no more: which endpoints a node uses, and what they
 * say, is for its own log.
 */
export async function fromL1<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw cause instanceof L1Error ? new ExecutionError("L1 cannot be asked at the moment", { cause }) : cause;
  }
}
