import type { L1Transaction } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** What a decoder may ask while it looks for propose calls. */
export interface DecoderContext {
  /** Lower-case. */
  rollupAddress: string;
  rpc: L1Rpc;
  /** Endpoints with trace methods. */
  debugRpc: L1Rpc;
}

/**
 * One way in which a transaction can carry `propose` calls (sheet 04 section 3.2). It only proposes candidates: which of them is the
 * event's is decided by hashes alone.
 */
export interface ProposeDecoder {
  name: string;
  /** Inputs of calls to the rollup's `propose` that the transaction makes. Throws L1 errors of what it has to ask. */
  candidates(
    tx: Pick<L1Transaction, "hash" | "to" | "input">,
    context: DecoderContext,
  ): Uint8Array[] | Promise<Uint8Array[]>;
}
