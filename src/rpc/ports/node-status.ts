import type { Eventually } from "./eventually.ts";

/** Release whose words and codes tell that a transaction reverted. */
export type RevertWords = "4.3" | "4.1";

export interface NodeStatus {
  /** Whether the node takes transactions. */
  ready(): Eventually<boolean>;
  /** Version of the network release that the node speaks for, for example "4.3.1". */
  readonly version: string;
  /** Release whose words and codes `node_` has for reverted transactions. */
  readonly revertWords: RevertWords;
  /** Whether proofs are checked. */
  readonly realProofs: boolean;
  /** Largest gas limits of a tx that the network's blocks are sure to take. */
  txGasLimits(): Eventually<{ readonly daGas: number; readonly l2Gas: number }>;
}
