import type { SyncEvents } from "../../archiver/sync-services.ts";
import type { RemovedBlock } from "../../archiver/types.ts";
import type { EpochCommittee } from "../../l1/types.ts";
import { headerSlotNumber } from "../../protocol/block-header.ts";
import { toHex } from "../../protocol/bytes.ts";
import { OFFENSE_TYPES, type Offense, type ReportOffenses } from "../../protocol/slashing/offense.ts";
import { epochOfSlot, type L1Constants } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { SlasherSettings } from "../offenses/settings.ts";
import type { RebuildResult } from "./rebuild-epoch.ts";

interface EpochPruneParts {
  settings: Readonly<Pick<SlasherSettings, "prunePenalty" | "dataWithholdingPenalty">>;
  constants: Pick<L1Constants, "epochDuration">;
  committee(epoch: number): Promise<EpochCommittee>;
  /** Executes removed blocks again; see rebuildEpoch. */
  rebuild(blocks: readonly RemovedBlock[], signal: AbortSignal): Promise<RebuildResult>;
  report: ReportOffenses;
  logger: Logger;
}

/**
 * Finds out why an epoch was not proven in time, and accuses its committee: its data were withheld, or it could have
 * been proven (docs/protocol/12-slashing.md#123-pruned-epochs). Epochs are rebuilt one after the other.
 */
export class EpochPruneWatcher {
  readonly #parts: EpochPruneParts;
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(parts: EpochPruneParts) {
    this.#parts = parts;
  }

  /** A listener for the synchronizer. */
  readonly blocksRemoved = ({ reason, epoch, removed }: SyncEvents["blocksRemoved"][0]): void => {
    const { settings, constants } = this.#parts;
    if (reason !== "unproven" || epoch === undefined) return;
    if (settings.prunePenalty === 0n && settings.dataWithholdingPenalty === 0n) return;
    const blocks = removed.filter(({ header }) => epochOfSlot(headerSlotNumber(header), constants) === epoch).reverse();
    this.#running = this.#running.then(() => this.#judge(epoch, blocks));
  };

  /** Ends the rebuilding after the current block. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #judge(epoch: number, blocks: readonly RemovedBlock[]): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const { logger, rebuild, committee, report, settings } = this.#parts;
    try {
      const { committee: members, escapeHatchOpen } = await committee(epoch);
      if (members === undefined || escapeHatchOpen) return;
      const result = await rebuild(blocks, signal);
      if (result.kind === "invalid") {
        logger.warn(
          { epoch, reason: result.reason },
          "pruned epoch {epoch} could not have been proven, so no offense: {reason}",
        );
        return;
      }
      const withheld = result.kind === "missing-txs";
      const offenseType = withheld ? OFFENSE_TYPES.dataWithholding : OFFENSE_TYPES.validEpochPruned;
      const amount = withheld ? settings.dataWithholdingPenalty : settings.prunePenalty;
      logger.info(
        { epoch, offenseType, missing: withheld ? result.missing.slice(0, 10).map(toHex) : [] },
        "pruned epoch {epoch} is offense {offenseType} of its committee",
      );
      const epochOrSlot = BigInt(epoch);
      report(members.map((validator): Offense => ({ validator, amount, offenseType, epochOrSlot })));
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ epoch, err: error }, "pruned epoch {epoch} cannot be judged, so no offense");
    }
  }
}
