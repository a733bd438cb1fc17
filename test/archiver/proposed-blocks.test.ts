import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type ProposedBlockRefusedError, type ProposedBlockRule, SyncPausedError } from "../../src/archiver/errors.ts";
import { rebuildCheckpoint } from "../../src/archiver/rebuild-checkpoint.ts";
import type { ProposedBlock } from "../../src/archiver/rebuilt-checkpoint.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { HEADER_AT } from "../../src/protocol/block-header.ts";
import { writeU32 } from "../../src/protocol/bytes.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { epochOfSlot } from "../../src/protocol/time.ts";
import { FakeL1 } from "../world/archiver/fake-l1.ts";
import { StateMismatchError } from "../world/archiver/fake-world-state.ts";
import { type Follower, type FollowOptions, follow, settle } from "../world/archiver/following.ts";
import { dump } from "../world/archiver/open-chain.ts";
import {
  CONSTANTS,
  GENESIS_ARCHIVE,
  rebuildInput,
  type SyntheticCheckpoint,
  seeded,
  synthesize,
} from "../world/archiver/synthetic-chain.ts";

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

interface Next {
  salt?: string;
  slot?: number;
  archives?: Uint8Array[];
}

/** A next checkpoint that L1 could contain in its next block; `blocks` holds the number of txs of each block. */
function next(l1: FakeL1, blocks: number[], { salt = "ours", slot = l1.height + 1, archives }: Next = {}) {
  const { pending, messages } = l1.state();
  const number = pending.length + 1;
  const epochOf = (s: number) => epochOfSlot(s, CONSTANTS);
  const checkpoint = synthesize(
    {
      number,
      slot,
      firstBlock: (pending.at(-1)?.lastBlock ?? 0) + 1,
      lastArchive: pending.at(-1)?.archiveRoot ?? GENESIS_ARCHIVE,
      salt: `${salt} ${slot}`,
      blocks: blocks.map((txs) => Array.from({ length: txs }, () => [])),
      messages: messages.filter((m) => m.checkpointNumber === number).map((m) => m.leaf),
      epochOutHashes: pending.filter((c) => epochOf(c.slot) === epochOf(slot)).map((c) => c.outHash),
      archives,
    },
    core,
  );
  return { checkpoint, blocks: rebuildCheckpoint(rebuildInput(checkpoint), core, V4).blocks };
}

async function addAll({ synchronizer }: Follower, blocks: ProposedBlock[]): Promise<void> {
  for (const block of blocks) await synchronizer.addProposedBlock(block);
}

function publish(l1: FakeL1, checkpoint: SyntheticCheckpoint): void {
  l1.blobs.put(checkpoint);
  l1.mine({ propose: checkpoint });
}

/** Block numbers of the proposed and the checkpointed tip. */
const tipsOf = ({ chain }: Follower) => [chain.tips().proposed.number, chain.tips().checkpointed.block.number];

/** All rows, after a check that chain and trees have the same tip. */
function rows(follower: Follower): unknown {
  expect(follower.worldState.status().tip).toBe(follower.chain.latestBlockNumber());
  return dump(follower.store);
}

/** Rows of a node that synced from L1 alone. */
async function freshRows(l1: FakeL1): Promise<unknown> {
  const fresh = start(l1);
  await settle(fresh);
  return rows(fresh);
}

const changes = ({ events }: Follower) => events.filter(([event]) => event.startsWith("blocks"));

/** L1 with a checkpoint of two blocks, and a node that has synced it. */
async function synced(options?: FollowOptions) {
  const l1 = new FakeL1(core);
  l1.propose([1, 1]);
  const follower = start(l1, options);
  await follower.synchronizer.syncOnce();
  follower.events.length = 0;
  return { l1, follower };
}

