import { toHex } from "../protocol/bytes.ts";
import { readTxEffect } from "../protocol/tx-effect.ts";
import { detached } from "../threads/detached.ts";
import type { TreeSnapshot } from "../world-state/tables/state-row.ts";
import type { BlockState } from "./block-state.ts";
import type { HashedTx } from "./executed-tx.ts";
import type { ProcessedTxs, ProcessOptions } from "./process-txs.ts";
import type { StateOverrides } from "./state-overrides.ts";

/** Transactions to run as a block on top of a stored one. */
export interface BlockTask {
  base: { number: number; hash: Uint8Array };
  /** Block header, 440 bytes; only its global variables are used. */
  header: Uint8Array;
  /** The checkpoint's messages for its first block, undefined for later ones. */
  l1ToL2Messages?: Uint8Array[];
  /** State to override before the first transaction. */
  overrides?: StateOverrides;
  txs: HashedTx[];
  /**
   * Whether to return the trees after the last transaction. Computing their roots takes longer than executing a
   * transaction.
   */
  endTrees?: boolean;
  options: Omit<ProcessOptions, "validate" | "uninterrupted" | "interrupted" | "deadline">;
  /** Time limit in milliseconds from the task's start in its thread; it then stops as at a deadline. */
  limitMs?: number;
  /** One 32-bit word; nonzero interrupts the task. */
  interrupt?: SharedArrayBuffer;
}

/** A task's base block is not stored, or another block has its number. */
export class StaleBaseError extends Error {
  readonly number: number;
  readonly hash: Uint8Array;
  constructor({ number, hash }: BlockTask["base"]) {
    super(`block ${number} with hash ${toHex(hash)} is not stored any more`);
    this.name = "StaleBaseError";
    this.number = number;
    this.hash = hash;
  }
}

/** The trees that transactions change and the L1-to-L2 message tree, after the block's last transaction. */
type EndTrees = Record<0 | 1 | 2 | 3, TreeSnapshot>;

/** A task's result as it is posted between threads: each byte array owns its buffer. */
export type BlockOutcome = Omit<ProcessedTxs, "processed"> & {
  processed: (Omit<ProcessedTxs["processed"][number], "effect"> & { words: Uint8Array })[];
  trees: EndTrees | undefined;
};

/** `trees` is set if the task asked for it. */
export type ProcessedBlock = ProcessedTxs & { trees: EndTrees | undefined };

export function endTreesOf({ fork }: BlockState): EndTrees {
  return { 0: fork.snapshot(0), 1: fork.snapshot(1), 2: fork.snapshot(2), 3: fork.snapshot(3) };
}

export function packOutcome({ processed, ...rest }: ProcessedTxs, trees: EndTrees | undefined): BlockOutcome {
  return {
    ...detached(rest),
    processed: processed.map(({ effect, ...tx }) => ({ ...detached(tx), words: effect.words.slice() })),
    trees: detached(trees),
  };
}

export function unpackOutcome({ processed, ...rest }: BlockOutcome): ProcessedBlock {
  return {
    ...rest,
    processed: processed.map(({ words, ...tx }) => ({ ...tx, effect: readTxEffect(words, 0).effect })),
  };
}

const NO_PROOF = new Uint8Array(0);

/** Copies a task so that each byte array owns its buffer, without the proofs, which take no part in execution. */
export function packTask(task: BlockTask): BlockTask {
  const txs = task.txs.map(({ hash, tx }) => ({ hash, tx: { ...tx, chonkProof: NO_PROOF } }));
  return detached({ ...task, txs });
}
