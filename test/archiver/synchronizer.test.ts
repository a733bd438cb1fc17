import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { InconsistentL1Error, InvalidCheckpointError, ReorgBelowFinalizedError } from "../../src/archiver/errors.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { equal, toHex } from "../../src/protocol/bytes.ts";
import { FakeL1, FakeL1Error } from "../world/archiver/fake-l1.ts";
import { StateMismatchError } from "../world/archiver/fake-world-state.ts";
import {
  chainRows,
  type Follower,
  type FollowOptions,
  follow,
  pendingArchives,
  settle,
  storedArchives,
} from "../world/archiver/following.ts";
import { l1Happening, RandomL1 } from "../world/archiver/random-l1.ts";
import { seeded } from "../world/archiver/synthetic-chain.ts";

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

function expectInStep(follower: Follower, l1: FakeL1): void {
  expect(storedArchives(follower)).toEqual(pendingArchives(l1));
  expect(follower.worldState.status().tip).toBe(follower.chain.latestBlockNumber());
  expect(follower.chain.messages.count()).toBe(l1.state().messages.length);
}

describe("following L1", () => {
  test("a synchronizer adds messages, checkpoints of many shapes and proofs", async () => {
    const l1 = new FakeL1(core);
    l1.propose([1, 0, 2]);
    l1.send(3);
    l1.propose([0], {});
    l1.propose([2], { l2ToL1: [seeded("withdrawal")] });
    l1.mine({ proven: 2 });
    l1.propose([1]);
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    expectInStep(follower, l1);
    expect(follower.chain.provenBlockNumber()).toBe(4);
    // Sent while checkpoint 1 was pending, so they belong to checkpoint 3, whose first block is 5.
    expect([...follower.worldState.messagesSeen]).toEqual([
      [1, 0],
      [4, 0],
      [5, 3],
      [6, 0],
    ]);
    expect(follower.chain.state.processed()?.number).toBe(l1.height);
    expect(follower.synchronizer.initialSyncComplete).toBe(true);
    expect(follower.synchronizer.times).toMatchObject({ checkpoints: 4, blocks: 6, txs: 6 });
  });

  test("a synchronizer reads nothing while L1 stands still, and little if nothing happened", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    l1.calls.length = 0;
    await follower.synchronizer.syncOnce();
    expect(l1.calls).toEqual(["latestBlock"]);
    l1.mine();
    await follower.synchronizer.syncOnce();
    expect(l1.calls).not.toContain("checkpoints");
    expect(l1.calls).not.toContain("messages");
  });

  test("a synchronizer continues after a restart where it stopped", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose([1, 1]);
    let follower = start(l1);
    await follower.synchronizer.syncOnce();
    follower = await follower.restart();
    open[0] = follower;
    l1.propose();
    const fetched = l1.blobs.fetched;
    await follower.synchronizer.syncOnce();
    expectInStep(follower, l1);
    expect(l1.blobs.fetched).toBe(fetched + 1);
  });

  test("a synchronizer commits in batches within their bounds", async () => {
    const l1 = new FakeL1(core);
    for (let i = 0; i < 7; i++) l1.propose();
    const follower = start(l1, { commit: { checkpoints: 3, bytes: 2 ** 30 } });
    await follower.synchronizer.syncOnce();
    expect(follower.worldState.prepared).toBe(3);
    expect(follower.events.filter(([e]) => e === "blocksAdded").map(([, f]) => f)).toEqual([
      { first: 1, last: 3 },
      { first: 4, last: 6 },
      { first: 7, last: 7 },
    ]);
  });

  test("a synchronizer keeps what was committed before a commit fails", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    const before = chainRows(follower);
    l1.propose();
    const { addCheckpoint } = follower.chain;
    follower.chain.addCheckpoint = function (...args) {
      addCheckpoint.apply(this, args);
      throw new Error("disk full");
    };
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow("disk full");
    expect(chainRows(follower)).toEqual(before);
    expect(follower.worldState.status().tip).toBe(1);
    follower.chain.addCheckpoint = addCheckpoint;
    await settle(follower);
    expectInStep(follower, l1);
  });
});