describe("a proposed block", () => {
  test("a proposed block becomes the proposed tip at once, without changing the checkpointed one", async () => {
    const { l1, follower } = await synced();
    const { blocks } = next(l1, [1, 0]);
    await follower.synchronizer.addProposedBlock(blocks[0]);
    expect(tipsOf(follower)).toEqual([3, 2]);
    await follower.synchronizer.addProposedBlock(blocks[1]);
    expect(tipsOf(follower)).toEqual([4, 2]);
    const { chain } = follower;
    expect(chain.holds(blocks[0]) && chain.holds(blocks[1])).toBe(true);
    expect(chain.block(4)).toMatchObject({ checkpointNumber: 2, indexWithinCheckpoint: 1, txCount: 0 });
    expect(chain.txLocation(blocks[0].txs[0].txHash)).toMatchObject({ block: 3, indexInBlock: 0 });
    expect(chain.blockNumberByHash(blocks[1].record.hash)).toBe(4);
    expect(chain.latestCheckpointNumber()).toBe(1);
    expect(changes(follower)).toEqual([
      ["blocksAdded", { first: 3, last: 3 }],
      ["blocksAdded", { first: 4, last: 4 }],
    ]);
  });

  test("a proposed block is added without any call to L1", async () => {
    const { l1, follower } = await synced();
    l1.mine();
    const { latestBlock } = l1;
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    l1.latestBlock = async () => {
      asked.resolve();
      await answer.promise;
      return latestBlock.call(l1);
    };
    const iteration = follower.synchronizer.syncOnce();
    await asked.promise;
    await addAll(follower, next(l1, [1]).blocks);
    expect(tipsOf(follower)).toEqual([3, 2]);
    answer.resolve();
    await iteration;
    expect(tipsOf(follower)).toEqual([3, 2]);
  });

  test("a proposed block may be the chain's first, with the messages of its checkpoint", async () => {
    const l1 = new FakeL1(core);
    l1.propose();
    l1.send(2);
    l1.mine({ cutTo: 0 });
    const follower = start(l1);
    await follower.synchronizer.syncOnce();
    const first = next(l1, [1]);
    await addAll(follower, first.blocks);
    publish(l1, first.checkpoint);
    await follower.synchronizer.syncOnce();
    const third = next(l1, [2]);
    publish(l1, third.checkpoint);
    await follower.synchronizer.syncOnce();
    const last = next(l1, [1]);
    await addAll(follower, last.blocks);
    expect(tipsOf(follower)).toEqual([3, 2]);
    expect([...follower.worldState.messagesSeen.values()]).toEqual([0, 0, 2]);
  });

  test("a proposed block leaves no trace if its roots do not match or its commit fails", async () => {
    const { l1, follower } = await synced();
    const before = rows(follower);
    const [block] = next(l1, [1]).blocks;
    follower.worldState.refuse = () => {
      throw new StateMismatchError("wrong root");
    };
    await expect(follower.synchronizer.addProposedBlock(block)).rejects.toThrow("wrong root");
    follower.worldState.refuse = () => {};
    const { addBlock } = follower.chain;
    follower.chain.addBlock = function (...args) {
      addBlock.apply(this, args);
      throw new Error("disk full");
    };
    await expect(follower.synchronizer.addProposedBlock(block)).rejects.toThrow("disk full");
    expect(rows(follower)).toEqual(before);
    expect(changes(follower)).toEqual([]);
    follower.chain.addBlock = addBlock;
    await follower.synchronizer.addProposedBlock(block);
    expect(tipsOf(follower)).toEqual([3, 2]);
  });

  test("a proposed block is refused with the rule that it breaks", async () => {
    const { l1, follower } = await synced();
    const refused = async (block: ProposedBlock): Promise<ProposedBlockRule> => {
      const before = rows(follower);
      const error = await follower.synchronizer.addProposedBlock(block).then(
        () => expect.unreachable("the block was taken"),
        (reason: unknown) => reason as ProposedBlockRefusedError,
      );
      expect(error.name).toBe("ProposedBlockRefusedError");
      expect(rows(follower)).toEqual(before);
      return error.rule;
    };
    const changed = (block: ProposedBlock, record: Partial<ProposedBlock["record"]>): ProposedBlock => ({
      ...block,
      record: { ...block.record, ...record },
    });
    const inSlot = ({ record }: ProposedBlock, slot: number): Uint8Array => {
      const header = Uint8Array.from(record.header);
      writeU32(header, HEADER_AT.slotNumber, slot);
      return header;
    };
    const [first, second] = next(l1, [1, 1]).blocks;
    const { height } = l1;
    const earlier = (await rebuildOf(l1, 0))[1];

    expect(await refused(changed(first, { header: inSlot(first, height - 1) }))).toBe("slot");
    // The slot of the latest checkpoint, which may still be that of L1's next block.
    expect(await refused(changed(first, { header: inSlot(first, height) }))).toBe("slot");
    expect(await refused(earlier)).toBe("checkpointed");
    expect(await refused(second)).toBe("number");
    expect(await refused(changed(first, { header: second.record.header }))).toBe("number");
    expect(await refused(changed(first, { checkpointNumber: 1 }))).toBe("checkpoint");
    expect(await refused(changed(first, { checkpointNumber: 3 }))).toBe("checkpoint");
    expect(await refused(changed(first, { indexWithinCheckpoint: 1 }))).toBe("index");
    const elsewhere = Uint8Array.from(first.record.header);
    elsewhere[5] ^= 1;
    expect(await refused(changed(first, { header: elsewhere }))).toBe("lastArchive");

    await follower.synchronizer.addProposedBlock(first);
    expect(await refused(first)).toBe("number");
    expect(await refused(changed(second, { indexWithinCheckpoint: 0 }))).toBe("index");
    expect(await refused(changed(second, { checkpointNumber: 3, indexWithinCheckpoint: 0 }))).toBe("checkpoint");
    expect(await refused(changed(second, { header: inSlot(second, height + 2) }))).toBe("slot");
    await follower.synchronizer.addProposedBlock(second);
  });

  test("a proposed block that is applied while the chain is unwound is refused because it no longer continues it", async () => {
    const { l1, follower } = await synced();
    const [first, second] = next(l1, [1, 1]).blocks;
    await follower.synchronizer.addProposedBlock(first);
    const { prepare } = follower.worldState;
    let rolledBack: Promise<void> | undefined;
    follower.worldState.prepare = async (blocks) => {
      const unwound = new Promise<void>((resolve) => follower.synchronizer.on("blocksRemoved", () => resolve()));
      rolledBack = follower.synchronizer.rollBackTo(2);
      await unwound;
      return prepare.call(follower.worldState, blocks);
    };
    await expect(follower.synchronizer.addProposedBlock(second)).rejects.toMatchObject({ rule: "number" });
    follower.worldState.prepare = prepare;
    await rolledBack;
    expect(tipsOf(follower)).toEqual([2, 2]);
  });

  test("a proposed block is refused while syncing is paused, and after the synchronizer stopped", async () => {
    const { l1, follower } = await synced();
    const [block] = next(l1, [1]).blocks;
    await follower.synchronizer.pause();
    await expect(follower.synchronizer.addProposedBlock(block)).rejects.toThrow(SyncPausedError);
    follower.synchronizer.resume();
    const added = follower.synchronizer.addProposedBlock(block);
    await follower.synchronizer.stop();
    await expect(added).rejects.toThrow();
    expect(tipsOf(follower)).toEqual([2, 2]);
  });
});

