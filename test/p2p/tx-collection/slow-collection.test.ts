import { expect, test } from "vitest";
import { BY_HASH_LIMITS, requestByHash } from "../../../src/p2p/tx-collection/by-hash-requests.ts";
import { RequestPace } from "../../../src/p2p/tx-collection/request-pace.ts";
import { SlowCollection, type SlowCollectionParts } from "../../../src/p2p/tx-collection/slow-collection.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import {
  ARCHIVE_ROOT,
  collectingPool,
  hashesOf,
  MemoryPeers,
  OPTIONS,
  peerHandlers,
  txsOfBlock,
  until,
} from "../support/collecting.ts";

function setUp(count: number, changes: Partial<SlowCollectionParts> = {}) {
  const txs = txsOfBlock(count);
  const own = collectingPool(txs);
  const peers = new MemoryPeers();
  const asking = {
    client: peers,
    peers: peers.peers,
    penalties: peers.penalties,
    collected: own.collected,
    pace: new RequestPace(),
    transactions: V4.transactions,
    logger: silentLogger,
  };
  const asked: number[] = [];
  const slow = new SlowCollection(
    {
      nodes: [],
      collected: own.collected,
      fromPeers: (request, limits, signal) => {
        asked.push(limits.peers);
        return requestByHash(asking, limits, request, signal);
      },
      fileStores: undefined,
      isKnown: (hash) => own.pool.status(hash) !== undefined,
      isFastBusy: () => false,
      now: Date.now,
      logger: silentLogger,
      ...changes,
    },
    OPTIONS,
  );
  const block = (number: number, own = txs) => ({
    number,
    hashes: hashesOf(own),
    archive: ARCHIVE_ROOT,
    deadline: Date.now() + 60_000,
  });
  return { txs, ...own, peers, slow, asked, block };
}

test("the txs of mined blocks are collected from peers in the background and added as mined", async () => {
  const { txs, world, pool, peers, slow, asked, block } = setUp(30);
  world.append(txs, 50n, new Map());
  peers.add("a", peerHandlers(txs)).add("b", peerHandlers(txs));
  slow.add(block(1));
  expect(slow.missing).toBe(30);
  slow.start();
  await until(() => slow.missing === 0, "everything is found");
  expect(txs.map(({ hash }) => pool.status(hash))).toEqual(txs.map(() => "mined"));
  expect([asked[0], BY_HASH_LIMITS.rounds]).toEqual([10, 3]);
  await slow.stop();
});

test("the txs of mined blocks are asked of a node once before peers are asked", async () => {
  const order: string[] = [];
  const txs = txsOfBlock(4);
  const node = {
    name: "node",
    txsByHash: async (hashes: readonly Uint8Array[]) => {
      order.push(`node ${hashes.length}`);
      return txs.slice(0, 2);
    },
  };
  const { world, peers, slow, block } = setUp(4, { nodes: [node] });
  world.append(txs, 50n, new Map());
  peers.add("a", peerHandlers(txs));
  peers.respond = () => {
    order.push("peer");
    return undefined;
  };
  slow.add(block(1));
  slow.start();
  await until(() => slow.missing === 0, "everything is found");
  expect(order[0]).toBe("node 4");
  expect(order.filter((asked) => asked === "peer").length).toBe(2);
  await slow.stop();
});

test("the txs of mined blocks wait while txs of a proposal are collected", async () => {
  let isBusy = true;
  const { txs, world, peers, slow, block } = setUp(2, { isFastBusy: () => isBusy });
  world.append(txs, 50n, new Map());
  peers.add("a", peerHandlers(txs));
  slow.add(block(1));
  slow.start();
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(peers.asked).toEqual([]);
  isBusy = false;
  await until(() => slow.missing === 0, "everything is found");
  await slow.stop();
});

test("the txs of mined blocks are no longer looked for once proven, pruned, too late, or known to the pool", async () => {
  const { txs, world, pool, slow, block } = setUp(6);
  for (let number = 1; number <= 6; number++) slow.add(block(number, [txs[number - 1]]));
  slow.add({ ...block(7, txsOfBlock(1, "late")), deadline: Date.now() });
  expect(slow.missing).toBe(6);
  slow.drop((number) => number <= 2);
  slow.drop((number) => number > 5);
  expect(slow.missing).toBe(3);
  slow.found(txs[2].hash);
  expect(slow.missing).toBe(2);
  world.append([txs[3]], 50n, new Map());
  pool.addProtected([txs[3]], 1);
  slow.start();
  await until(() => slow.missing === 1, "the pool's tx is noticed");
  slow.add({ ...block(5, [txs[4]]), deadline: Date.now() + 50 });
  await until(() => slow.missing === 0, "the deadline");
  await slow.stop();
});

test("the txs of mined blocks are bounded in number", () => {
  const { slow } = setUp(0);
  const many = (first: number) =>
    Array.from({ length: 30_000 }, (_, i) => {
      const hash = new Uint8Array(32);
      new DataView(hash.buffer).setUint32(0, first + i);
      return hash;
    });
  const block = (number: number, hashes: Uint8Array[]) => ({
    number,
    hashes,
    archive: ARCHIVE_ROOT,
    deadline: Date.now() + 60_000,
  });
  slow.add(block(1, many(0)));
  slow.add(block(2, many(30_000)));
  expect(slow.missing).toBe(30_000);
});
