import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { Offense } from "../../../src/protocol/slashing/offense.ts";
import type { InactivitySettings } from "../../../src/slasher/sentinel/inactivity.ts";
import { type MinedCheckpoint, Sentinel, type SentinelParts } from "../../../src/slasher/sentinel/sentinel.ts";
import { SentinelStore } from "../../../src/slasher/sentinel/sentinel-store.ts";
import { SlotRangeError } from "../../../src/slasher/sentinel/slot-range-error.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";

const address = (byte: number) => new Uint8Array(20).fill(byte);
const members = [1, 2, 3, 4].map(address);
const ALL = { from: undefined, to: undefined };
const EPOCH = 4;

/** A network whose slots last 12 s from time 0, with the committee 1, 2, 3, 4 and proposer slot % 4 + 1. */
class Network {
  slot = 10;
  synced: number | undefined = 1000;
  proven: number | undefined;
  hatchOpen = false;
  committee: readonly Uint8Array[] = members;
  /** The committee cannot be read. */
  l1Down = false;
  readonly checkpoints = new Map<number, MinedCheckpoint>();
  readonly attestations = new Map<number, Uint8Array[]>();
  readonly proposals = new Set<number>();
  readonly archives: (Uint8Array | undefined)[] = [];
  readonly offenses: Offense[] = [];
  readonly lines: string[] = [];
  readonly memory = new MemoryStore();

  sentinel(inactivity: Partial<InactivitySettings> = {}): Sentinel {
    const line = (_: object, message: string) => void this.lines.push(message);
    const parts: SentinelParts = {
      store: this.store(),
      chain: {
        syncedSlot: () => this.synced,
        checkpointAt: (slot) => this.checkpoints.get(slot),
        provenSlot: () => this.proven,
      },
      gossip: {
        attesters: (slot, archive) => {
          this.archives.push(archive);
          return this.attestations.get(slot) ?? [];
        },
        hasBlockProposals: (slot) => this.proposals.has(slot),
      },
      committeeAt: async (slot) => {
        if (this.l1Down) throw new Error("L1 is down");
        const { committee } = this;
        return { members: committee, proposer: committee[slot % committee.length], escapeHatchOpen: this.hatchOpen };
      },
      constants: { l1GenesisTime: 0, slotDuration: 12, epochDuration: EPOCH, ethereumSlotDuration: 4 },
      historyLength: 3 * EPOCH,
      inactivity: { targetPercentage: 0.9, consecutiveEpochs: 1, penalty: 5n, ...inactivity },
      report: (offenses) => void this.offenses.push(...offenses),
      now: () => this.slot * 12_000,
      logger: { debug() {}, info: line, warn: line, error: line },
    };
    return new Sentinel(parts);
  }

  store(): SentinelStore {
    return new SentinelStore(this.memory, { slots: 3 * EPOCH, epochs: 10 });
  }

  /** Slots and statuses of a validator. */
  history(byte: number): string[] {
    return this.store()
      .history(address(byte), ALL)
      .map(({ slot, status }) => `${slot} ${status}`);
  }

  mine(slot: number, signers: readonly number[]): void {
    this.checkpoints.set(slot, { archive: new Uint8Array(32).fill(slot), signers });
  }

  async process(sentinel: Sentinel, slots: readonly number[]): Promise<void> {
    for (const slot of slots) {
      this.slot = slot + 2;
      await sentinel.tick();
    }
  }
}

let network: Network;
let running: Sentinel[];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  network = new Network();
  running = [];
});
afterEach(async () => {
  for (const sentinel of running) await sentinel.stop();
  vi.useRealTimers();
});

function started(inactivity: Partial<InactivitySettings> = {}): Sentinel {
  const sentinel = network.sentinel(inactivity);
  sentinel.start();
  running.push(sentinel);
  return sentinel;
}

