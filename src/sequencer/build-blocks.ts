import type { BlockOutcome, ProposedBlock } from "../checkpoints/checkpoint-terms.ts";
import type { LeftTx } from "../execution/process-txs.ts";
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
  parts: Pick<SequencerParts, "reader" | "sync" | "pool" | "now" | "logger">;
  settings: Readonly<SequencerSettings>;
  timetable: Timetable;
  states: StateMachine;
  slot: number;
  builder: CheckpointInProgress;
  /** No further block is begun once it is aborted; a wait ends. */
  signal: AbortSignal;
  /** The signal that is aborted when the clock was shifted the next time. */
  woken(): AbortSignal;
  /** Told when a wait between blocks begins, and with undefined when it is over. */
  onBreak(pause: BlockBreak | undefined): void;
}

/** A wait in a slot for which building has begun. Times are Unix milliseconds of the sequencer's clock. */
export interface BlockBreak {
  /** Blocks built so far. */
  blocks: number;
  /** It waits for txs; otherwise for the part of the slot in which the next block may be built. */
  forTxs: boolean;
  /** When the wait ends. */
  until: number;
  /** From then on no block is begun, and the checkpoint is completed. */
  end: number;
}

/**
 * Builds the blocks of a checkpoint (sheet 06 section 4.5) and stores each in the own archiver before the next is begun: what a restart
 * finds there keeps it from proposing for the slot again. Rejects with a SlotSkipped when there is none in the end, or one was refused.
 */
export async function buildBlocks(building: BlockBuilding): Promise<ProposedBlock[]> {
  const run = new BlockRun(building);
  const why = await run.all();
  if (run.blocks.length === 0) throw why;
  return run.blocks;
}

class BlockRun {
  readonly blocks: ProposedBlock[] = [];
  readonly #building: BlockBuilding;

  constructor(building: BlockBuilding) {
    this.#building = building;
  }

  /** Gives why no further block comes. */
  async all(): Promise<SlotSkipped> {
    const { timetable, signal, parts, slot, woken } = this.#building;
    const { constants } = parts.reader.identity;
    let why = new SlotSkipped("too late", { state: "CREATING_BLOCK" });
    while (!signal.aborted) {
      const time = nextBlockTime(timetable, secondsIntoSlot(parts.now(), slot, constants));
      if (time === undefined) return why;
      const deadline = time.deadline === undefined ? undefined : buildStartMs(slot, constants) + time.deadline * 1000;
      try {
        const block = await this.#one(time, deadline);
        if (block instanceof SlotSkipped) why = block;
        if (time.isLast || deadline === undefined) return why;
        if (!(block instanceof SlotSkipped)) this.#enter("WAITING_UNTIL_NEXT_BLOCK");
      } catch (error) {
        return this.#failure(error);
      }
      await this.#pause({ forTxs: false, until: deadline }, () =>
        waitUntil(deadline, { now: parts.now, signal, woken }),
      );
    }
    return new SlotSkipped("interrupted");
  }

  async #pause<T>({ forTxs, until }: Pick<BlockBreak, "forTxs" | "until">, wait: () => Promise<T>): Promise<T> {
    const { parts, slot, timetable, onBreak } = this.#building;
    const begin = buildStartMs(slot, parts.reader.identity.constants);
    onBreak({ blocks: this.blocks.length, forTxs, until, end: begin + blocksEnd(timetable) * 1000 });
    try {
      return await wait();
    } finally {
      onBreak(undefined);
    }
  }

  #enter(state: "WAITING_FOR_TXS" | "CREATING_BLOCK" | "WAITING_UNTIL_NEXT_BLOCK"): void {
    this.#building.states.enter(state, this.#building.slot);
  }

  /** What was built before the failure is proposed all the same, unless the chain does not take it. */
  #failure(error: unknown): SlotSkipped {
    if (error instanceof SlotSkipped) {
      if (error.reason === "block refused") throw error;
      return error;
    }
    const { parts, slot } = this.#building;
    parts.logger.error({ slot, err: error, blocks: this.blocks.length }, "building a block failed");
    const message = error instanceof Error ? error.message : String(error);
    return new SlotSkipped("build failed", { error: message }, { cause: error });
  }

  /** One block, or why there is none. */
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
      const available = await this.#pause({ forTxs: true, until }, () => waitForTxs(wait));
      if (signal.aborted) return new SlotSkipped("interrupted");
      if (available < minTxs) return new SlotSkipped("no txs", { minTxs, available });
    }
    this.#enter("CREATING_BLOCK");
    const minValidTxs = forced ? 0 : (settings.minValidTxsPerBlock ?? minTxs);
    const began = performance.now();
    const outcome = await this.#build({ deadline, minValidTxs });
    const ms = Math.round(performance.now() - began);
    this.#dropUnfit(outcome);
    const { block } = outcome;
    if (block === undefined) {
      parts.logger.warn({ slot, minValidTxs, valid: outcome.processed.length }, "Insufficient valid txs");
      return new SlotSkipped("too few valid txs", { minValidTxs, valid: outcome.processed.length });
    }
    await this.#store(block, outcome, ms);
    this.blocks.push(block);
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

  /** Txs that no block can have, and those that could not be executed, would be tried again for ever. */
  #dropUnfit({ unprocessable, failed }: BlockOutcome): void {
    const { parts, slot } = this.#building;
    const gone = failed.filter(({ cause }) => cause instanceof TxGoneError);
    const broken = failed.filter((tx) => !gone.includes(tx));
    for (const { hash, reason } of unprocessable) {
      parts.logger.warn({ slot, tx: toHex(hash), reason }, "dropping a tx that no block can include");
    }
    for (const { hash, reason, cause } of broken) {
      parts.logger.error({ slot, tx: toHex(hash), reason, err: cause }, "dropping a tx that could not be executed");
    }
    const dropped: LeftTx[] = [...unprocessable, ...broken];
    if (dropped.length > 0) parts.pool.remove(dropped.map(({ hash }) => hash));
  }

  async #store(block: ProposedBlock, { processed, skipped }: BlockOutcome, ms: number): Promise<void> {
    const { parts, slot } = this.#building;
    const { number } = block.record;
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
