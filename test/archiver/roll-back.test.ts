import { afterEach, describe, expect, test } from "vitest";
import { SyncPausedError } from "../../src/archiver/errors.ts";
import { RollbackRefusedError } from "../../src/archiver/roll-back.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { FakeL1 } from "../world/archiver/fake-l1.ts";
import {
  chainRows,
  type Follower,
  type FollowOptions,
  follow,
  pendingArchives,
  storedArchives,
} from "../world/archiver/following.ts";
import { dump } from "../world/archiver/open-chain.ts";

const core = loadCore();
const open: Follower[] = [];
afterEach(async () => {
  for (const follower of open.splice(0)) await follower.close();
});
const start = (l1: FakeL1, options?: FollowOptions): Follower => {
  const follower = follow(l1, core, options);
  open.push(follower);
  return follower;
};

/** Six checkpoints of two blocks with messages between them; four are proven, three finalized. */
function chainOfSix(): FakeL1 {
  const l1 = new FakeL1(core);
  for (let i = 0; i < 6; i++) {
    l1.propose([1, 0]);
    l1.send(2);
    if (i === 3) l1.finalized = l1.mine({ proven: 3 });
  }
  l1.mine({ proven: 4 });
  return l1;
}

describe("rolling back", () => {
  for (const checkpoint of [5, 4, 3, 2, 1]) {
    test(`rolling back to checkpoint ${checkpoint} gives the rows of a node that read L1 up to there, and syncing gives the same rows again`, async () => {
      const l1 = chainOfSix();
      const follower = start(l1);
      await follower.synchronizer.syncOnce();
      const synced = { rows: chainRows(follower), tips: follower.chain.tips() };
      const { l1: at } = follower.chain.checkpoint(checkpoint)!;

      await follower.synchronizer.pause();
      await follower.synchronizer.rollBackTo(2 * checkpoint);
      const { chain, worldState } = follower;
      expect(chain.latestBlockNumber()).toBe(2 * checkpoint);
      expect(worldState.status()).toMatchObject({ tip: 2 * checkpoint, finalized: Math.min(2 * checkpoint, 6) });
      expect(chain.state.checkpoint("proven")).toBe(Math.min(checkpoint, 4));
      expect(chain.state.checkpoint("finalized")).toBe(Math.min(checkpoint, 3));
      for (const point of ["checkpoint-sync", "message-sync"] as const) {
        expect(chain.state.syncPoint(point)).toEqual({ number: at.number, hash: at.hash });
      }
      expect(chain.state.processed()?.number).toBe(at.number);

      const then = new FakeL1(core);
      for (let i = 0; i < checkpoint; i++) {
        then.propose([1, 0]);
        if (i + 1 < checkpoint) then.send(2);
        if (i === 3 && i + 1 < checkpoint) then.mine();
      }
      const fresh = start(then);
      await fresh.synchronizer.syncOnce();
      const { "chain-state": _here, ...rows } = dump(follower.store);
      const { "chain-state": _there, ...freshRows } = dump(fresh.store);
      expect(rows).toEqual(freshRows);

      follower.synchronizer.resume();
      await follower.synchronizer.syncOnce();
      expect(storedArchives(follower)).toEqual(pendingArchives(l1));
      expect(chainRows(follower)).toEqual(synced.rows);
      expect(chain.tips()).toEqual(synced.tips);
      expect(worldState.status()).toMatchObject({ tip: 12, finalized: 6 });
    });
  }

  test("rolling back behind the kept history replays the stored blocks, without L1 and blobs", async () => {
    const l1 = chainOfSix();
    const follower = start(l1, { checkpointHistory: 1 });
    await follower.synchronizer.syncOnce();
    expect(follower.worldState.status()).toEqual({ tip: 12, finalized: 6, oldest: 5 });
    const seen = new Map([...follower.worldState.messagesSeen].filter(([block]) => block <= 2));
    const { fetched } = l1.blobs;
    l1.interfere = () => {
      throw new Error("not to be asked");
    };
    await follower.synchronizer.rollBackTo(2);
    expect(follower.worldState.status()).toMatchObject({ tip: 2, finalized: 2, oldest: 1 });
    expect(follower.worldState.messagesSeen).toEqual(seen);
    expect(follower.chain.latestBlockNumber()).toBe(2);
    expect(l1.blobs.fetched).toBe(fetched);
    l1.interfere = () => {};
    await follower.synchronizer.syncOnce();
    expect(storedArchives(follower)).toEqual(pendingArchives(l1));
    expect(follower.worldState.status()).toEqual({ tip: 12, finalized: 6, oldest: 5 });
  });

  test("an interrupted replay continues after a restart", async () => {
    const l1 = chainOfSix();
    let follower = start(l1, { checkpointHistory: 1 });
    await follower.synchronizer.syncOnce();
    follower.worldState.refuse = () => {
      throw new Error("killed");
    };
    await expect(follower.synchronizer.rollBackTo(4)).rejects.toThrow("killed");
    expect(follower.worldState.status().tip).toBe(0);
    expect(follower.chain.latestBlockNumber()).toBe(4);
    follower = await follower.restart();
    open[0] = follower;
    follower.synchronizer.start();
    await follower.synchronizer.waitForInitialSync();
    expect(storedArchives(follower)).toEqual(pendingArchives(l1));
    expect(follower.worldState.status().tip).toBe(12);
  });

  test("rolling back announces the removed blocks", async () => {
    const follower = start(chainOfSix());
    await follower.synchronizer.syncOnce();
    await follower.synchronizer.rollBackTo(10);
    const [event, fact] = follower.events.at(-1)!;
    expect(event).toBe("blocksRemoved");
    expect(fact).toMatchObject({ reason: "rollback", tip: 10, removed: [{ number: 12 }, { number: 11 }] });
  });

  test.each([
    [12, "Target L2 block 12 must be less than current L2 block 12"],
    [99, "Target L2 block 99 must be less than current L2 block 12"],
    [0, "Target L2 block 0 not found"],
    [-1, "Target L2 block -1 not found"],
    [2.5, "Target L2 block 2.5 not found"],
    [
      5,
      "Target L2 block 5 is not at a checkpoint boundary. Checkpoint 3 spans blocks 5 to 6. " +
        "Use block 6 to roll back to this checkpoint, or block 4 to roll back to the previous one.",
    ],
  ])("a rollback to block %s is refused and changes nothing", async (target, message) => {
    const follower = start(chainOfSix());
    await follower.synchronizer.syncOnce();
    const before = dump(follower.store);
    const refused = follower.synchronizer.rollBackTo(target);
    await expect(refused).rejects.toThrow(RollbackRefusedError);
    await expect(refused).rejects.toThrow(message);
    expect(dump(follower.store)).toEqual(before);
  });
});

