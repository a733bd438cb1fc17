import { L1Error } from "../../../l1/errors.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";

/**
 * Awaits an answer from L1. A failure becomes an error without details: the endpoints of a node and their messages
 * belong in its own log only.
 */
export async function fromL1<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    throw cause instanceof L1Error ? new ExecutionError("L1 cannot be asked at the moment", { cause }) : cause;
  }
}
