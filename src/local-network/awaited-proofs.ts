import { setTimeout as sleep } from "node:timers/promises";
import type { ChainStore } from "../archiver/chain-store.ts";
import { epochOfSlot, type L1Constants, slotAt } from "../protocol/time.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import type { CompleteEpoch, EpochSettler } from "./epoch-settler.ts";

interface AwaitedProofsParts {
  settler: Pick<EpochSettler, "settle" | "complete" | "overAt">;
  l1: Pick<DevelopmentL1, "latest" | "mineAt">;
  chain: Pick<ChainStore, "provenCheckpointNumber" | "state">;
  constants: L1Constants;
  /** After this time an epoch is settled without a proof. */
  patienceMs: number;
  logger: Logger;
}

const LOOK_MS = 50;

/**
 * Settles epochs in a local network whose node proves them: time does not pass an epoch's deadline before its proof is
 * on L1. An epoch that is not proven in time is settled without a proof, because L1 would drop its blocks otherwise.
 */
export class AwaitedProofs {
  readonly #parts: AwaitedProofsParts;
  #stopped = false;

  constructor(parts: AwaitedProofsParts) {
    this.#parts = parts;
  }

  /** Ends waiting. */
  stop(): void {
    this.#stopped = true;
  }

  /** A complete epoch of which the node does not know yet that it is complete, because no L1 block is past its end. */
  complete(timestamp: number): CompleteEpoch | undefined {
    const { settler, chain } = this.#parts;
    const seen = chain.state.processed()?.timestamp ?? 0;
    return seen < (settler.overAt() ?? 0) ? settler.complete(timestamp) : undefined;
  }

  overAt(): number | undefined {
    return this.#parts.settler.overAt();
  }

  /**
   * Waits for the proofs that L1 would not take any more at `timestamp` (seconds). Returns epochs settled without one.
   */
  async settle(timestamp: number): Promise<number[]> {
    const { settler, l1, constants, logger } = this.#parts;
    const epochAtTarget = epochOfSlot(slotAt(timestamp, constants), constants);
    for (let next = settler.complete(timestamp); next !== undefined; next = settler.complete(timestamp)) {
      const { epoch } = next;
      if (epochAtTarget <= epoch + constants.proofSubmissionEpochs) return [];
      const over = settler.overAt() ?? 0;
      if ((await l1.latest()).timestamp < over) await l1.mineAt(over);
      if (await this.#proven(next)) continue;
      if (this.#stopped) return [];
      logger.warn({ epoch }, "epoch {epoch} was not proven in time: it is settled without a proof");
      return settler.settle(timestamp);
    }
    return [];
  }

  async #proven({ lastCheckpoint }: CompleteEpoch): Promise<boolean> {
    const { chain, patienceMs } = this.#parts;
    const end = performance.now() + patienceMs;
    while (chain.provenCheckpointNumber() < lastCheckpoint) {
      if (this.#stopped || performance.now() >= end) return false;
      await sleep(LOOK_MS);
    }
    return true;
  }
}