describe("the sentinel's loop", () => {
  test("slots are processed two slots late, from the one after the start on, each once", async () => {
    const sentinel = started();
    await network.process(sentinel, [9, 10, 11, 11, 12]);
    expect(network.history(1)).toEqual(["12 blocks-missed"]);
    expect(network.history(4)).toEqual(["11 blocks-missed"]);
    expect(sentinel.of(address(1), undefined, undefined)).toMatchObject({
      initialSlot: 10,
      lastProcessedSlot: 12,
      slotWindow: 12,
    });
  });

  test("a tick happens four times in each L1 slot until the sentinel is stopped", async () => {
    const sentinel = started();
    const ticks = vi.spyOn(sentinel, "tick");
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ticks).toHaveBeenCalledTimes(4);
    await sentinel.stop();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ticks).toHaveBeenCalledTimes(4);
  });

  test("a slot waits until L1 is synced up to it, and is lost when others pass meanwhile", async () => {
    const sentinel = started();
    network.synced = undefined;
    await network.process(sentinel, [11]);
    network.synced = 10;
    await network.process(sentinel, [11, 12]);
    expect(await sentinel.all()).toEqual({ stats: [], initialSlot: 10, slotWindow: 12 });
    network.synced = 12;
    await network.process(sentinel, [12]);
    expect(network.history(1)).toEqual(["12 blocks-missed"]);
    expect(network.history(4)).toEqual([]);
  });

  test("a slot without a committee or with an open escape hatch is processed without entries", async () => {
    const sentinel = started();
    network.hatchOpen = true;
    await network.process(sentinel, [11]);
    network.hatchOpen = false;
    network.committee = [];
    await network.process(sentinel, [12]);
    expect(await sentinel.all()).toEqual({ stats: [], lastProcessedSlot: 12, initialSlot: 10, slotWindow: 12 });
  });

  test("published signatures and gossiped attestations to the mined archive both count", async () => {
    const sentinel = started();
    network.mine(11, [0]);
    network.attestations.set(11, [address(2)]);
    await network.process(sentinel, [11]);
    expect([1, 2, 3, 4].map((byte) => network.history(byte))).toEqual([
      ["11 attestation-sent"],
      ["11 attestation-sent"],
      ["11 attestation-missed"],
      ["11 checkpoint-mined"],
    ]);
    expect(network.archives.map((archive) => archive && toHex(archive))).toEqual([`0x${"0b".repeat(32)}`]);
  });

  test("without a mined checkpoint attestations to any archive count, and block proposals", async () => {
    const sentinel = started();
    network.attestations.set(11, [address(1)]);
    network.proposals.add(12);
    await network.process(sentinel, [11, 12]);
    expect(network.archives).toEqual([undefined, undefined]);
    expect(network.history(4)).toEqual(["11 checkpoint-proposed"]);
    expect(network.history(1)).toEqual(["11 attestation-sent", "12 checkpoint-missed"]);
  });

  test("a committee that cannot be read is asked for again, with one line", async () => {
    const sentinel = started();
    network.l1Down = true;
    network.proven = 3;
    sentinel.epochProven(0);
    await network.process(sentinel, [11, 11]);
    expect(network.lines).toEqual(["duties of validators could not be recorded, trying again"]);
    network.l1Down = false;
    await network.process(sentinel, [11]);
    expect(network.history(4)).toEqual(["11 blocks-missed"]);
    expect(network.store().performance(address(1))).toEqual([{ epoch: 0, missed: 0, total: 0 }]);
  });

  test("a store that refuses a write loses nothing: the slot is recorded with the next tick", async () => {
    const sentinel = started();
    network.memory.failNext = true;
    await network.process(sentinel, [11, 11]);
    expect(network.history(4)).toEqual(["11 blocks-missed"]);
  });
});

