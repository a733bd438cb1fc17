import type { Eventually } from "./eventually.ts";

/** A proving job as clients see it: one attempt to prove an epoch. */
export interface EpochProvingJob {
  readonly uuid: string;
  readonly status: string;
  readonly epochNumber: number;
}

/** The prover of a node. */
export interface EpochProving {
  /** Jobs that have not ended. */
  jobs(): Eventually<readonly EpochProvingJob[]>;
  /** Resolves when the epoch's transactions were found. Rejects with an ExecutionError. */
  startProof(epoch: number): Promise<void>;
}
