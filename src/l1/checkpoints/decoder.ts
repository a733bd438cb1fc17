import type { Generation } from "../../protocol/generations/generation.ts";
import type { L1Transaction } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** Inputs of a decoder in addition to the transaction. */
export interface DecoderContext {
  /** Of the rollup. */
  generation: Generation;
  /** Lower-case. */
  rollupAddress: string;
  rpc: L1Rpc;
  /** Endpoints with trace methods. */
  debugRpc: L1Rpc;
}

/**
 * Finds `propose` calls in one form of transaction (docs/protocol/04-l1-contracts.md#48-finding-the-calldata). It only
 * returns candidates; the hashes in the event decide which of them is the right one.
 */
export interface ProposeDecoder {
  name: string;
  /** Inputs of the calls to the rollup's `propose` in the transaction. Throws an L1Error if L1 cannot be read. */
  candidates(
    tx: Pick<L1Transaction, "hash" | "to" | "input">,
    context: DecoderContext,
  ): Uint8Array[] | Promise<Uint8Array[]>;
}
