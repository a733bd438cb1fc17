import { OperatorError } from "../errors/operator-error.ts";
import type { MissingHistory } from "../l1/types.ts";
import { toHex } from "../protocol/bytes.ts";

/**
 * A checkpoint on L1 breaks a rule of the protocol. It cannot be stored until L1 drops or replaces it. The cause is the
 * DecodeError or state mismatch that names the rule.
 */
export class InvalidCheckpointError extends Error {
  readonly checkpointNumber: number;
  readonly archiveRoot: Uint8Array;
  readonly l1BlockNumber: number;

  constructor(
    checkpoint: { checkpointNumber: number; archiveRoot: Uint8Array; l1: { number: number } },
    options: { cause: unknown },
  ) {
    const { cause } = options;
    super(
      `checkpoint ${checkpoint.checkpointNumber} (archive ${toHex(checkpoint.archiveRoot)}, L1 block ${checkpoint.l1.number}) ` +
        `is invalid: ${cause instanceof Error ? cause.message : String(cause)}`,
      options,
    );
    this.name = "InvalidCheckpointError";
    this.checkpointNumber = checkpoint.checkpointNumber;
    this.archiveRoot = checkpoint.archiveRoot;
    this.l1BlockNumber = checkpoint.l1.number;
  }
}

/** A checkpoint does not follow the stored ones: earlier ones were missed or are invalid. */
export class NonSequentialCheckpointError extends Error {
  readonly expected: number;
  readonly got: number;

  constructor(expected: number, got: number) {
    super(`next checkpoint must be ${expected}, L1 gave ${got}`);
    this.name = "NonSequentialCheckpointError";
    this.expected = expected;
    this.got = got;
  }
}

/** An L1-to-L2 message does not continue the stored ones (docs/protocol/04-l1-contracts.md#414-following-messages). */
export class MessageOrderError extends Error {
  readonly index: number;
  readonly leaf: Uint8Array;
  readonly rule: string;

  constructor(message: { index: number; leaf: Uint8Array }, rule: string) {
    super(`message ${message.index} (${toHex(message.leaf)}): ${rule}`);
    this.name = "MessageOrderError";
    this.index = message.index;
    this.leaf = message.leaf;
    this.rule = rule;
  }
}

/**
 * Answers of the L1 endpoint contradict each other: one of its nodes lags, or blocks were replaced between two calls.
 */
export class InconsistentL1Error extends Error {
  readonly facts: Record<string, number | string>;

  constructor(what: string, facts: Record<string, number | string>) {
    super(
      `${what} (${Object.entries(facts)
        .map(([name, value]) => `${name} ${value}`)
        .join(", ")})`,
    );
    this.name = "InconsistentL1Error";
    this.facts = facts;
  }
}

/**
 * L1 endpoints say that a proven checkpoint is gone, although nothing on L1 took its proof away: they answer from the
 * state of another block.
 */
export class ContradictedProofError extends Error {
  readonly proven: number;
  readonly l1Block: number;
  /** Redacted URLs. */
  readonly endpoints: readonly string[];

  constructor({ proven, l1Block, endpoints }: { proven: number; l1Block: number; endpoints: readonly string[] }) {
    const who = endpoints.length === 0 ? "an L1 endpoint says" : `${endpoints.join(" and ")} said`;
    super(
      `${who} of L1 block ${l1Block} that the proven checkpoint ${proven} is gone, but nothing took its proof away. ` +
        "The endpoint probably answers from the state of another block",
    );
    this.name = "ContradictedProofError";
    this.proven = proven;
    this.l1Block = l1Block;
    this.endpoints = endpoints;
  }
}

/** L1 endpoints do not have the history that the sync reads. The cause is how that showed. */
export class PrunedHistoryError extends Error {
  /** L1 block whose logs or transactions are missing. */
  readonly l1Block: number;
  readonly missing: readonly MissingHistory[];

  constructor(l1Block: number, missing: readonly MissingHistory[], cause: Error) {
    const lacks = missing.map(({ url, lacks }) => `${url} gives no ${lacks} of L1 block ${l1Block}`).join("; ");
    super(
      `${cause.message}: ${lacks}, probably because it prunes old ones. Use an endpoint with the history of blocks, ` +
        "transactions and logs, or start from a snapshot (SYNC_SNAPSHOTS_URLS)",
      { cause },
    );
    this.name = "PrunedHistoryError";
    this.l1Block = l1Block;
    this.missing = missing;
  }
}

/** L1 dropped checkpoints at or below the finalized one. Older state is not kept, so nothing is unwound. */
export class ReorgBelowFinalizedError extends Error {
  readonly target: number;
  readonly finalized: number;

  constructor(target: number, finalized: number) {
    super(`L1 agrees with block ${target} at most, below the finalized block ${finalized}`);
    this.name = "ReorgBelowFinalizedError";
    this.target = target;
    this.finalized = finalized;
  }
}

/** The stored chain and the stored world state end at different blocks: they do not belong together. */
export class StoreMismatchError extends OperatorError {
  override readonly errorCode: string = "store-tips-differ";

  readonly chainTip: number;
  readonly worldStateTip: number;

  constructor(chainTip: number, worldStateTip: number) {
    super(`the stored chain ends at block ${chainTip}, the stored world state at block ${worldStateTip}`);
    this.name = "StoreMismatchError";
    this.chainTip = chainTip;
    this.worldStateTip = worldStateTip;
  }
}

/** Rules of proposed blocks (docs/protocol/04-l1-contracts.md#420-proposed-blocks). */
export type ProposedBlockRule = "slot" | "checkpointed" | "number" | "checkpoint" | "index" | "lastArchive";

/** A proposed block does not continue the stored chain, or is too late. Nothing was stored. */
export class ProposedBlockRefusedError extends Error {
  readonly blockNumber: number;
  readonly rule: ProposedBlockRule;

  constructor(blockNumber: number, rule: ProposedBlockRule, text: string) {
    super(`proposed block ${blockNumber}: ${text}`);
    this.name = "ProposedBlockRefusedError";
    this.blockNumber = blockNumber;
    this.rule = rule;
  }
}

/** Syncing was paused during the operation. Whatever was committed remains. */
export class SyncPausedError extends OperatorError {
  override readonly errorCode: string = "sync-paused";

  constructor() {
    super("following L1 is paused");
    this.name = "SyncPausedError";
  }
}