describe("L1 reorgs", () => {
  for (let depth = 1; depth <= 7; depth++) {
    test(`a reorg of ${depth} blocks unwinds to what L1 still has, and the rest is read again`, async () => {
      const l1 = new FakeL1(core);
      for (let i = 0; i < 3; i++) {
        l1.propose([1, 1]);
        l1.send(2);
      }
      const follower = start(l1);
      await follower.synchronizer.syncOnce();
      l1.reorg(depth);
      for (let i = 0; i < 4; i++) {
        l1.propose([1]);
        l1.send(1);
      }
      await settle(follower);
      expectInStep(follower, l1);
      const fresh = start(l1);
      await fresh.synchronizer.syncOnce();
      expect(chainRows(follower)).toEqual(chainRows(fresh));
    });
  }

  test("a reorg that only moves checkpoints to other L1 blocks keeps the checkpoints", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose();
    l1.propose();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    const prepared = follower.worldState.prepared;
    l1.reorg(3, true);
    l1.mine();
    await settle(follower);
    expect(follower.worldState.prepared).toBe(prepared);
    const fresh = start(l1);
    await fresh.synchronizer.syncOnce();
    expect(chainRows(follower)).toEqual(chainRows(fresh));
  });

  describe("reorgs that move checkpoints to other L1 blocks", () => {
    const expectLikeFresh = async (follower: Follower, l1: FakeL1) => {
      await settle(follower);
      const fresh = start(l1);
      await settle(fresh);
      expectInStep(follower, l1);
      expect(chainRows(follower)).toEqual(chainRows(fresh));
    };

    test("no row keeps a replaced L1 block when a reorg moved checkpoints and the one after them was replaced", async () => {
      const l1 = new FakeL1(core);
      l1.propose([0]);
      l1.propose([0]);
      const follower = start(l1);
      await follower.synchronizer.syncOnce();
      l1.propose([1], { cutTo: 1 });
      l1.reorg(3, true);
      l1.mine();
      await expectLikeFresh(follower, l1);
    });

    test("no row keeps a replaced L1 block when a reorg moved checkpoints and an invalid one after them was replaced", async () => {
      const l1 = new FakeL1(core);
      l1.propose();
      const bad = toHex(l1.propose().archiveRoot);
      const follower = start(l1, {
        validateAttestations: async ({ archiveRoot }) =>
          toHex(archiveRoot) === bad
            ? { valid: false, reason: "insufficient-attestations", epoch: 0, seed: 0n, committee: [], attestors: [] }
            : { valid: true },
      });
      await follower.synchronizer.syncOnce();
      expect(follower.chain.state.invalidProposal()).toBeDefined();
      l1.reorg(2, true);
      l1.propose([1], { cutTo: 1 });
      await expectLikeFresh(follower, l1);
    });

    /**
     * A reorg moves the checkpoints of L1 blocks 11 to 14, the last `moved` of them, to later blocks. The first range
     * of logs holds two of them; reading the second range, with the rest, fails.
     */
    const cutOff = async (moved: number) => {
      const l1 = new FakeL1(core);
      for (let i = 0; i < 4; i++) l1.propose();
      const follower = start(l1, { batchSize: 1 });
      await follower.synchronizer.syncOnce();
      const back = l1.reorg(moved, true, 5);
      l1.mine();
      let ranges = 0;
      l1.interfere = (call) => {
        if (call === "checkpoints" && ++ranges > 1) throw new FakeL1Error("no logs");
      };
      await expect(follower.synchronizer.syncOnce()).rejects.toThrow("no logs");
      l1.interfere = () => {};
      const stored = [1, 2, 3, 4].map((number) => follower.chain.checkpoint(number)!.l1.number);
      expect(stored).toEqual(moved === 4 ? [16, 17, 13, 14] : [11, 17, 18, 14]);
      return { l1, follower, back };
    };

    test("no row keeps a replaced L1 block when reading failed before all moved checkpoints were read", async () => {
      const { l1, follower } = await cutOff(4);
      await expectLikeFresh(follower, l1);
    });

    test("no row keeps a replaced L1 block when reading failed and L1 returned to its earlier blocks", async () => {
      const { l1, follower, back } = await cutOff(4);
      back();
      while (l1.height < 20) l1.mine();
      await expectLikeFresh(follower, l1);
    });

    test("no row keeps a replaced L1 block when reading failed, L1 returned to its earlier blocks, and the chain was rolled back", async () => {
      const { l1, follower, back } = await cutOff(4);
      back();
      l1.mine();
      await follower.synchronizer.rollBackTo(3);
      await expectLikeFresh(follower, l1);
    });

    test("no row keeps a replaced L1 block when reading failed, and fewer blocks replaced those and the one before", async () => {
      const { l1, follower } = await cutOff(3);
      l1.reorg(l1.height - 11);
      l1.reorg(1, true);
      l1.propose();
      await expectLikeFresh(follower, l1);
    });
  });

  test("checkpoints that a reorg put behind the last read block are found", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.mine();
    l1.mine();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    l1.reorg(2);
    l1.propose();
    l1.mine();
    l1.mine();
    await settle(follower);
    expectInStep(follower, l1);
  });

  test("a reorg of the whole chain unwinds to genesis", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    l1.reorg(2);
    l1.mine();
    l1.mine();
    l1.mine();
    await settle(follower);
    expect(follower.chain.latestCheckpointNumber()).toBe(0);
    expect(follower.worldState.status().tip).toBe(0);
    l1.propose();
    await settle(follower);
    expectInStep(follower, l1);
  });

  describe("reorgs after which L1 is shorter", () => {
    /** Four checkpoints with messages between them, synced block by block; then four empty blocks, synced at once. */
    async function followed(): Promise<{ l1: FakeL1; follower: Follower }> {
      const l1 = new FakeL1(core);
      const follower = start(l1);
      for (let i = 0; i < 4; i++) {
        l1.propose();
        await follower.synchronizer.syncOnce();
        l1.send(2);
        await follower.synchronizer.syncOnce();
      }
      for (let i = 0; i < 4; i++) l1.mine();
      await follower.synchronizer.syncOnce();
      return { l1, follower };
    }

    test("a reorg to a shorter L1 is noticed at the first replaced block, and the chain continues from there", async () => {
      const { l1, follower } = await followed();
      l1.reorg(8);
      l1.mine();
      await settle(follower);
      expect(follower.chain.latestCheckpointNumber()).toBe(2);
      expectInStep(follower, l1);
      expect(follower.logged("warn", /L1 reorganized/)).toHaveLength(1);
      expect(follower.chain.state.processed()?.number).toBe(l1.height);
      l1.propose();
      l1.send(1);
      l1.propose();
      await settle(follower);
      expectInStep(follower, l1);
    });

    test("a reorg to a shorter L1 is noticed after a restart", async () => {
      const { l1, follower } = await followed();
      const again = await follower.restart();
      open.splice(open.indexOf(follower), 1, again);
      l1.reorg(7);
      l1.mine();
      await settle(again);
      expectInStep(again, l1);
    });

    test("a reorg to a shorter L1 unwinds to genesis if L1 lost all checkpoints", async () => {
      const { l1, follower } = await followed();
      l1.reorg(12);
      l1.mine();
      await settle(follower);
      expect(follower.chain.latestCheckpointNumber()).toBe(0);
      expectInStep(follower, l1);
    });

    test("an endpoint that lags is not taken for a reorg to a shorter L1, also after blocks were replaced", async () => {
      const { l1, follower } = await followed();
      l1.reorg(6, true);
      l1.mine();
      const behind = await l1.latestBlock();
      l1.propose();
      await settle(follower);
      expectInStep(follower, l1);
      const rows = chainRows(follower);
      const { latestBlock } = l1;
      for (let number = behind.number; number > behind.number - 6; number--) {
        const block = await l1.block(number);
        l1.latestBlock = async () => block!;
        await follower.synchronizer.syncOnce();
        expect(chainRows(follower)).toEqual(rows);
      }
      l1.latestBlock = latestBlock;
      expect(follower.logged("warn", /L1 reorganized/)).toEqual([]);
    });
  });

  test("a reorg below the finalized block is refused and changes nothing", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose();
    l1.finalized = l1.mine({ proven: 2 });
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    expect(follower.chain.finalizedBlockNumber()).toBe(2);
    const before = chainRows(follower);
    l1.finalized = undefined;
    l1.reorg(2);
    for (let i = 0; i < 3; i++) l1.propose();
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(ReorgBelowFinalizedError);
    expect(chainRows(follower)).toEqual(before);
  });
});

