import { toHex } from "../protocol/bytes.ts";
import { readTxEffect } from "../protocol/tx-effect.ts";
import type { TreeSnapshot } from "../world-state/types.ts";
import type { BlockState } from "./block-state.ts";
import type { HashedTx } from "./executed-tx.ts";
import type { ProcessedTxs, ProcessOptions } from "./process-txs.ts";
import type { StateOverrides } from "./state-overrides.ts";

/** Transactions to run as a block on top of a stored one. */
export interface BlockTask {
  base: { number: number; hash: Uint8Array };
  /** 440 bytes, of which the global variables are read. */
  header: Uint8Array;
  /** The checkpoint's messages for its first block, undefined for later ones. */
  l1ToL2Messages?: Uint8Array[];
  /** What to suppose before the first transaction. */
  overrides?: StateOverrides;
  txs: HashedTx[];
  /** Whether the trees after the last transaction are asked for: to hash them takes longer than to execute one. */
  endTrees?: boolean;
  options: Omit<ProcessOptions, "validate" | "uninterrupted" | "interrupted" | "deadline">;
  /** Milliseconds from the task's start in its thread, after which it stops as at a deadline. */
  limitMs?: number;
  /** One word, which is other than 0 once nobody wants the outcome. */
  interrupt?: SharedArrayBuffer;
}

/** The block that a task stands on is not stored, or is another one by now. */
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

/** The trees that transactions change, and the messages', after the block's last one. */
export type EndTrees = Record<0 | 1 | 2 | 3, TreeSnapshot>;

/** A task's result as it crosses threads: nothing in it refers to more bytes than its own. */
export type BlockOutcome = Omit<ProcessedTxs, "processed"> & {
  processed: (Omit<ProcessedTxs["processed"][number], "effect"> & { words: Uint8Array })[];
  trees: EndTrees | undefined;
};

/** `trees` are there where they were asked for. */
export type ProcessedBlock = ProcessedTxs & { trees: EndTrees | undefined };

export function endTreesOf({ fork }: BlockState): EndTrees {
  return { 0: fork.snapshot(0), 1: fork.snapshot(1), 2: fork.snapshot(2), 3: fork.snapshot(3) };
}

export function packOutcome({ processed, ...rest }: ProcessedTxs, trees: EndTrees | undefined): BlockOutcome {
  return {
    ...(detached(rest) as typeof rest),
    processed: processed.map(({ effect, ...tx }) => ({ ...(detached(tx) as typeof tx), words: effect.words.slice() })),
    trees: detached(trees) as EndTrees | undefined,
  };
}

export function unpackOutcome({ processed, ...rest }: BlockOutcome): ProcessedBlock {
  return {
    ...rest,
    processed: processed.map(({ words, ...tx }) => ({ ...tx, effect: readTxEffect(words, 0).effect })),
  };
}

/** A task without the bytes around its parts, which a message to another thread would carry too. */
export function packTask(task: BlockTask): BlockTask {
  return detached(task) as BlockTask;
}

/** A copy of plain data in which every byte array owns its buffer, shared memory stays shared, and errors are no more than their name, text and stack. */
function detached(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof SharedArrayBuffer) return value;
  if (value instanceof Error) return Object.assign(new Error(value.message), { name: value.name, stack: value.stack });
  if (Array.isArray(value)) return value.map(detached);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, detached(member)]));
}
