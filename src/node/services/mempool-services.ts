import { BusyError } from "../../errors/busy-error.ts";
import { type FunctionNames, withFunctionNames } from "../../execution/revert-reason.ts";
import type { PoolQueries } from "../../mempool/pool/pool-queries.ts";
import type { PoolRejection } from "../../mempool/pool/rejection.ts";
import { BbProgramError } from "../../mempool/proofs/bb-program.ts";
import { ProofVerifierMissingError } from "../../mempool/proofs/proof-verifier.ts";
import type { TxIntake } from "../../mempool/tx-intake.ts";
import { SimulationError, type TxSimulator } from "../../mempool/tx-simulator.ts";
import type { TxValidator } from "../../mempool/validation/tx-validator.ts";
import { toHex } from "../../protocol/bytes.ts";
import { ExecutionError, LIMIT_EXCEEDED, RpcError } from "../../rpc/jsonrpc/errors.ts";
import { clientNetwork } from "../../rpc/limits/client-address.ts";
import { fromL1 } from "../../rpc/methods/node/l1-answer.ts";
import type { Mempool, PooledTx, PoolStatus } from "../../rpc/ports/mempool.ts";
import type { Simulator } from "../../rpc/ports/simulator.ts";
import type { TxValidityChecker } from "../../rpc/ports/tx-validity-checker.ts";
import { StoreFullError } from "../../storage/store-errors.ts";

interface MempoolServiceParts {
  pool: PoolQueries;
  intake: TxIntake;
  /** Whether the node is synced far enough to accept txs. */
  synced(): boolean;
}

/** The pool's service for the public RPC methods. */
export function mempoolService({ pool, intake, synced }: MempoolServiceParts): Mempool {
  const pooled = (hash: Uint8Array): PooledTx | undefined => {
    const tx = pool.get(hash);
    return tx && { hash, tx };
  };
  return {
    async submit(tx) {
      if (!synced()) throw new ExecutionError("P2P client not ready");
      const submission = await mempoolAnswer(intake.submit(tx));
      if ("verdict" in submission) throw new ExecutionError(`Invalid tx: ${submission.verdict.reason.join(", ")}`);
      const { reason } = submission.admission;
      // As in the reference, a known tx counts as success, and so does one whose nullifier was spent since the check.
      if (reason !== undefined) throw new ExecutionError(reason.message, { data: rejectionData(reason) });
    },
    status(hash): PoolStatus | undefined {
      const status = pool.status(hash);
      if (status === "protected") return "pending";
      if (status === "pending" || status === "mined") return status;
      const reason = pool.dropReason(hash);
      return status === undefined && reason === undefined ? undefined : { reason };
    },
    get: pooled,
    list: (limit, after) => pool.pendingHashes(limit, after).flatMap((hash) => pooled(hash) ?? []),
    count: () => pool.pendingCount,
    maxPriorityFees: () => pool.maxPriorityFees(),
  };
}

export function validatorService(validator: TxValidator): TxValidityChecker {
  return {
    validate: (tx, options) => mempoolAnswer(validator.ofQuestion(tx, options)),
  };
}

/** Adds function names to the call stacks of reverted txs. */
export function simulatorService(simulator: TxSimulator, names: FunctionNames): Simulator {
  return {
    async simulate(tx, options, signal) {
      const client = clientNetwork(options.client);
      const output = await mempoolAnswer(simulator.simulate(tx, { ...options, client }, signal));
      return { ...output, ...(output.revert && { revert: withFunctionNames(output.revert, names) }) };
    },
  };
}

/**
 * `error.data` of a tx that the pool rejected. Numbers are decimal text
 * (docs/protocol/07-transactions-and-fees.md#717-sending-over-rpc).
 */
function rejectionData(rejection: PoolRejection): Record<string, string> {
  return Object.fromEntries(
    Object.entries(rejection).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? toHex(value) : String(value),
    ]),
  );
}

/** Converts errors of the pool, its checks and simulations to RPC errors. */
async function mempoolAnswer<T>(asked: Promise<T>): Promise<T> {
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