describe("proofs and pruning", () => {
  test("the proven tip follows L1's, also back and to zero", async () => {
    const l1 = new FakeL1(core);
    l1.propose([2]);
    l1.propose([1]);
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    const proven = async (number: number) => {
      l1.mine({ proven: number });
      await follower.synchronizer.syncOnce();
      return follower.chain.tips().proven.checkpoint.number;
    };
    expect(await proven(1)).toBe(1);
    expect(await proven(2)).toBe(2);
    l1.reorg(1);
    expect(await proven(1)).toBe(1);
    l1.reorg(2);
    l1.mine();
    expect(await proven(0)).toBe(0);
    expect(follower.chain.tips().proven.block.number).toBe(0);
    expect(
      follower.events.filter(([e]) => e === "proven").map(([, f]) => (f as { blockNumber: number }).blockNumber),
    ).toEqual([1, 2]);
  });

  describe("an endpoint that answers from the state of an older block", () => {
    /** Five checkpoints of which three are proven, followed block by block. */
    async function followed(): Promise<{ l1: FakeL1; follower: Follower; older: number }> {
      const l1 = new FakeL1(core);
      const follower = start(l1);
      l1.propose();
      const older = l1.height;
      for (let i = 0; i < 4; i++) l1.propose();
      l1.mine({ proven: 3 });
      await follower.synchronizer.syncOnce();
      expect(follower.chain.provenCheckpointNumber()).toBe(3);
      return { l1, follower, older };
    }

    /** The L1's answers about state, whatever block they are about, are those of block `older`. */
    function lie(l1: FakeL1, older: number): void {
      const { status } = l1;
      l1.status = (checkpoint) => status.call(l1, checkpoint, older);
      l1.canPruneAtTime = async () => true;
      l1.archiveAt = async (number) => (await l1.status(number, older)).archiveOfMyCheckpoint;
    }

    test("does not unwind proven checkpoints while the L1 block of the proof stands", async () => {
      const { l1, follower, older } = await followed();
      const rows = chainRows(follower);
      const { status, canPruneAtTime, archiveAt } = l1;
      lie(l1, older);
      for (let i = 0; i < 3; i++) {
        l1.mine();
        await expect(follower.synchronizer.syncOnce()).rejects.toThrow(
          /^fake said of L1 block \d+ that the proven checkpoint 3/,
        );
      }
      expect(chainRows(follower)).toEqual(rows);
      Object.assign(l1, { status, canPruneAtTime, archiveAt });
      await settle(follower);
      expectInStep(follower, l1);
      expect(follower.events.filter(([event]) => event === "blocksRemoved")).toEqual([]);
    });

    test("is not believed while another endpoint has the proof in the same L1 block", async () => {
      const { l1, follower, older } = await followed();
      const { views } = l1;
      // The block of the proof is replaced, so that only the other endpoint tells.
      l1.reorg(1);
      l1.mine({ proven: 3 });
      const truth = await l1.status(3, l1.height);
      lie(l1, older);
      l1.views = async (question) => {
        const [view] = await views.call(l1, question);
        return [view, { ...view, url: "other", status: truth }];
      };
      await expect(follower.synchronizer.syncOnce()).rejects.toThrow(/^fake said of/);
      expect(follower.chain.latestCheckpointNumber()).toBe(5);
    });

    test("does not lower the proven tip while the endpoint is behind the proof", async () => {
      const { l1, follower } = await followed();
      const behind = await l1.block(l1.height - 1);
      const { latestBlock } = l1;
      l1.latestBlock = async () => behind!;
      await follower.synchronizer.syncOnce();
      expect(follower.chain.provenCheckpointNumber()).toBe(3);
      l1.latestBlock = latestBlock;
      l1.propose();
      await settle(follower);
      expectInStep(follower, l1);
    });

    test("is believed when L1 replaced the block of the proof, and has none in the new one", async () => {
      const { l1, follower } = await followed();
      l1.reorg(5);
      l1.mine();
      l1.propose([2]);
      for (let i = 0; i < 5; i++) l1.mine();
      await settle(follower);
      expectInStep(follower, l1);
      expect(follower.chain.provenCheckpointNumber()).toBe(0);
      expect(follower.logged("warn", /no longer has the proven checkpoint/)).not.toEqual([]);
    });
  });

  test("unproven checkpoints are removed as soon as L1 would prune them, and are not read again", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.mine({ proven: 1 });
    l1.propose([1, 1]);
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestCheckpointNumber()).toBe(2);
    while (!(await l1.canPruneAtTime((await l1.latestBlock()).timestamp + 12, l1.height))) l1.mine();
    await settle(follower);
    expect(follower.chain.latestCheckpointNumber()).toBe(1);
    expect(follower.worldState.status().tip).toBe(1);
    expect(follower.events.at(-1)).toMatchObject([
      "blocksRemoved",
      { reason: "unproven", tip: 1, removed: [{ number: 3 }, { number: 2 }] },
    ]);
    const fetched = l1.blobs.fetched;
    l1.mine();
    await settle(follower);
    expect(l1.blobs.fetched).toBe(fetched);

    // The next proposal prunes L1 and reuses the number.
    l1.propose([1], { cutTo: 1 });
    await settle(follower);
    expectInStep(follower, l1);
    expect(follower.chain.latestBlockNumber()).toBe(2);
  });

  test("pruned checkpoints are read again if a late proof saves them on L1", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose();
    const follower = start(l1);
    while (!(await l1.canPruneAtTime((await l1.latestBlock()).timestamp + 12, l1.height))) l1.mine();
    await settle(follower);
    expect(follower.chain.latestCheckpointNumber()).toBe(0);
    l1.mine({ proven: 2 });
    await settle(follower);
    expectInStep(follower, l1);
    expect(follower.chain.provenBlockNumber()).toBe(2);
  });

  test("a checkpoint is replaced if L1 gives its number to another", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose([1, 1]);
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    l1.propose([3], { cutTo: 1 });
    l1.propose([1]);
    await settle(follower);
    expectInStep(follower, l1);
    const fresh = start(l1);
    await fresh.synchronizer.syncOnce();
    expect(chainRows(follower)).toEqual(chainRows(fresh));
  });

  test("blocks that are proven at L1's finalized block are finalized, and old history is dropped", async () => {
    const l1 = new FakeL1(core);
    for (let i = 1; i <= 6; i++) {
      l1.propose([1]);
      l1.mine({ proven: i });
    }
    const follower = start(l1, { checkpointHistory: 2, commit: { checkpoints: 2, bytes: 2 ** 30 } });
    l1.finalized = l1.height - 2;
    await follower.synchronizer.syncOnce();
    expect(follower.chain.tips().finalized.checkpoint.number).toBe(5);
    expect(follower.worldState.status()).toEqual({ tip: 6, finalized: 5, oldest: 4 });
  });

  test("a long history is dropped part by part, with each commit, and also while nothing new is finalized", async () => {
    const l1 = new FakeL1(core);
    for (let i = 1; i <= 6; i++) {
      l1.propose([1]);
      l1.mine({ proven: i });
    }
    const follower = start(l1, { checkpointHistory: 1 });
    follower.worldState.prunedTogether = 2;
    l1.finalized = l1.height;
    await follower.synchronizer.syncOnce();
    const oldest = [follower.worldState.status().oldest];
    for (let i = 0; i < 3; i++) {
      l1.propose([1]);
      await follower.synchronizer.syncOnce();
      oldest.push(follower.worldState.status().oldest);
    }
    expect(oldest).toEqual([3, 5, 6, 6]);
    expect(follower.worldState.status()).toMatchObject({ tip: 9, finalized: 6 });
  });

  test("an endpoint without historical state is reported once, and syncing continues", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.finalized = l1.height;
    const follower = start(l1);
    l1.interfere = (call) => {
      if (call === "provenCheckpointNumber") throw new FakeL1Error("no state at that block");
    };
    for (let i = 0; i < 3; i++) {
      await follower.synchronizer.syncOnce();
      l1.mine();
    }
    expect(follower.logged("info", /finalized/)).toHaveLength(1);
    expect(follower.logged("warn", /./)).toHaveLength(0);
    l1.interfere = () => {};
    l1.mine({ proven: 1 });
    l1.finalized = l1.height;
    await follower.synchronizer.syncOnce();
    expect(follower.chain.finalizedBlockNumber()).toBe(1);
  });
});