describe("proven epochs", () => {
  /** Slots 12 to 15 are epoch 3: validator 3 does nothing, the others all they can. */
  async function epochThree(sentinel: Sentinel): Promise<void> {
    for (const slot of [12, 13, 15]) network.mine(slot, [0, 1, 3]);
    await network.process(sentinel, [11, 12, 13, 14, 15]);
  }

  test("an inactive validator is an offense 3 of the epoch, and every member's performance is recorded", async () => {
    const sentinel = started();
    await epochThree(sentinel);
    sentinel.epochProven(3);
    await sentinel.tick();
    expect(network.offenses).toEqual([{ validator: address(3), amount: 5n, offenseType: 3, epochOrSlot: 3n }]);
    expect(network.store().performance(address(3))).toEqual([{ epoch: 3, missed: 4, total: 4 }]);
    expect(network.store().performance(address(1))).toEqual([{ epoch: 3, missed: 0, total: 3 }]);
  });

  test("an epoch whose proof arrives before its last slots are seen is evaluated when they are", async () => {
    const sentinel = started();
    for (const slot of [12, 13, 15]) network.mine(slot, [0, 1, 3]);
    await network.process(sentinel, [12, 13]);
    sentinel.epochProven(3);
    await sentinel.tick();
    expect(network.store().performance(address(3))).toEqual([]);
    await network.process(sentinel, [14, 15]);
    await sentinel.tick();
    expect(network.store().performance(address(3))).toEqual([{ epoch: 3, missed: 4, total: 4 }]);
    expect(network.offenses).toHaveLength(1);
  });

  test("with a threshold only the last of several inactive epochs is an offense", async () => {
    const sentinel = started({ consecutiveEpochs: 2 });
    network.store().recordEpoch(1, [{ validator: address(3), missed: 4, total: 4 }]);
    await epochThree(sentinel);
    sentinel.epochProven(3);
    await sentinel.tick();
    expect(network.offenses.map(({ epochOrSlot }) => epochOrSlot)).toEqual([3n]);
  });

  test("too few recorded epochs, a penalty of 0 or an open escape hatch give no offense", async () => {
    const sentinel = started({ consecutiveEpochs: 2 });
    await epochThree(sentinel);
    for (const change of [{}, { consecutiveEpochs: 1, penalty: 0n }, { penalty: 5n }]) {
      network.hatchOpen = "penalty" in change && change.penalty === 5n;
      sentinel.configure(change);
      sentinel.epochProven(3);
      await sentinel.tick();
    }
    expect(network.offenses).toEqual([]);
    network.hatchOpen = false;
    sentinel.epochProven(3);
    await sentinel.tick();
    expect(network.offenses).toHaveLength(1);
  });

  test("a restart keeps the history and evaluates an epoch that was proven meanwhile, but none twice", async () => {
    const sentinel = started();
    await epochThree(sentinel);
    await sentinel.stop();
    network.proven = 13;
    network.slot = 20;
    const second = started();
    await second.tick();
    expect(network.offenses).toHaveLength(1);
    expect(second.of(address(3), undefined, undefined)).toMatchObject({
      validator: { totalSlots: 4, missedAttestations: { count: 3, total: 3 }, missedProposals: { count: 1, total: 1 } },
      allTimeProvenPerformance: [{ epoch: 3, missed: 4, total: 4 }],
      initialSlot: 20,
    });
    await second.stop();
    await started().tick();
    expect(network.offenses).toHaveLength(1);
  });
});

describe("statistics", () => {
  async function withHistory(): Promise<Sentinel> {
    const sentinel = started();
    for (let slot = 11; slot <= 25; slot++) network.mine(slot, [0, 1, 3]);
    await network.process(
      sentinel,
      Array.from({ length: 15 }, (_, i) => i + 11),
    );
    return sentinel;
  }
  const slots = (found: ReturnType<Sentinel["of"]>) => found?.validator.history.map(({ slot }) => slot);

  test("they go over the slots of the history up to the last processed one", async () => {
    const sentinel = await withHistory();
    const { stats, ...window } = await sentinel.all();
    expect(window).toEqual({ lastProcessedSlot: 25, initialSlot: 10, slotWindow: 12 });
    expect(stats.map(({ address: [byte], totalSlots }) => [byte, totalSlots])).toEqual([
      [1, 12],
      [2, 12],
      [3, 12],
      [4, 12],
    ]);
    network.committee = [];
    await network.process(sentinel, [30]);
    expect((await sentinel.all()).stats[0].history.map(({ slot }) => slot)).toEqual([18, 19, 20, 21, 22, 23, 24, 25]);
  });

  test("bounds are inclusive, and may be as far apart as the history is long", async () => {
    const sentinel = await withHistory();
    expect(slots(sentinel.of(address(2), 23, 24))).toEqual([23, 24]);
    expect(slots(sentinel.of(address(2), 24, 23))).toEqual([]);
    expect(slots(sentinel.of(address(2), 13, 25))).toHaveLength(12);
    expect(() => sentinel.of(address(2), 12, 25)).toThrow(new SlotRangeError(12, 25, 12));
    expect(() => sentinel.of(address(2), 1, undefined)).toThrow(
      "Slot range (24) exceeds history length (12). Requested range: 1 to 25.",
    );
  });

  test("slot 0 as a bound means no bound", async () => {
    const sentinel = await withHistory();
    expect(slots(sentinel.of(address(2), 24, 0))).toEqual([24, 25]);
    expect(slots(sentinel.of(address(2), 0, 12))).toEqual([]);
    expect(() => sentinel.of(address(2), 0, undefined)).toThrow("Slot range (25) exceeds history length (12).");
  });

  test("a validator without an entry has no statistics, whatever the range", async () => {
    const sentinel = await withHistory();
    expect(sentinel.of(address(9), 0, 10_000)).toBeUndefined();
  });

  test("before a slot was processed the range ends with the current slot", async () => {
    await (await withHistory()).stop();
    network.slot = 30;
    const restarted = network.sentinel();
    expect(slots(restarted.of(address(2), undefined, undefined))).toEqual([18, 19, 20, 21, 22, 23, 24, 25]);
    expect(await restarted.all()).not.toHaveProperty("initialSlot");
  });
});
