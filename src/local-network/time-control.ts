import { setTimeout as sleep } from "node:timers/promises";
import type { ChainStore } from "../archiver/chain-store.ts";
import type { ShiftableClock } from "../node/context/clock.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { type L1Constants, slotAt, slotTimestamp } from "../protocol/time.ts";
import type { BuildWait } from "../sequencer/build-blocks.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import type { EpochSettler } from "./epoch-settler.ts";
import { LocalNetworkError } from "./local-network-error.ts";

export interface TimeControlParts {
  l1: Pick<DevelopmentL1, "latest" | "mineAt" | "mining">;
  clock: ShiftableClock;
  constants: Pick<L1Constants, "slotDuration" | "l1GenesisTime">;
  chain: Pick<
    ChainStore,
    "checkpoint" | "latestCheckpointNumber" | "latestBlockNumber" | "checkpointedBlockNumber" | "state"
  >;
  settler: Pick<EpochSettler, "settle" | "complete" | "overAt">;
  /** Number of pending txs. */
  pendingTxs(): number;
  /** Whether a block is being built or published: the slot must not end meanwhile. */
  building(): boolean;
  /** Whether a transaction that may publish the last blocks is in flight although nothing is built. */
  publishing(): boolean;
  /** The wait in progress while building for a slot, if any. */
  buildWait(): BuildWait | undefined;
  /** Called after the clock was moved within a slot. */
  clockMoved(): void;
  /** Prevents new blocks from being started until the returned function is called. */
  hold(): () => void;
  /** Has blocks built without txs until the returned function is called. */
  allowEmptyBlocks(): () => void;
  /** Called after a new slot has begun on L1. */
  slotBegan(): void;
  /**
   * Least time that pending txs, or a block that could not be published, are left in an open slot before the slot is
   * skipped, in milliseconds of real time.
   */
  patienceMs: number;
  logger: Logger;
}

/** Slots by which L1 may be ahead of the last block: an epoch, which ends by itself. */
const MAX_SLOTS_AHEAD = 2;
/** Longest interval between checks; events shorten it. Milliseconds. */
const LOOK_MS = 100;
/** After this much real time without a tx, an epoch with checkpoints is ended. Milliseconds. */
const QUIET_MS = 1_000;
/** Patience grows to this while slots stay empty: no checkpoint can be built or published. Milliseconds. */
const MAX_PATIENCE_MS = 4_000;

/**
 * Moves the time of a development L1 and the node's clock forward, so that nothing waits for a slot. When the current
 * slot has its checkpoint, or will not get one, the next slot begins
 * (docs/protocol/08-building-and-checkpoints.md#829-time-of-a-local-network). In a slot of several blocks, the time of
 * the next block begins when txs wait for it; after a while without txs, building ends and the checkpoint is published.
 * Does nothing while another program has switched off L1's mining. Complete epochs are settled before the block that
 * begins a slot, so that this block includes the writes. An idle epoch is ended, so that its L2-to-L1 messages can be
 * consumed. Where others move L1 far ahead of the last block, an empty one follows.
 */
export class TimeControl {
  readonly #parts: TimeControlParts;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** Ends that blocks are built without txs, while they are. */
  #forbidEmpty: (() => void) | undefined;
  /** Number of callers that have stopped the checks. */
  #pauses = 0;
  /** Slot that a user moved time to: time stays in it until it has a checkpoint or is given up. */
  #chosen: number | undefined;
  /** Real time since which txs, or a block that could not be published, wait in a slot without a builder. */
  #waiting: { slot: number; since: number } | undefined;
  /** Real time since which no tx has come after the given number of blocks of a slot. */
  #quiet: { blocks: number; since: number } | undefined;
  #patienceMs: number;
  /** Real time at which there was last something to do. */
  #busyAt = performance.now();
  #failures = 0;

  constructor(parts: TimeControlParts) {
    this.#parts = parts;
    this.#patienceMs = parts.patienceMs;
  }

  start(): void {
    this.nudge();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#look;
    this.#forbidEmpty?.();
  }

