import { BlobRejectedError, BlobSourceError, MissingBlobError } from "../l1/blobs/errors.ts";
import { L1EndpointError, L1Error, L1RpcError, L1UnavailableError } from "../l1/errors.ts";
import type { HealthProbe } from "../telemetry/health.ts";
import { HEALTHY } from "../telemetry/health.ts";
import type { ChainStore } from "./chain-store.ts";
import {
  ContradictedProofError,
  InconsistentL1Error,
  InvalidCheckpointError,
  MessageOrderError,
  NonSequentialCheckpointError,
  PrunedHistoryError,
  ReorgBelowFinalizedError,
} from "./errors.ts";

type Culprit = "l1" | "blobs" | "sync";

interface Failure {
  culprit: Culprit;
  reason: string;
}

/** What keeps the synchronizer from following L1, as of its last iteration. */
export class SyncHealth {
  #failure: Failure | undefined;
  #pendingCheckpoint = 0;

  failed(error: unknown): void {
    this.#failure = failureOf(error);
  }

  succeeded(): void {
    this.#failure = undefined;
  }

  /** L1 has checkpoints up to this number. */
  sawPending(checkpoint: number): void {
    this.#pendingCheckpoint = checkpoint;
  }

  /**
   * Blocks that L1 has and this node does not. How many blocks a checkpoint has is not known before it is read, so
   * each missing one counts as many as the stored ones have on average.
   */
  lagBlocks(chain: Pick<ChainStore, "latestCheckpointNumber" | "latestBlockNumber">): number {
    const stored = chain.latestCheckpointNumber();
    const missing = Math.max(this.#pendingCheckpoint - stored, 0);
    return Math.ceil(missing * (stored === 0 ? 1 : Math.max(chain.latestBlockNumber() / stored, 1)));
  }

  /**
   * The health of L1, of the blob sources, and of the sync itself. `isL1Out` tells of an outage while the iteration
   * that
   * met it has not failed yet.
   */
  probes(sync: { paused: boolean; initialSyncComplete: boolean }, isL1Out: () => boolean = () => false): HealthProbe[] {
    const probe = (name: Culprit, otherwise: HealthProbe["read"] = () => HEALTHY): HealthProbe => ({
      name,
      read: () => (this.#failure?.culprit === name ? { state: "failed", reason: this.#failure.reason } : otherwise()),
    });
    return [
      probe("l1", () => (isL1Out() ? { state: "failed", reason: "no L1 endpoint answers" } : HEALTHY)),
      probe("blobs"),
      probe("sync", () => {
        if (sync.paused) return { state: "waiting", reason: "paused by the operator" };
        return sync.initialSyncComplete ? HEALTHY : { state: "waiting", reason: "the initial sync is not complete" };
      }),
    ];
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof MissingBlobError) {
    const { l1BlockNumber, missing } = error;
    return { culprit: "blobs", reason: `no blob source has ${missing.length} blobs of L1 block ${l1BlockNumber}` };
  }
  if (error instanceof BlobSourceError || error instanceof BlobRejectedError) {
    return { culprit: "blobs", reason: "a blob source gives no usable answer" };
  }
  if (error instanceof PrunedHistoryError) {
    const { lacks } = error.missing[0];
    return { culprit: "l1", reason: `L1 gives no ${lacks} of block ${error.l1Block}, it probably prunes old ones` };
  }
  if (error instanceof ContradictedProofError) {
    return { culprit: "l1", reason: `L1 contradicts itself about the proven checkpoint ${error.proven}` };
  }
  if (error instanceof L1Error) return { culprit: "l1", reason: l1Reason(error) };
  if (
    error instanceof InconsistentL1Error ||
    error instanceof MessageOrderError ||
    error instanceof NonSequentialCheckpointError ||
    error instanceof ReorgBelowFinalizedError
  ) {
    return { culprit: "l1", reason: `L1 contradicts itself: ${error.message}` };
  }
  if (error instanceof InvalidCheckpointError) {
    return { culprit: "sync", reason: `checkpoint ${error.checkpointNumber} on L1 breaks the protocol` };
  }
  return { culprit: "sync", reason: error instanceof Error ? error.name : "unknown error" };
}

/** Without what the endpoint said and without its address: anybody may ask for the node's health. */
function l1Reason(error: L1Error): string {
  if (error instanceof L1UnavailableError) return l1Reason(error.failures[0]);
  if (error instanceof L1RpcError) return `L1 answers with error ${error.code}`;
  if (error instanceof L1EndpointError) {
    return error.kind === "unreachable" ? "L1 cannot be reached" : `L1 gives no usable answer (${error.kind})`;
  }
  return `L1 cannot be read (${error.name})`;
}
