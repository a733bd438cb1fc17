import { BusyError } from "../../errors/busy-error.ts";
import type { PoolRejection } from "../../mempool/pool/rejection.ts";
import { BbProgramError } from "../../mempool/proofs/bb-program.ts";
import { ProofVerifierMissingError } from "../../mempool/proofs/proof-verifier.ts";
import { SimulationError } from "../../mempool/tx-simulator.ts";
import { toHex } from "../../protocol/bytes.ts";
import { ExecutionError, LIMIT_EXCEEDED, RpcError } from "../../rpc/jsonrpc/errors.ts";
import { fromL1 } from "../../rpc/methods/node/l1-answer.ts";
import { StoreFullError } from "../../storage/store-errors.ts";

/**
 * `error.data` of a tx that the pool rejected. Numbers are decimal text
 * (docs/protocol/07-transactions-and-fees.md#717-sending-over-rpc).
 */
export function rejectionData(rejection: PoolRejection): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rejection).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? toHex(value) : String(value),
    ]),
  );
}

/** Converts errors of the pool, its checks and simulations to RPC errors. */
export async function mempoolAnswer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await fromL1(asked);
  } catch (cause) {
    if (cause instanceof BusyError) {
      throw new RpcError(LIMIT_EXCEEDED, `The node is busy: ${cause.message}`, { cause });
    }
    if (cause instanceof StoreFullError) {
      const why = cause.reason === "disk" ? "the disk is full" : "its store has reached its largest size";
      throw new RpcError(LIMIT_EXCEEDED, `The pool cannot store the transaction: ${why}. Try again later`, { cause });
    }
    if (cause instanceof ProofVerifierMissingError) {
      throw new ExecutionError(`Transactions are not accepted: ${cause.message}`, { cause });
    }
    if (cause instanceof SimulationError) throw new ExecutionError(cause.message, { cause });
    if (cause instanceof BbProgramError) throw new ExecutionError("The proof could not be checked", { cause });
    throw cause;
  }
}
