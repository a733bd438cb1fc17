import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { epochOfSlot, slotAt } from "../../../src/protocol/time.ts";
import { perBlockLimits } from "../../../src/sequencer/timetable/block-limits.ts";
import { buildStartMs, secondsIntoSlot, slotOfNextL1Block } from "../../../src/sequencer/timetable/slot-clock.ts";
import type { SequencerState } from "../../../src/sequencer/timetable/states.ts";
import {
  l1PublishingTime,
  latestEntry,
  nextBlockTime,
  TimetableError,
  timetable,
} from "../../../src/sequencer/timetable/timetable.ts";
import vectors from "../../fixtures/vectors/fees.json" with { type: "json" };
import { consensusCases } from "../../world/sequencer/vectors.ts";

interface SlotConfig {
  ethereumSlotDuration: number;
  aztecSlotDuration: number;
  l1PublishingTime: number;
  p2pPropagationTime?: number;
  attestationPropagationTime?: number;
  blockDurationMs?: number;
  enforce?: boolean;
}

function tableOf(c: SlotConfig) {
  return timetable({
    slotDuration: c.aztecSlotDuration,
    ethereumSlotDuration: c.ethereumSlotDuration,
    l1PublishingTime: c.l1PublishingTime,
    propagationTime: c.p2pPropagationTime ?? c.attestationPropagationTime ?? 2,
    blockDurationMs: c.blockDurationMs,
    enforced: c.enforce ?? true,
  });
}

interface Start {
  secondsIntoSlot: number;
  canStart: boolean;
  deadline?: number | null;
  isLastBlock: boolean;
}

function expectStarts(table: ReturnType<typeof timetable>, starts: Start[]): void {
  for (const { secondsIntoSlot: at, canStart, deadline, isLastBlock } of starts) {
    const time = nextBlockTime(table, at);
    expect(time !== undefined, `at ${at} s`).toBe(canStart);
    if (canStart) expect(time).toEqual({ deadline: deadline ?? undefined, isLast: isLastBlock });
  }
}

describe("timetable", () => {
  test.each(vectors.timetable.map((vector) => ({ name: JSON.stringify(vector.config), vector })))(
    "a timetable is that of the vectors: $name",
    ({ vector }) => {
      const table = tableOf(vector.config);
      expect(table).toMatchObject({
        initializeDeadline: vector.initializeDeadline,
        initializationTime: vector.initializationOffset,
        finalizationTime: vector.checkpointFinalizationTime,
        minExecutionTime: vector.minExecutionTime,
        propagationTime: vector.p2pPropagationTime,
        maxBlocks: vector.maxNumberOfBlocks,
      });
      if (vector.config.enforce) {
        for (const [state, seconds] of Object.entries(vector.maxAllowedTime)) {
          expect(latestEntry(table, state as SequencerState), state).toBe(seconds ?? undefined);
        }
      }
      expectStarts(table, vector.canStartNextBlock);
    },
  );

  interface Expected {
    maxNumberOfBlocks: number;
    initializeDeadline: number;
    minExecutionTime: number;
    checkpointFinalizationTime: number;
    maxAllowed: Record<string, number>;
    canStartNextBlock: Start[];
  }
  test.each(consensusCases<SlotConfig, Expected>("timetable"))(
    "a timetable is that of the consensus vectors: $name",
    ({ input, expected }) => {
      const table = tableOf(input);
      expect(table).toMatchObject({
        maxBlocks: expected.maxNumberOfBlocks,
        initializeDeadline: expected.initializeDeadline,
        minExecutionTime: expected.minExecutionTime,
        finalizationTime: expected.checkpointFinalizationTime,
      });
      for (const [state, seconds] of Object.entries(expected.maxAllowed)) {
        expect(latestEntry(table, state as SequencerState), state).toBe(seconds);
      }
      expectStarts(table, expected.canStartNextBlock);
    },
  );

  test("a timetable that is not enforced has no deadlines", () => {
    const table = tableOf({ ethereumSlotDuration: 12, aztecSlotDuration: 72, l1PublishingTime: 1, enforce: false });
    expect(latestEntry(table, "PUBLISHING_CHECKPOINT")).toBeUndefined();
    expect(nextBlockTime(table, 1e6)).toEqual({ deadline: undefined, isLast: true });
  });

  test("a timetable refuses slots without time for a block", () => {
    const short = { ethereumSlotDuration: 12, l1PublishingTime: 12, blockDurationMs: 6000 };
    expect(() => tableOf({ ...short, aztecSlotDuration: 22 })).toThrow(/deadline cannot be negative \(0 s\)/);
    expect(() => tableOf({ ...short, aztecSlotDuration: 24 })).toThrow(TimetableError);
    expect(() => tableOf({ ...short, aztecSlotDuration: 30 })).not.toThrow();
  });

  test("a timetable gives a block at least the minimum execution time, and later blocks later deadlines", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60, max: 200 }),
        fc.option(fc.integer({ min: 500, max: 10_000 }), { nil: undefined }),
        fc.double({ min: 0, max: 200, noNaN: true }),
        fc.double({ min: 0, max: 200, noNaN: true }),
        (slot, blockDurationMs, a, b) => {
          const table = tableOf({
            ethereumSlotDuration: 12,
            aztecSlotDuration: slot,
            l1PublishingTime: 12,
            blockDurationMs,
          });
          const [early, late] = [Math.min(a, b), Math.max(a, b)].map((at) => ({ at, time: nextBlockTime(table, at) }));
          if (late.time === undefined) return;
          expect(late.time.deadline! - late.at).toBeGreaterThanOrEqual(table.minExecutionTime - 1e-9);
          expect(late.time.deadline!).toBeLessThanOrEqual(slot - table.finalizationTime);
          expect(early.time!.deadline!).toBeLessThanOrEqual(late.time.deadline!);
        },
      ),
    );
  });

  interface Gossip {
    slotDuration: number;
    blockDuration: number | null;
    l1PublishingTime?: number;
    p2pPropagationTime?: number;
  }
  test.each(consensusCases<Gossip, { maxBlocks: number }>("max-blocks-gossip").filter((c) => c.expected.maxBlocks > 1))(
    "a slot has room for the blocks of the vectors: $name",
    ({ input, expected }) => {
      const table = tableOf({
        aztecSlotDuration: input.slotDuration,
        ethereumSlotDuration: 12,
        l1PublishingTime: input.l1PublishingTime ?? 12,
        p2pPropagationTime: input.p2pPropagationTime,
        blockDurationMs: input.blockDuration === null ? undefined : input.blockDuration * 1000,
      });
      expect(table.maxBlocks).toBe(expected.maxBlocks);
    },
  );

  test("one L1 slot is reserved to publish a checkpoint, or one second on development chains", () => {
    expect(l1PublishingTime(undefined, { chainId: 1, ethereumSlotDuration: 12 })).toBe(12);
    expect(l1PublishingTime(undefined, { chainId: 31337, ethereumSlotDuration: 12 })).toBe(1);
    expect(l1PublishingTime(undefined, { chainId: 677692, ethereumSlotDuration: 12 })).toBe(1);
    expect(l1PublishingTime(36, { chainId: 31337, ethereumSlotDuration: 12 })).toBe(36);
  });
});

