import type { BlockOutcome, ProposedBlock } from "../checkpoints/checkpoint-terms.ts";
import type { ExcludedTx } from "../execution/process-txs.ts";
import { headerTotalMana } from "../protocol/block-header.ts";
import { toHex } from "../protocol/bytes.ts";
import { candidates, TxGoneError, waitForTxs, waitUntil } from "./pending-txs.ts";
import type { CheckpointInProgress, SequencerParts } from "./sequencer-parts.ts";
import type { SequencerSettings } from "./settings.ts";
import { SlotSkipped } from "./skip.ts";
import type { StateMachine } from "./state-machine.ts";
import { perBlockLimits } from "./timetable/block-limits.ts";
import { buildStartMs, secondsIntoSlot } from "./timetable/slot-clock.ts";
import { type BlockTime, blocksEnd, nextBlockTime, type Timetable } from "./timetable/timetable.ts";

export interface BlockBuilding {
  parts: Pick<SequencerParts, "reader" | "sync" | "pool" | "dutyTimes" | "record" | "now" | "logger">;
  settings: Readonly<SequencerSettings>;
  timetable: Timetable;
  states: StateMachine;
  slot: number;
  builder: CheckpointInProgress;
  /** Once it is aborted, no further block is begun and a wait ends. */
  signal: AbortSignal;
  /** A signal that aborts when the clock is next shifted. */
  woken(): AbortSignal;
  /** Offers a stored block to the committee; not called for the last block of the checkpoint. */
  offer(block: ProposedBlock): Promise<void>;
  /** Called when a wait within the slot begins, and with undefined when it ends. */
  onWait(wait: BuildWait | undefined): void;
}

/** A wait in a slot for which building has begun. Times are Unix milliseconds of the sequencer's clock. */
export interface BuildWait {
  /** Blocks built so far. */
  blocks: number;
  /** Whether it waits for txs; otherwise it waits for the part of the slot in which the next block may be built. */
  forTxs: boolean;
  /** When the wait ends. */
  until: number;
  /** From this time on no block is begun, and the checkpoint is completed. */
  end: number;
}

/**
 * Builds the blocks of a checkpoint (docs/protocol/08-building-and-checkpoints.md#89-building-loop). Each block is
 * stored in the node's own archiver before the next is begun, so that a restarted node does not propose for the slot
 * again, and offered to the committee. Rejects with a SlotSkipped when no block was built, the archiver refused one, or
 * one could not be offered.
 */
export async function buildBlocks(building: BlockBuilding): Promise<ProposedBlock[]> {
  const run = new BlockRun(building);
  const ended = await run.all();
  if (run.blocks.length === 0) throw ended;
  return run.blocks;
}

class BlockRun {
  readonly blocks: ProposedBlock[] = [];
  readonly #building: BlockBuilding;

  constructor(building: BlockBuilding) {
    this.#building = building;
  }

