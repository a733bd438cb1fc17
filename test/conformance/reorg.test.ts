import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ReorgBelowFinalizedError } from "../../src/archiver/errors.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { unpackBlobStore } from "../world/l1/chain-a.ts";
import { ReplayedL1 } from "../world/l1/replayed-l1.ts";
import { Follower } from "../world/node/follower.ts";
import { NodeProcess, type RecordedL1 } from "../world/node/recorded-node.ts";
import "../support/soak.ts";

const core = loadCore();
let folder: string;
let l1: ReplayedL1;
let node: Follower;

const followed = () => ({ l1RpcUrls: [l1.url], blobStore: join(folder, "blobs") });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-reorg-blobs-"));
  unpackBlobStore(join(folder, "blobs"));
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(12);
  node = await Follower.fresh(core, followed());
});
afterAll(async () => {
  await node?.remove();
  await l1?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Syncs, then compares the whole store with that of a node synced from an empty data directory. */
async function expectLikeFreshSync(): Promise<void> {
  await node.sync();
  const fresh = await Follower.fresh(core, followed());
  try {
    const [own, expected] = [await node.contents(), await fresh.contents()];
    expect(Object.keys(own)).toEqual(Object.keys(expected));
    for (const name of Object.keys(own)) expect(own[name], name).toEqual(expected[name]);
  } finally {
    await fresh.remove();
  }
}

const tip = () => node.services.chain.latestCheckpointNumber();
const proven = () => node.services.chain.provenCheckpointNumber();

/** Recorded L1 blocks in which messages to L2 were sent. */
const MESSAGE_BLOCKS = { first: 70, last: 74, count: 5 };

describe("L1 reorgs", () => {
  test("a reorg that removes no checkpoint changes nothing", async () => {
    await l1.replayTo(l1.next!.number);
    await node.sync();
    const before = tip();
    await l1.reorganise(1);
    await expectLikeFreshSync();
    expect(tip()).toBe(before);
  });

  test("a reorg of one block removes its checkpoint until it is proposed again", async () => {
    await l1.replayToCheckpoint(13);
    await node.sync();
    expect(tip()).toBe(13);
    await l1.takeBack(1);
    await expectLikeFreshSync();
    expect(tip()).toBe(12);
    await l1.replayToCheckpoint(13);
    await expectLikeFreshSync();
    expect(tip()).toBe(13);
  });

  test("a reorg removes messages to L2, which come back together in one block", async () => {
    await l1.replayTo(MESSAGE_BLOCKS.first - 1);
    const messages = () => node.services.chain.messages.count();
    await node.sync();
    const before = messages();
    await l1.replayTo(MESSAGE_BLOCKS.last);
    await node.sync();
    expect(messages()).toBe(before + MESSAGE_BLOCKS.count);
    const transactions = await l1.takeBack(MESSAGE_BLOCKS.last - MESSAGE_BLOCKS.first + 1);
    await expectLikeFreshSync();
    expect(messages()).toBe(before);
    await l1.mine({ transactions: transactions.flatMap((block) => block.transactions) });
    l1.skipTo(MESSAGE_BLOCKS.last + 1);
    await expectLikeFreshSync();
    expect(messages()).toBe(before + MESSAGE_BLOCKS.count);
  });

  test("a reorg of ten blocks removes proven checkpoints, which come back in later L1 blocks", async () => {
    await l1.replayToCheckpoint(20);
    await node.sync();
    const height = await l1.height();
    expect(proven()).toBe(19);
    await l1.takeBack(10);
    const tips = await l1.tips();
    expect(tips.pending).toBeLessThan(18);
    await expectLikeFreshSync();
    expect([tip(), proven()]).toEqual([tips.pending, tips.proven]);
    expect(await l1.height()).toBe(height);
    await l1.replayToCheckpoint(20);
    await expectLikeFreshSync();
    expect([tip(), proven()]).toEqual([20, 19]);
  });

  test("a reorg that only moves checkpoints keeps them and stores their new L1 blocks", async () => {
    await l1.takeBack(10);
    await l1.replayToCheckpoint(20);
    const removed: unknown[] = [];
    node.synchronizer.on("blocksRemoved", (event) => removed.push(event));
    await node.sync();
    expect(removed).toEqual([]);
    await expectLikeFreshSync();
    expect(tip()).toBe(20);
  });

  test("a reorg that removes only proofs moves the proven tip back", async () => {
    for (const checkpoint of [20, 18, 20]) {
      if (checkpoint < proven()) await l1.reorganise(1);
      await l1.prove(checkpoint);
      await l1.mine({});
      await node.sync();
      expect([tip(), proven()]).toEqual([20, checkpoint]);
    }
    await expectLikeFreshSync();
  });

  test("checkpoints that L1 would prune for missing proofs are removed until the proofs are back", async () => {
    for (const checkpoint of [17, 20]) {
      if (checkpoint < proven()) await l1.reorganise(1);
      await l1.prove(checkpoint);
      await l1.mine({});
      await expectLikeFreshSync();
      expect([tip(), proven()]).toEqual([checkpoint, checkpoint]);
    }
  });

  test("a reorg to a shorter L1 is recognised once L1 has outgrown its former height", async () => {
    await l1.replayToCheckpoint(22);
    await node.sync();
    await l1.takeBack(4, { shorter: true });
    expect((await l1.tips()).pending).toBe(20);
    await node.sync();
    expect(tip()).toBe(22);
    for (let i = 0; i < 5; i++) await l1.mine({});
    await expectLikeFreshSync();
    expect(tip()).toBe(20);
    await l1.replayToCheckpoint(22);
    await expectLikeFreshSync();
    expect(tip()).toBe(22);
  });

  test("a reorg that removes a prune brings the pruned checkpoints back", async () => {
    await l1.replayToCheckpoint(23, { prove: false });
    await node.sync();
    expect([tip(), proven()]).toEqual([23, 21]);
    const { epochDuration, slotDuration, proofSubmissionEpochs } = node.reader.identity.constants;
    const tooLate = (proofSubmissionEpochs + 2) * epochDuration * slotDuration;
    await l1.mine({ timestamp: (await l1.latestTimestamp()) + tooLate });
    await node.sync();
    expect([tip(), proven()]).toEqual([21, 21]);
    await l1.reorganise(1);
    await expectLikeFreshSync();
    expect([tip(), proven()]).toEqual([23, 21]);
  });
});

test("a reorg below the finalized block stops the node with an error until L1 is back", async () => {
  const moment = await l1.mark();
  await l1.replayToCheckpoint(54);
  await node.sync();
  const { chain } = node.services;
  const { number } = chain.tips().finalized.block;
  expect(number).toBeGreaterThan(25);
  const height = await l1.height();
  await l1.returnTo(moment);
  const again = await l1.mark();
  await l1.request("anvil_mine", `0x${(height - (await l1.height()) + 1).toString(16)}`);
  for (let i = 0; i < 3; i++) await expect(node.synchronizer.syncOnce()).rejects.toThrow(ReorgBelowFinalizedError);
  expect([tip(), node.services.world.status().tip]).toEqual([54, 54]);
  await l1.returnTo(again);
  await l1.replayToCheckpoint(55);
  await expectLikeFreshSync();
  expect(tip()).toBe(55);
});

describe("clients during a reorg", () => {
  const zero = `0x${"0".repeat(64)}`;
  /** A nullifier that no transaction has. */
  const absent = `0x${"12".repeat(32)}`;
  let server: NodeProcess;
  const start = () => {
    const blobStore = pathToFileURL(join(folder, "blobs")).href;
    return NodeProcess.start({ anvil: { url: l1.url }, chain: { blobStore } } as unknown as RecordedL1);
  };
  const answer = async (of: NodeProcess, method: string, ...params: unknown[]) => {
    const { result, error } = (await of.ask(method, params)).body;
    return error ?? result;
  };
  const blockNumber = async () => Number(await answer(server, "getBlockNumber"));
  const untilBlock = (number: number) => expect.poll(blockNumber, { timeout: 120_000, interval: 50 }).toBe(number);
  /** Answers about every tip and every block number. */
  const everything = async (of: NodeProcess) => {
    const top = Number(await answer(of, "getBlockNumber"));
    const numbers = Array.from({ length: top }, (_, i) => i + 1);
    return Promise.all([
      answer(of, "getL2Tips"),
      answer(of, "getWorldStateSyncStatus"),
      ...numbers.flatMap((number) => [
        answer(of, "getBlock", number),
        answer(of, "getLowNullifierMembershipWitness", number, `0x${"2b".repeat(32)}`),
        answer(of, "getPublicDataWitness", number, zero),
      ]),
      ...numbers.map((number) => answer(of, "getCheckpoints", number, 1)),
    ]);
  };

  beforeAll(async () => {
    server = await start();
    await server.ready();
  });
  afterAll(() => server?.remove());

  test("removed blocks are not found and refused as reference block until they are back", async () => {
    const top = await blockNumber();
    const last = (await answer(server, "getL2Tips")) as { proposed: { hash: string } };
    const { hash } = last.proposed;
    const archive = (await answer(server, "getBlock", top)) as { archive: { root: string } };
    const byArchive = () => answer(server, "getBlockByArchive", archive.archive.root);
    expect(await answer(server, "getBlockByHash", hash)).toBeDefined();
    const witness = await answer(server, "getLowNullifierMembershipWitness", hash, absent);
    expect(witness).toHaveProperty("leafPreimage");

    const depth = (await l1.height()) - (await l1.heightOfCheckpoint(top)) + 1;
    await l1.takeBack(depth);
    await untilBlock(top - 1);
    for (const [method, ...params] of [
      ["getBlock", top],
      ["getBlockByHash", hash],
      ["getBlockHeader", hash],
    ] as const)
      expect(await answer(server, method, ...params), method).toBeNull();
    expect(await byArchive()).toBeNull();
    for (const [method, ...params] of [
      ["getLowNullifierMembershipWitness", hash, absent],
      ["getPublicDataWitness", hash, zero],
      ["getPublicStorageAt", hash, zero, zero],
      ["findLeavesIndexes", hash, 0, [zero]],
    ] as const)
      expect(await answer(server, method, ...params), method).toMatchObject({
        message:
          `Block hash ${hash} not found when querying world state. If the node API has been queried with anchor ` +
          "block hash possibly a reorg has occurred.",
      });
    expect(await answer(server, "getPublicDataWitness", top, zero)).toMatchObject({
      message: `Queried block ${top} not yet synced by the node (node is synced upto ${top - 1}).`,
    });

    await l1.replayToCheckpoint(top);
    await untilBlock(top);
    expect(await answer(server, "getLowNullifierMembershipWitness", hash, absent)).toEqual(witness);
    expect(await byArchive()).toEqual(archive);
  });

  test("after a reorg, a running node gives the same answers as a fresh one", async () => {
    await l1.takeBack(6);
    await untilBlock((await l1.tips()).pending);
    const fresh = await start();
    try {
      await fresh.ready();
      await expect.poll(async () => answer(fresh, "getBlockNumber"), { timeout: 120_000 }).toBe(await blockNumber());
      const answers = await everything(server);
      expect(answers).toEqual(await everything(fresh));
      // No answer is an error or missing, on either side.
      for (const given of answers) expect(given).not.toEqual(expect.objectContaining({ code: expect.anything() }));
      expect(answers).not.toContain(undefined);
    } finally {
      await fresh.remove();
    }
  });
});