async function rebuildOf(l1: FakeL1, index: number): Promise<ProposedBlock[]> {
  return rebuildCheckpoint(rebuildInput(l1.state().pending[index]), core, V4).blocks;
}

describe("a checkpoint that arrives from L1 after proposed blocks", () => {
  test("a checkpoint with the same blocks as proposed keeps them: none is fetched or applied again", async () => {
    const { l1, follower } = await synced();
    const { checkpoint, blocks } = next(l1, [1, 0, 2]);
    await addAll(follower, blocks);
    publish(l1, checkpoint);
    const { fetched } = l1.blobs;
    const { prepared } = follower.worldState;
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([5, 5]);
    expect([l1.blobs.fetched, follower.worldState.prepared]).toEqual([fetched, prepared]);
    expect(changes(follower).length).toBe(3);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("a checkpoint with more blocks than proposed adds the others", async () => {
    const { l1, follower } = await synced();
    const { checkpoint, blocks } = next(l1, [1, 0, 2]);
    await addAll(follower, blocks.slice(0, 2));
    publish(l1, checkpoint);
    await follower.synchronizer.syncOnce();
    expect(changes(follower).slice(2)).toEqual([["blocksAdded", { first: 5, last: 5 }]]);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("a checkpoint with fewer blocks than proposed removes the surplus", async () => {
    const { l1, follower } = await synced();
    const { blocks } = next(l1, [1, 1, 1]);
    await addAll(follower, blocks);
    publish(l1, next(l1, [1, 1]).checkpoint);
    const { fetched } = l1.blobs;
    await follower.synchronizer.syncOnce();
    expect(l1.blobs.fetched).toBe(fetched);
    const removed = changes(follower)[3][1];
    expect(removed).toMatchObject({ reason: "replaced", tip: 4, checkpoints: 0, removed: [{ number: 5 }] });
    expect(changes(follower).length).toBe(4);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("a checkpoint that differs from the proposed blocks at one block replaces it and all after it", async () => {
    const { l1, follower } = await synced();
    const { blocks } = next(l1, [1, 1, 1]);
    await addAll(follower, blocks);
    const other = next(l1, [1, 2], { archives: [blocks[0].record.archiveRoot, seeded("another archive")] });
    publish(l1, other.checkpoint);
    await follower.synchronizer.syncOnce();
    expect(changes(follower).slice(3)).toMatchObject([
      ["blocksRemoved", { reason: "replaced", tip: 3, checkpoints: 0, removed: [{ number: 5 }, { number: 4 }] }],
      ["blocksAdded", { first: 4, last: 4 }],
    ]);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("an entirely different checkpoint replaces all proposed blocks, also when more checkpoints follow", async () => {
    const { l1, follower } = await synced();
    await addAll(follower, next(l1, [1, 1, 1]).blocks);
    publish(l1, next(l1, [1], { salt: "theirs" }).checkpoint);
    publish(l1, next(l1, [2, 1]).checkpoint);
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([5, 5]);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("a checkpoint is rebuilt from L1's blobs if the words of its proposed blocks were stored wrongly", async () => {
    const { l1, follower } = await synced();
    const { checkpoint, blocks } = next(l1, [1, 1]);
    const { body } = blocks[1];
    const altered = Uint8Array.from(body);
    altered[64 + 31] ^= 1;
    await addAll(follower, [blocks[0], { ...blocks[1], body: altered }]);
    publish(l1, checkpoint);
    const { fetched } = l1.blobs;
    await follower.synchronizer.syncOnce();
    expect(l1.blobs.fetched).toBe(fetched + 1);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("a checkpoint with invalid attestations does not remove the proposed blocks before their slot is over", async () => {
    const { l1, follower } = await synced({
      validateAttestations: async ({ checkpointNumber }) =>
        checkpointNumber === 2
          ? {
              valid: false,
              reason: "insufficient-attestations",
              invalidIndex: undefined,
              epoch: 0,
              committee: [],
              seed: 0n,
              attestors: [],
            }
          : { valid: true },
    } as FollowOptions);
    const { checkpoint, blocks } = next(l1, [1]);
    await addAll(follower, blocks);
    publish(l1, checkpoint);
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([3, 2]);
    l1.mine({ cutTo: 1 });
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([2, 2]);
  });
});

describe("proposed blocks whose checkpoint does not come", () => {
  test("proposed blocks without a checkpoint are removed when they arrive at the end of the iteration that saw a later slot", async () => {
    const { l1, follower } = await synced();
    const { blocks } = next(l1, [1]);
    l1.mine();
    l1.mine();
    const finalizedBlock = l1.finalizedBlock.bind(l1);
    l1.finalizedBlock = async () => {
      l1.finalizedBlock = finalizedBlock;
      await addAll(follower, blocks);
      return finalizedBlock();
    };
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([3, 2]);
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([2, 2]);
  });

  test("proposed blocks without a checkpoint are removed once the next L1 block is in a later slot", async () => {
    const { l1, follower } = await synced();
    const before = rows(follower) as Record<string, unknown>;
    await addAll(follower, next(l1, [1, 2]).blocks);
    l1.mine();
    await follower.synchronizer.syncOnce();
    expect(tipsOf(follower)).toEqual([4, 2]);
    l1.mine();
    await follower.synchronizer.syncOnce();
    expect(changes(follower)[2]).toMatchObject([
      "blocksRemoved",
      { reason: "slot-passed", tip: 2, checkpoints: 0, removed: [{ number: 4 }, { number: 3 }] },
    ]);
    const state = { "chain-state": expect.anything() };
    expect(rows(follower)).toEqual({ ...before, ...state });
    expect(rows(follower)).toEqual({ ...((await freshRows(l1)) as object), ...state });
  });

  test("proposed blocks are removed with the checkpoints below them by a reorg or an operator's rollback", async () => {
    const { l1, follower } = await synced();
    const second = next(l1, [1]);
    publish(l1, second.checkpoint);
    await follower.synchronizer.syncOnce();
    await addAll(follower, next(l1, [1, 1]).blocks);
    l1.reorg(1);
    l1.propose([2]);
    await settle(follower);
    expect(tipsOf(follower)).toEqual([3, 3]);
    expect(rows(follower)).toEqual(await freshRows(l1));

    await addAll(follower, next(l1, [1, 1]).blocks);
    follower.events.length = 0;
    await follower.synchronizer.rollBackTo(3);
    expect(changes(follower)).toMatchObject([["blocksRemoved", { reason: "rollback", tip: 3, checkpoints: 0 }]]);
    await addAll(follower, next(l1, [1]).blocks);
    await follower.synchronizer.rollBackTo(2);
    expect(changes(follower).at(-1)).toMatchObject(["blocksRemoved", { tip: 2, checkpoints: 1 }]);
    await settle(follower);
    expect(rows(follower)).toEqual(await freshRows(l1));
  });

  test("proposed blocks survive a restart, and are then confirmed by their checkpoint or removed", async () => {
    for (const arrives of [true, false]) {
      const { l1, follower } = await synced();
      const { checkpoint, blocks } = next(l1, [1, 1]);
      await addAll(follower, blocks);
      const again = await follower.restart();
      open[open.indexOf(follower)] = again;
      expect(tipsOf(again)).toEqual([4, 2]);
      if (arrives) publish(l1, checkpoint);
      else l1.mine();
      l1.mine();
      again.synchronizer.start();
      await again.synchronizer.waitForInitialSync();
      expect(tipsOf(again)).toEqual(arrives ? [4, 4] : [2, 2]);
      expect(rows(again)).toEqual({ ...((await freshRows(l1)) as object), "chain-state": expect.anything() });
    }
  });
});

test("a poke makes the next iteration begin at once, also if it comes during an iteration", async () => {
  const { l1, follower } = await synced({ pollingIntervalMs: 1_000_000 });
  const { synchronizer } = follower;
  let iterated = Promise.withResolvers<void>();
  synchronizer.on("progress", () => iterated.resolve());
  l1.mine();
  synchronizer.start();
  await iterated.promise;
  const { checkpoint } = next(l1, [1]);
  iterated = Promise.withResolvers();
  publish(l1, checkpoint);
  synchronizer.poke();
  await iterated.promise;
  expect(tipsOf(follower)).toEqual([3, 3]);

  const added = Promise.withResolvers<void>();
  let further = 0;
  synchronizer.on("blocksAdded", () => {
    if (further++ === 0) {
      publish(l1, next(l1, [1]).checkpoint);
      synchronizer.poke();
    } else added.resolve();
  });
  publish(l1, next(l1, [1]).checkpoint);
  synchronizer.poke();
  await added.promise;
  expect(tipsOf(follower)).toEqual([5, 5]);
});

test("any sequence of proposals, checkpoints, reorgs and restarts ends in the rows of a node that synced from L1 alone", async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constantFrom("add", "publish", "add and publish"),
      blocks: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
      kept: fc.nat(3),
      theirs: fc.boolean(),
    }),
    fc.record({ kind: fc.constantFrom("mine", "sync", "restart", "send") }),
    fc.record({ kind: fc.constant("reorg"), depth: fc.integer({ min: 1, max: 3 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const l1 = new FakeL1(core);
      l1.propose();
      let follower = start(l1);
      await settle(follower);
      let round = 0;
      let highest = 0;
      for (const given of steps) {
        if ("blocks" in given) {
          const { checkpoint, blocks } = next(l1, given.blocks, { salt: `ours ${++round}` });
          const own = given.theirs ? next(l1, given.blocks, { salt: `theirs ${round}` }).blocks : blocks;
          if (given.kind !== "publish") await addAll(follower, own.slice(0, given.kept)).catch(() => {});
          if (given.kind !== "add") publish(l1, checkpoint);
        } else if ("depth" in given) l1.reorg(given.depth);
        else if (given.kind === "mine") l1.mine();
        else if (given.kind === "send") l1.send(2);
        else if (given.kind === "sync") await settle(follower);
        else {
          const again = await follower.restart();
          open[open.indexOf(follower)] = again;
          follower = again;
        }
        highest = Math.max(highest, l1.height);
      }
      // An L1 height at or below one that was read already triggers no sync.
      while (l1.height <= highest + 1) l1.mine();
      l1.propose([1, 1]);
      await settle(follower);
      l1.mine();
      await settle(follower);
      const { "chain-state": _own, "chain-messages": _messages, ...stored } = rows(follower) as Record<string, unknown>;
      expect(await freshRows(l1)).toMatchObject(stored);
      for (const each of open.splice(0)) await each.close();
    }),
    { numRuns: 25 },
  );
});