  /** Returns why no further block is built. */
  async all(): Promise<SlotSkipped> {
    const { timetable, signal, parts, slot, woken } = this.#building;
    const { constants } = parts.reader.identity;
    let ended = new SlotSkipped("deadline missed", { state: "CREATING_BLOCK" });
    while (!signal.aborted) {
      const time = nextBlockTime(timetable, secondsIntoSlot(parts.now(), slot, constants));
      if (time === undefined) return ended;
      const deadline = time.deadline === undefined ? undefined : buildStartMs(slot, constants) + time.deadline * 1000;
      try {
        const block = await this.#one(time, deadline);
        if (block instanceof SlotSkipped) ended = block;
        if (time.isLast || deadline === undefined) return ended;
        if (!(block instanceof SlotSkipped)) this.#enter("WAITING_UNTIL_NEXT_BLOCK");
      } catch (error) {
        return this.#failure(error);
      }
      await this.#wait({ forTxs: false, until: deadline }, () =>
        waitUntil(deadline, { now: parts.now, signal, woken }),
      );
    }
    return new SlotSkipped("interrupted");
  }

  async #wait<T>({ forTxs, until }: Pick<BuildWait, "forTxs" | "until">, wait: () => Promise<T>): Promise<T> {
    const { parts, slot, timetable, onWait } = this.#building;
    const begin = buildStartMs(slot, parts.reader.identity.constants);
    onWait({ blocks: this.blocks.length, forTxs, until, end: begin + blocksEnd(timetable) * 1000 });
    try {
      return await wait();
    } finally {
      onWait(undefined);
    }
  }

  #enter(state: "WAITING_FOR_TXS" | "CREATING_BLOCK" | "WAITING_UNTIL_NEXT_BLOCK"): void {
    this.#building.states.enter(state, this.#building.slot);
  }

  /** Blocks built before the failure are still proposed, unless the archiver refused one. */
  #failure(error: unknown): SlotSkipped {
    if (error instanceof SlotSkipped) {
      if (error.reason === "block refused" || error.reason === "proposal not sent") throw error;
      return error;
    }
    const { parts, slot } = this.#building;
    parts.record?.failedBlock();
    parts.logger.error({ slot, err: error, blocks: this.blocks.length }, "building a block failed");
    const message = error instanceof Error ? error.message : String(error);
    return new SlotSkipped("build failed", { error: message }, { cause: error });
  }

  /** Builds one block, or returns why it did not. */
  async #one({ isLast }: BlockTime, deadline: number | undefined): Promise<ProposedBlock | SlotSkipped> {
    const { parts, settings, timetable, slot, signal, woken } = this.#building;
    const { minTxsPerBlock, minTxPoolAgeMs, buildCheckpointIfEmpty } = settings;
    const isFirst = this.blocks.length === 0;
    const minTxs = minTxsPerBlock === 0 && !isFirst ? 1 : minTxsPerBlock;
    const forced = isLast && isFirst && buildCheckpointIfEmpty;
    if (!forced) {
      this.#enter("WAITING_FOR_TXS");
      const until = deadline === undefined ? parts.now() : deadline - timetable.minExecutionTime * 1000;
      const wait = { pool: parts.pool, minTxs, minAgeMs: minTxPoolAgeMs, until, now: parts.now, signal, woken };
      const available = await this.#wait({ forTxs: true, until }, () => waitForTxs(wait));
      if (signal.aborted) return new SlotSkipped("interrupted");
      if (available < minTxs) return new SlotSkipped("no txs", { minTxs, available });
    }
    this.#enter("CREATING_BLOCK");
    const minValidTxs = forced ? 0 : (settings.minValidTxsPerBlock ?? minTxs);
    const began = performance.now();
    const outcome = await this.#build({ deadline, minValidTxs });
    const ms = Math.round(performance.now() - began);
    this.#dropUnusable(outcome);
    const { block } = outcome;
    if (block === undefined) {
      parts.record?.failedBlock();
      parts.logger.warn({ slot, minValidTxs, valid: outcome.processed.length }, "no block is built: too few valid txs");
      return new SlotSkipped("too few valid txs", { minValidTxs, valid: outcome.processed.length });
    }
    parts.record?.block(performance.now() - began, headerTotalMana(block.record.header));
    await this.#store(block, outcome, ms);
    this.blocks.push(block);
    if (!isLast) await this.#offer(block);
    return block;
  }

  #build({ deadline, minValidTxs }: { deadline: number | undefined; minValidTxs: number }): Promise<BlockOutcome> {
    const { parts, settings, timetable, builder } = this.#building;
    const limits = perBlockLimits(settings, {
      manaLimit: parts.reader.identity.constants.rollupManaLimit,
      maxBlocks: timetable.maxBlocks,
    });
    const txs = candidates(parts.pool, settings.minTxPoolAgeMs);
    return builder.buildBlock(txs, { ...limits, minValidTxs, deadline, validate: builder.validate });
  }

  /**
   * Removes from the pool the txs that no block can include or that failed to execute; they would be retried forever.
   */
  #dropUnusable({ unprocessable, failed }: BlockOutcome): void {
    const { parts, slot } = this.#building;
    const gone = failed.filter(({ cause }) => cause instanceof TxGoneError);
    const broken = failed.filter((tx) => !gone.includes(tx));
    for (const { hash, reason } of unprocessable) {
      parts.logger.warn({ slot, tx: toHex(hash), reason }, "dropping a tx that no block can include");
    }
    for (const { hash, reason, cause } of broken) {
      parts.logger.error({ slot, tx: toHex(hash), reason, err: cause }, "dropping a tx that could not be executed");
    }
    const dropped: ExcludedTx[] = [...unprocessable, ...broken];
    if (dropped.length > 0) parts.pool.remove(dropped.map(({ hash }) => hash));
  }

  async #offer(block: ProposedBlock): Promise<void> {
    try {
      await this.#building.offer(block);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new SlotSkipped("proposal not sent", { block: block.record.number, error: message }, { cause: error });
    }
  }

  async #store(block: ProposedBlock, { processed, skipped }: BlockOutcome, ms: number): Promise<void> {
    const { parts, slot } = this.#building;
    const { number, indexWithinCheckpoint: index } = block.record;
    parts.dutyTimes.done(slot, "built", { duty: "propose block", index });
    parts.logger.info(
      { slot, block: number, txs: processed.length, ms, ...(skipped.length > 0 && { skipped: skipped.length }) },
      "built block {block} of slot {slot} with {txs:tx} in {ms} ms",
    );
    try {
      await parts.sync.addProposedBlock(block);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new SlotSkipped("block refused", { block: number, error: message }, { cause: error });
    }
    parts.logger.debug({ slot, block: number }, "stored the block as proposed");
  }
}