describe("recovery", () => {
  test("a missing blob stops the sync after the checkpoint before it, and the sync continues once the blob is there", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose();
    const third = l1.propose();
    l1.propose();
    const follower = start(l1);
    l1.blobs.missing.add(toHex(third.versionedHash));
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(/is missing/);
    expect(follower.chain.latestCheckpointNumber()).toBe(2);
    l1.blobs.missing.clear();
    await follower.synchronizer.syncOnce();
    expectInStep(follower, l1);
  });

  test("an altered blob with the expected hash is noticed", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const second = l1.propose();
    const follower = start(l1);
    // Word 2 is the fee of the first tx.
    const restore = l1.blobs.alter(second, (blob) => void blob.fill(3, 2 * 32 + 31, 3 * 32));
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(InvalidCheckpointError);
    expect(follower.chain.latestCheckpointNumber()).toBe(1);
    restore();
    await settle(follower);
    expectInStep(follower, l1);
  });

  test("the altered blobs of a source are replaced at once by a fetch that recomputes commitments", async () => {
    const l1 = new FakeL1(core);
    const checkpoints = Array.from({ length: 5 }, () => l1.propose());
    const follower = start(l1);
    l1.blobs.lie(checkpoints[1], (blob) => void blob.fill(3, 2 * 32 + 31, 3 * 32));
    l1.blobs.lie(checkpoints[3], (blob) => void blob.fill(255));
    follower.worldState.refuse = ({ txs }) => {
      if (equal(txs[0].transactionFee.subarray(31), Uint8Array.of(3))) throw new StateMismatchError("other roots");
    };
    await follower.synchronizer.syncOnce();
    expectInStep(follower, l1);
  });

  test("a checkpoint that breaks the protocol is not stored, and the chain continues when L1 replaces it", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose([1], { spoil: ({ header }) => void header.fill(1, 129, 160) });
    l1.propose();
    const follower = start(l1);
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(/epochOutHash must equal/);
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(InvalidCheckpointError);
    expect(follower.chain.latestCheckpointNumber()).toBe(1);
    l1.propose([1], { cutTo: 1 });
    await settle(follower);
    expectInStep(follower, l1);
  });

  test("a checkpoint with wrong state roots is not stored, while those before it in the batch are", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.propose();
    const bad = l1.propose();
    const follower = start(l1);
    follower.worldState.refuse = ({ archiveRoot }) => {
      if (equal(archiveRoot, bad.archiveRoot)) throw new StateMismatchError("other roots");
    };
    await expect(follower.synchronizer.syncOnce()).rejects.toMatchObject({
      name: "InvalidCheckpointError",
      checkpointNumber: 3,
    });
    expect(follower.chain.latestCheckpointNumber()).toBe(2);
    l1.propose([1], { cutTo: 2 });
    await settle(follower);
    expectInStep(follower, l1);
  });

  test("a synchronizer recovers from an endpoint whose logs lag behind its state", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const follower = start(l1);
    const { checkpoints } = l1;
    l1.checkpoints = async () => [];
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(InconsistentL1Error);
    l1.checkpoints = checkpoints;
    await settle(follower);
    expectInStep(follower, l1);
  });

  test("a synchronizer that is answered from the state of a block mined meanwhile follows both blocks", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    const { status, inboxState } = l1;
    l1.propose();
    l1.status = (checkpoint) => {
      l1.status = status;
      l1.propose();
      return l1.status(checkpoint, l1.height);
    };
    await follower.synchronizer.syncOnce();
    expectInStep(follower, l1);
    l1.send(1);
    l1.inboxState = () => {
      l1.inboxState = inboxState;
      l1.send(1);
      return l1.inboxState(l1.height);
    };
    for (let i = 0; i < 2; i++) await follower.synchronizer.syncOnce();
    expectInStep(follower, l1);
    expect(follower.logged("warn", /./)).toEqual([]);
  });

  test("an endpoint that falls behind does not unwind the chain", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const behind = await l1.latestBlock();
    l1.propose();
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    const { latestBlock } = l1;
    l1.latestBlock = async () => behind;
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestCheckpointNumber()).toBe(2);
    l1.latestBlock = latestBlock;
    l1.propose();
    await settle(follower);
    expectInStep(follower, l1);
  });

  test("a synchronizer recovers from an endpoint that fails one call in three", async () => {
    const l1 = new FakeL1(core);
    for (let i = 0; i < 5; i++) {
      l1.propose();
      l1.send(1);
    }
    const follower = start(l1, { commit: { checkpoints: 1, bytes: 1 } });
    let state = 1;
    l1.interfere = () => {
      state = (state * 48271) % 0x7fffffff;
      if (state % 3 === 0) throw new FakeL1Error("connection reset");
    };
    follower.synchronizer.start();
    await expect.poll(() => storedArchives(follower).length).toBe(5);
    l1.interfere = () => {};
    await follower.synchronizer.waitForInitialSync();
    expectInStep(follower, l1);
    expect(follower.logged("warn", /connection reset/).length).toBeGreaterThan(0);
  });
});