describe("limits of a block", () => {
  interface LimitInput extends Partial<SlotConfig> {
    maxL2BlockGas?: number;
    maxDABlockGas?: number;
    maxTxsPerBlock?: number;
    maxTxsPerCheckpoint?: number;
    perBlockAllocationMultiplier?: number;
  }
  interface LimitCase {
    name: string;
    config: LimitInput;
    l1PublishingTime: number;
    rollupManaLimit: number;
    expected: { maxL2BlockGas: number; maxDABlockGas: number; maxTxsPerBlock: number };
  }
  const fromFees = vectors.blockLimits.map(
    ({ config, l1PublishingTime: publishing, rollupManaLimit, ...expected }): LimitCase => ({
      name: JSON.stringify(config),
      config,
      l1PublishingTime: publishing,
      rollupManaLimit,
      expected,
    }),
  );
  const fromConsensus = consensusCases<
    LimitInput & { l1PublishingTime: number; rollupManaLimit: number },
    LimitCase["expected"]
  >("block-limits").map(
    ({ name, input, expected }): LimitCase => ({
      name,
      config: input,
      l1PublishingTime: input.l1PublishingTime,
      rollupManaLimit: input.rollupManaLimit,
      expected,
    }),
  );
  test.each([...fromFees, ...fromConsensus])(
    "the limits of a block are those of the vectors: $name",
    ({ config, l1PublishingTime: publishing, rollupManaLimit, expected }) => {
      const { maxBlocks } = tableOf({
        ethereumSlotDuration: 12,
        aztecSlotDuration: 72,
        ...config,
        l1PublishingTime: publishing,
      });
      const { maxGas, maxTxs } = perBlockLimits(
        {
          maxL2BlockGas: config.maxL2BlockGas,
          maxDABlockGas: config.maxDABlockGas,
          maxTxsPerBlock: config.maxTxsPerBlock,
          maxTxsPerCheckpoint: config.maxTxsPerCheckpoint,
          // The vectors were generated with a default of 1.2.
          perBlockAllocationMultiplier: config.perBlockAllocationMultiplier ?? 1.2,
        },
        { manaLimit: rollupManaLimit, maxBlocks },
      );
      expect({ maxL2BlockGas: maxGas.l2Gas, maxDABlockGas: maxGas.daGas, maxTxsPerBlock: maxTxs }).toEqual(expected);
    },
  );
});

interface TimeInput {
  l1GenesisTime: string;
  slotDuration: number;
  epochDuration: number;
  ethereumSlotDuration: number;
  timestamp: string;
}
interface TimeExpected {
  slot: number;
  slotAtNextL1Block: number;
  epoch: number;
  slotStartBuildTimestamp: number;
}
test.each(consensusCases<TimeInput, TimeExpected>("time"))(
  "slots and epochs of a time are those of the vectors: $name",
  ({ input, expected }) => {
    const constants = { ...input, l1GenesisTime: Number(input.l1GenesisTime) };
    const now = Number(input.timestamp);
    expect(slotAt(now, constants)).toBe(expected.slot);
    expect(epochOfSlot(expected.slot, constants)).toBe(expected.epoch);
    for (const ms of [0, 999]) expect(slotOfNextL1Block(now * 1000 + ms, constants)).toBe(expected.slotAtNextL1Block);
    expect(buildStartMs(expected.slot, constants)).toBe(expected.slotStartBuildTimestamp * 1000);
    expect(secondsIntoSlot(expected.slotStartBuildTimestamp * 1000 + 1250, expected.slot, constants)).toBe(1.25);
  },
);
