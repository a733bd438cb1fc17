import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TimeControl, type TimeControlParts } from "../../src/local-network/time-control.ts";
import { ShiftableClock } from "../../src/node/context/clock.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import type { BuildWait } from "../../src/sequencer/build-blocks.ts";

const CONSTANTS = { slotDuration: 72, l1GenesisTime: 1_000_000 };
const start = (slot: number): number => CONSTANTS.l1GenesisTime + slot * CONSTANTS.slotDuration;

/** Fakes of L1, chain and clock with a settable state, and records of how time was moved. */
function world(slot: number) {
  const state = {
    time: start(slot),
    filled: -1,
    pending: 0,
    unpublished: 0,
    l1Block: 1,
    readTo: 1,
    building: false,
    publishing: false,
    mining: true,
    allowsEmpty: false,
    held: false,
    overAt: undefined as number | undefined,
    buildWait: undefined as BuildWait | undefined,
  };
  const moved: number[] = [];
  const settled: number[] = [];
  /** Moves of the clock alone, as new Unix milliseconds. */
  const shifts: number[] = [];
  const clock = new ShiftableClock();
  clock.set(state.time * 1000);
  const parts = {
    l1: {
      latest: async () => ({ number: state.l1Block, timestamp: state.time }),
      mining: async () => state.mining,
      mineAt: async (timestamp: number) => {
        if (!state.held) throw new Error("time moves while a block may begin");
        moved.push(timestamp);
        state.time = timestamp;
      },
    },
    clock,
    constants: CONSTANTS,
    chain: {
      latestCheckpointNumber: () => (state.filled < 0 ? 0 : 1),
      latestBlockNumber: () => 7 + state.unpublished,
      checkpointedBlockNumber: () => 7,
      state: { processed: () => ({ number: state.readTo }) },
      checkpoint: (number: number) => {
        if (number === 0) return undefined;
        const header = new Uint8Array(V4.headers.checkpointBytes);
        header[CHECKPOINT_AT.slotNumber + 31] = state.filled;
        return { header };
      },
    },
    settler: {
      overAt: () => state.overAt,
      complete: () => undefined,
      settle: async (timestamp: number) => {
        if (!state.held) throw new Error("an epoch is settled while a block may begin");
        state.overAt = undefined;
        settled.push(timestamp);
        return [];
      },
    },
    pendingTxs: () => state.pending,
    building: () => state.building,
    publishing: () => state.publishing,
    buildWait: () => state.buildWait,
    clockMoved: () => shifts.push(Math.round(clock.now())),
    hold: () => {
      state.held = true;
      return () => {
        state.held = false;
      };
    },
    allowEmptyBlocks: () => {
      state.allowsEmpty = true;
      return () => {
        state.allowsEmpty = false;
      };
    },
    slotBegan: () => {},
    patienceMs: 300,
    logger: { debug: () => {}, info: () => {}, warn: () => {} },
  } as unknown as TimeControlParts;
  return { state, moved, settled, shifts, clock, control: new TimeControl(parts) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("once a slot has its checkpoint, L1 and the clock move to the next slot at once", async () => {
  const { state, moved, settled, clock, control } = world(4);
  state.filled = 4;
  control.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(moved).toEqual([start(5)]);
  expect(settled).toEqual([start(5)]);
  expect(Math.floor(clock.now() / 1000)).toBe(start(5));
  await vi.advanceTimersByTimeAsync(500);
  expect(moved).toHaveLength(1);
  await control.stop();
});

test("pending txs that no block includes move time to the next slot after growing waits, never during a build", async () => {
  const { state, moved, control } = world(4);
  state.pending = 1;
  state.building = true;
  control.start();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(moved).toEqual([]);
  state.building = false;
  await vi.advanceTimersByTimeAsync(500);
  expect(moved).toEqual([start(5)]);
  await vi.advanceTimersByTimeAsync(500);
  expect(moved).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(400);
  expect(moved).toEqual([start(5), start(6)]);
  await control.stop();
});

test("a block that could not be published moves time to the next slot, where it is built again", async () => {
  const { state, moved, control } = world(4);
  state.unpublished = 1;
  control.start();
  await vi.advanceTimersByTimeAsync(250);
  expect(moved).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(moved).toEqual([start(5)]);
  state.unpublished = 0;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(moved).toHaveLength(1);
  await control.stop();
});

test("time stays in the slot of a block while it may still be published, even if txs wait", async () => {
  const { state, moved, control } = world(4);
  state.unpublished = 1;
  state.pending = 1;
  state.building = true;
  control.start();
  await vi.advanceTimersByTimeAsync(5_000);
  state.building = false;
  state.publishing = true;
  await vi.advanceTimersByTimeAsync(5_000);
  state.publishing = false;
  state.l1Block = 2;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(moved).toEqual([]);
  state.readTo = 2;
  await vi.advanceTimersByTimeAsync(200);
  expect(moved).toEqual([start(5)]);
  await control.stop();
});

test("the clock follows an L1 that is ahead, and L1 follows the clock into the next slot", async () => {
  const { state, moved, clock, control } = world(4);
  state.time = start(9) + 5;
  control.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(Math.floor(clock.now() / 1000)).toBe(start(9) + 5);
  await vi.advanceTimersByTimeAsync(72_000);
  expect(moved).toHaveLength(1);
  expect(moved[0]).toBeGreaterThanOrEqual(start(10));
  expect(moved[0]).toBeLessThan(start(10) + 5);
  await control.stop();
});

test("an idle epoch with checkpoints is moved to its end and settled", async () => {
  const { state, moved, control } = world(4);
  state.overAt = start(6);
  state.pending = 1;
  state.building = true;
  control.start();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(moved).toEqual([]);
  Object.assign(state, { pending: 0, building: false });
  await vi.advanceTimersByTimeAsync(800);
  expect(moved).toEqual([]);
  await vi.advanceTimersByTimeAsync(400);
  expect(moved).toEqual([start(6)]);
  await control.stop();
});

test("in a slot of several blocks time moves to the next block for a tx, and to the slot's end without one", async () => {
  const { state, moved, shifts, clock, control } = world(4);
  const [next, end] = [(start(4) + 7) * 1000, (start(4) + 55) * 1000];
  state.building = true;
  state.buildWait = { blocks: 1, forTxs: false, until: next, end };
  control.start();
  await vi.advanceTimersByTimeAsync(200);
  expect(shifts).toEqual([]);
  state.pending = 1;
  await vi.advanceTimersByTimeAsync(150);
  expect(shifts).toEqual([next]);

  state.pending = 0;
  state.buildWait = { blocks: 2, forTxs: true, until: next + 5000, end };
  await vi.advanceTimersByTimeAsync(250);
  expect(shifts).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(shifts).toEqual([next, end]);
  expect(clock.now()).toBeGreaterThanOrEqual(end);
  expect(moved).toEqual([]);
  await control.stop();
});

test("waits for a slot's first tx, and waits while L1 does not mine, are not shortened", async () => {
  const { state, shifts, control } = world(4);
  const end = (start(4) + 55) * 1000;
  state.building = true;
  state.buildWait = { blocks: 0, forTxs: true, until: end, end };
  control.start();
  await vi.advanceTimersByTimeAsync(1_000);
  Object.assign(state, { mining: false, pending: 1 });
  state.buildWait = { blocks: 1, forTxs: false, until: end, end };
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shifts).toEqual([]);
  await control.stop();
});

test("while L1's mining is off, its time is not moved", async () => {
  const { state, moved, control } = world(4);
  Object.assign(state, { filled: 4, mining: false });
  control.start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(moved).toEqual([]);
  state.mining = true;
  await vi.advanceTimersByTimeAsync(200);
  expect(moved).toEqual([start(5)]);
  await control.stop();
});

test("block building resumes after time was moved, and after L1 refused to move", async () => {
  const { state, moved, control } = world(4);
  const l1 = { fails: true };
  Object.defineProperty(state, "time", {
    get: () => start(4),
    set: () => {
      if (l1.fails) throw new Error("L1 does not answer");
    },
  });
  state.filled = 4;
  control.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(state.held).toBe(false);
  l1.fails = false;
  await vi.advanceTimersByTimeAsync(150);
  expect(moved.length).toBeGreaterThan(1);
  expect(state.held).toBe(false);
  await control.stop();
});

test("an empty block follows when L1 is more than two slots ahead of the last block, and no other", async () => {
  const { state, moved, control } = world(6);
  state.filled = 4;
  control.start();
  await vi.advanceTimersByTimeAsync(500);
  expect(state.allowsEmpty).toBe(false);
  // As after evm_increaseTime at L1's own port.
  state.time = start(9) + 5;
  await vi.advanceTimersByTimeAsync(200);
  expect(state.allowsEmpty).toBe(true);
  state.filled = 9;
  await vi.advanceTimersByTimeAsync(200);
  expect(state.allowsEmpty).toBe(false);
  expect(moved).toEqual([start(10)]);
  await control.stop();
});