describe("invalid attestations", () => {
  const committee = [new Uint8Array(20)];
  const rejecting = (l1: FakeL1) => {
    const bad = new Set<string>();
    l1.committeeMembers = committee;
    const follower = start(l1, {
      validateAttestations: async ({ archiveRoot }) =>
        bad.has(toHex(archiveRoot))
          ? {
              valid: false,
              reason: "invalid-attestation",
              invalidIndex: 1,
              epoch: 3,
              seed: 5n,
              committee,
              attestors: [],
            }
          : { valid: true },
    });
    return { bad, follower };
  };

  test("a checkpoint with invalid attestations is skipped and remembered until L1 replaces it", async () => {
    const l1 = new FakeL1(core);
    const { bad, follower } = rejecting(l1);
    l1.propose();
    const second = l1.propose();
    bad.add(toHex(second.archiveRoot));
    l1.blobs.missing.add(toHex(second.versionedHash));
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestCheckpointNumber()).toBe(1);
    expect(follower.chain.state.invalidProposal()).toMatchObject({
      checkpointNumber: 2,
      reason: "invalid-attestation",
      invalidIndex: 1,
      slotNumber: second.slot,
      epoch: 3,
      seed: 5n,
    });
    expect(follower.events.map(([e]) => e)).toEqual(["blocksAdded", "invalidAttestations"]);
    l1.mine();
    await follower.synchronizer.syncOnce();
    l1.propose([1, 1], { cutTo: 1 });
    await settle(follower);
    expectInStep(follower, l1);
    expect(follower.chain.state.invalidProposal()).toBeUndefined();
  });

  test("attestations are validated again if L1 has another committee for the same checkpoint", async () => {
    const l1 = new FakeL1(core);
    const { bad, follower } = rejecting(l1);
    l1.propose();
    const second = toHex(l1.propose().archiveRoot);
    bad.add(second);
    await follower.synchronizer.syncOnce();
    l1.mine();
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestCheckpointNumber()).toBe(1);
    l1.committeeMembers = [new Uint8Array(20).fill(7)];
    bad.delete(second);
    l1.mine();
    await settle(follower);
    expectInStep(follower, l1);
    expect(follower.chain.state.invalidProposal()).toBeUndefined();
  });

  test("a checkpoint with invalid attestations stops the chain below its descendants until L1 drops them", async () => {
    const l1 = new FakeL1(core);
    const { bad, follower } = rejecting(l1);
    l1.propose();
    bad.add(toHex(l1.propose().archiveRoot));
    l1.propose();
    await expect(follower.synchronizer.syncOnce()).rejects.toMatchObject({
      name: "NonSequentialCheckpointError",
      expected: 2,
      got: 3,
    });
    await expect(follower.synchronizer.syncOnce()).rejects.toThrow(/next checkpoint must be 2/);
    expect(follower.chain.latestCheckpointNumber()).toBe(1);
    l1.mine({ cutTo: 1 });
    l1.propose();
    await settle(follower);
    expectInStep(follower, l1);
  });
});