  /** Stops moving time; resolves once no move is under way. The returned function ends that. */
  async pause(): Promise<() => void> {
    this.#pauses++;
    clearTimeout(this.#timer);
    await this.#look;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#pauses--;
      this.nudge();
    };
  }

  /**
   * Moves time to a slot that nextSlot() allows, once no block is being built. It stays there until the slot has a
   * checkpoint, or pending txs get into none. Throws LocalNetworkError while another program controls L1's time.
   */
  async moveToSlot(slot: number): Promise<void> {
    const { l1, constants, building, hold } = this.#parts;
    const resume = await this.pause();
    try {
      if (!(await l1.mining())) throw new LocalNetworkError("L1's time is controlled by hand: automine is off");
      for (;;) {
        const release = hold();
        try {
          if (!building()) {
            const { timestamp } = await l1.latest();
            if (slotAt(timestamp, constants) < slot) await this.#moveTo(slotTimestamp(slot, constants));
            this.#chosen = slot;
            return;
          }
        } finally {
          release();
        }
        await sleep(LOOK_MS);
      }
    } finally {
      resume();
    }
  }

  /** The earliest slot that the next block can have. */
  async nextSlot(): Promise<number> {
    const { l1, constants } = this.#parts;
    return Math.max(this.#latestSlot() + 1, slotAt((await l1.latest()).timestamp, constants));
  }

  /** Triggers a check: a checkpoint, a tx or an L1 block has arrived. */
  nudge(): void {
    if (this.#stopped || this.#pauses > 0) return;
    if (this.#look !== undefined) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#look = this.#lookAround().finally(() => {
      this.#look = undefined;
      if (this.#stopped || this.#pauses > 0) return;
      if (this.#again) {
        this.#again = false;
        this.nudge();
      } else this.#timer = setTimeout(() => this.nudge(), LOOK_MS);
    });
  }

  async #lookAround(): Promise<void> {
    try {
      await this.#step();
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      if (this.#failures === 1 && !this.#stopped) {
        this.#parts.logger.warn({ err: error }, "moving L1's time failed: trying again");
      }
    }
  }

  async #step(): Promise<void> {
    const { l1, clock, constants } = this.#parts;
    const { timestamp } = await l1.latest();
    if (timestamp > Math.floor(clock.now() / 1000)) clock.set(timestamp * 1000);
    if (await this.#shortenWait()) {
      this.#waiting = undefined;
      return;
    }
    this.#stayInChosen(timestamp);
    this.#followL1(timestamp);
    const now = Math.floor(clock.now() / 1000);
    const slot = slotAt(now, constants);
    const next = this.#nextTime(slot, timestamp, now);
    if (next === undefined || !(await l1.mining())) return;
    // Building may have begun during the await. From here on no block begins, so its slot cannot end meanwhile.
    if (this.#parts.building()) return;
    const release = this.#parts.hold();
    try {
      if (await this.#mayFindCheckpoint()) return;
      await this.#moveTo(Math.max(next, timestamp + 1));
    } finally {
      release();
    }
  }

  /** Shortens a wait between blocks. Returns whether this slot may get more blocks, so that it must not end. */
  async #shortenWait(): Promise<boolean> {
    const { l1, clock, buildWait, pendingTxs, patienceMs, clockMoved } = this.#parts;
    const mining = buildWait() !== undefined && (await l1.mining());
    // The wait may have ended during the await.
    const wait = buildWait();
    if (wait === undefined || (wait.forTxs && wait.blocks === 0)) {
      this.#quiet = undefined;
      return false;
    }
    if (!mining) return true;
    this.#busyAt = performance.now();
    if (this.#quiet?.blocks !== wait.blocks) this.#quiet = { blocks: wait.blocks, since: performance.now() };
    const quiet = performance.now() - this.#quiet.since >= patienceMs;
    const until = pendingTxs() > 0 && !wait.forTxs ? wait.until : quiet ? wait.end : 0;
    if (until > clock.now()) {
      clock.set(until);
      clockMoved();
    }
    return true;
  }

  /** Sets the clock back to L1's time when half of a chosen slot has passed without a block. */
  #stayInChosen(l1Time: number): void {
    const { clock, constants, building, clockMoved } = this.#parts;
    if (this.#chosen === undefined || building()) return;
    if (slotAt(l1Time, constants) !== this.#chosen || this.#latestSlot() >= this.#chosen) {
      this.#chosen = undefined;
    } else if (clock.now() / 1000 - l1Time > constants.slotDuration / 2) {
      clock.set(l1Time * 1000);
      clockMoved();
    }
  }

  /**
   * Has an empty block built when L1 is far ahead of the last block, as after evm_increaseTime: txs that are anchored
   * to that block would have expired.
   */
  #followL1(l1Time: number): void {
    const { constants, allowEmptyBlocks } = this.#parts;
    const latest = this.#latestSlot();
    const behind = latest >= 0 && slotAt(l1Time, constants) - latest > MAX_SLOTS_AHEAD;
    if (behind && this.#chosen === undefined) this.#forbidEmpty ??= allowEmptyBlocks();
    else {
      this.#forbidEmpty?.();
      this.#forbidEmpty = undefined;
    }
  }

  /** Timestamp to move L1 to; undefined while the slot may still be used. Seconds. */
  #nextTime(slot: number, l1Time: number, now: number): number | undefined {
    const { constants, settler } = this.#parts;
    const filled = this.#latestSlot();
    if (filled >= slot || this.#parts.pendingTxs() > 0) this.#busyAt = performance.now();
    if (filled >= slot) {
      this.#waiting = undefined;
      this.#patienceMs = this.#parts.patienceMs;
      return slotTimestamp(filled + 1, constants);
    }
    if (this.#parts.building()) {
      this.#waiting = undefined;
      return undefined;
    }
    if (this.#givesUp(slot, now)) return slotTimestamp(slot + 1, constants);
    if (slot === this.#chosen) return undefined;
    // The clock ran into another slot, or to the end of an epoch.
    if (slotAt(l1Time, constants) < slot) return Math.max(slotTimestamp(slot, constants), now);
    if (settler.complete(now) !== undefined) return now;
    const over = settler.overAt() ?? 0;
    return over > now && performance.now() - this.#busyAt >= QUIET_MS ? over : undefined;
  }

  #latestSlot(): number {
    const { chain } = this.#parts;
    const latest = chain.checkpoint(chain.latestCheckpointNumber());
    return latest === undefined ? -1 : checkpointSlot(latest.header);
  }

  get #isUnpublished(): boolean {
    const { chain } = this.#parts;
    return chain.latestBlockNumber() > chain.checkpointedBlockNumber();
  }

  /** Whether L1 has blocks that the node has not read, in which the checkpoint of its last blocks may be. */
  async #mayFindCheckpoint(): Promise<boolean> {
    const { l1, chain } = this.#parts;
    return this.#isUnpublished && (await l1.latest()).number !== chain.state.processed()?.number;
  }

  #givesUp(slot: number, now: number): boolean {
    const { constants, pendingTxs, publishing } = this.#parts;
    // A block that could not be published, as when L1 was down, is built again in another slot.
    if (this.#isUnpublished ? publishing() : pendingTxs() === 0 && this.#forbidEmpty === undefined) {
      this.#waiting = undefined;
      return false;
    }
    if (this.#waiting?.slot !== slot) this.#waiting = { slot, since: performance.now() };
    // Late in a slot no block is started any more.
    const late = now - slotTimestamp(slot, constants) > constants.slotDuration / 2;
    const patience = late ? this.#parts.patienceMs / 2 : this.#patienceMs;
    if (performance.now() - this.#waiting.since < patience) return false;
    this.#patienceMs = Math.min(2 * this.#patienceMs, MAX_PATIENCE_MS);
    return true;
  }

  async #moveTo(timestamp: number): Promise<void> {
    const { l1, clock, settler, constants, logger, slotBegan } = this.#parts;
    for (const epoch of await settler.settle(timestamp)) logger.debug({ epoch }, "settled an epoch");
    await l1.mineAt(timestamp);
    clock.set(timestamp * 1000);
    this.#waiting = undefined;
    logger.debug({ slot: slotAt(timestamp, constants), timestamp }, "moved L1's time");
    slotBegan();
  }
}