describe("pausing", () => {
  test("pausing ends an iteration between two commits, without an error", async () => {
    const l1 = chainOfSix();
    const follower = start(l1, { commit: { checkpoints: 1, bytes: 1 }, prefetch: 1 });
    follower.synchronizer.start();
    await expect.poll(() => follower.chain.latestCheckpointNumber(), { interval: 1 }).toBeGreaterThan(0);
    await follower.synchronizer.pause();
    const reached = follower.chain.latestCheckpointNumber();
    expect(follower.worldState.status().tip).toBe(2 * reached);
    follower.synchronizer.resume();
    await follower.synchronizer.waitForInitialSync();
    expect(storedArchives(follower)).toEqual(pendingArchives(l1));
    expect(follower.log.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });

  test("an iteration that was requested before a pause does not begin during it", async () => {
    const l1 = chainOfSix();
    const follower = start(l1);
    const iteration = follower.synchronizer.syncOnce();
    await follower.synchronizer.pause();
    await expect(iteration).rejects.toThrow(SyncPausedError);
    expect(l1.calls).toEqual([]);
  });
});

test("a new polling interval takes effect at once", async () => {
  const l1 = chainOfSix();
  const follower = start(l1, { pollingIntervalMs: 3_600_000 });
  follower.synchronizer.start();
  await follower.synchronizer.waitForInitialSync();
  l1.propose();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(follower.chain.latestCheckpointNumber()).toBe(6);
  follower.synchronizer.configure({ pollingIntervalMs: 1 });
  await expect.poll(() => follower.chain.latestCheckpointNumber()).toBe(7);
});