describe("the sync loop", () => {
  test("the sync loop retries with bounded pauses, logs a repeated failure less and less often, and logs the recovery", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const follower = start(l1);
    l1.interfere = () => {
      throw new FakeL1Error("L1 is down");
    };
    follower.synchronizer.start();
    await expect.poll(() => l1.calls.length).toBeGreaterThan(9);
    expect(follower.logged("warn", /L1 is down/).map((l) => l.facts.attempt)).toEqual(
      [1, 2, 4, 8, 16, 32, 64].slice(0, follower.logged("warn", /L1 is down/).length),
    );
    expect(follower.logged("debug", /L1 is down/).map((l) => l.facts.attempt)).toContain(7);
    l1.interfere = () => {};
    await follower.synchronizer.waitForInitialSync();
    await expect.poll(() => follower.logged("info", /following L1 again/).length).toBe(1);
    expectInStep(follower, l1);
  });

  test("the sync loop pauses and resumes", async () => {
    const l1 = new FakeL1(core);
    const follower = start(l1);
    follower.synchronizer.start();
    await follower.synchronizer.waitForInitialSync();
    await follower.synchronizer.pause();
    l1.propose();
    const { length } = l1.calls;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(l1.calls).toHaveLength(length);
    follower.synchronizer.resume();
    await expect.poll(() => follower.chain.latestCheckpointNumber()).toBe(1);
  });

  test("waiting for the initial sync is rejected if the loop stops before it", async () => {
    const l1 = new FakeL1(core);
    l1.interfere = () => {
      throw new FakeL1Error("down");
    };
    const follower = start(l1);
    follower.synchronizer.start();
    const waiting = follower.synchronizer.waitForInitialSync();
    await follower.synchronizer.stop();
    await expect(waiting).rejects.toThrow();
  });

  test("a listener that throws does not disturb the sync loop", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    const follower = start(l1);
    follower.synchronizer.on("blocksAdded", () => {
      throw new Error("listener");
    });
    await follower.synchronizer.syncOnce();
    expect(follower.logged("error", /listener/)).toHaveLength(1);
    expectInStep(follower, l1);
  });
});

describe("random sequences of reorgs and failures", () => {
  const happening = fc.oneof(
    ...l1Happening,
    { weight: 4, arbitrary: fc.record({ do: fc.constant("sync" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("cut off" as const), calls: fc.integer({ min: 1, max: 12 }) }),
    },
  );

  test("a node that lived through any sequence of reorgs and failures has the chain of a fresh sync", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 24 }), async (happenings) => {
        const l1 = new FakeL1(core);
        const follower = follow(l1, core, { batchSize: 1, commit: { checkpoints: 2, bytes: 2 ** 30 } });
        const fresh = follow(l1, core);
        const random = new RandomL1(l1);
        try {
          for (const step of happenings) {
            if (step.do === "cut off") {
              let calls = 0;
              l1.interfere = () => {
                if (++calls > step.calls) throw new FakeL1Error("no answer");
              };
              await follower.synchronizer.syncOnce().catch(() => {});
              l1.interfere = () => {};
            } else if (step.do === "sync") await settle(follower);
            else random.happen(step);
          }
          random.outgrow();
          await settle(follower);
          await settle(fresh);
          expect(chainRows(follower)).toEqual(chainRows(fresh));
          expect(follower.chain.tips()).toEqual(fresh.chain.tips());
          expect(follower.worldState.status().tip).toBe(fresh.worldState.status().tip);
        } finally {
          await follower.close();
          await fresh.close();
        }
      }),
      { numRuns: 40 },
    );
  });
});
