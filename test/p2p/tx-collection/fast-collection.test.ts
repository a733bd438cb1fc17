import { describe, expect, test, vi } from "vitest";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import type { TxFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { BY_RANK } from "../../../src/mempool/pool/pre-add-rules.ts";
import { TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import type { NodeTxSource } from "../../../src/p2p/tx-collection/node-source.ts";
import { TxCollection } from "../../../src/p2p/tx-collection/tx-collection.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import {
  ARCHIVE_ROOT,
  bytesOf,
  collectingPool,
  hashesOf,
  MemoryPeers,
  OPTIONS,
  peerHandlers,
  txsOfBlock,
  until,
} from "../support/collecting.ts";

/** Another node that has some txs; counts what it is asked. */
function nodeWith(txs: readonly TxFacts[], delayMs = 1) {
  const asked: string[][] = [];
  const node = {
    name: "http://node",
    asked,
    async txsByHash(hashes: readonly Uint8Array[]): Promise<HashedTx[]> {
      asked.push(hashes.map(toHex));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return txs.filter(({ hash }) => hashes.some((wanted) => toHex(wanted) === toHex(hash)));
    },
  };
  return node as typeof node & NodeTxSource;
}

function setUp(
  count: number,
  { nodes = [], options = {} }: { nodes?: NodeTxSource[]; options?: Partial<typeof OPTIONS> } = {},
) {
  const txs = txsOfBlock(count);
  const own = collectingPool(txs);
  const peers = new MemoryPeers();
  const missed = vi.fn();
  const collection = new TxCollection(
    {
      pool: own.pool,
      validator: own.validator,
      client: peers,
      peers: peers.peers,
      penalties: peers.penalties,
      transactions: V4.transactions,
      nodes,
      fileStores: [],
      now: Date.now,
      missed,
      logger: silentLogger,
    },
    { ...OPTIONS, ...options },
  );
  const wanted = {
    hashes: hashesOf(txs),
    archive: ARCHIVE_ROOT,
    slot: 5,
    peer: undefined,
    embedded: [],
    deadline: Date.now() + 120_000,
  };
  return { txs, ...own, peers, missed, collection, wanted };
}

const texts = (txs: readonly { hash: Uint8Array }[]): string[] => txs.map(({ hash }) => toHex(hash));

describe("the provider of a proposal's txs", () => {
  test("the provider of a proposal's txs takes them from the pool, from the proposal and from peers, in the order of the block", async () => {
    const { txs, pool, peers, missed, collection, wanted } = setUp(9);
    pool.add(txs.slice(0, 3), BY_RANK);
    peers.add("peer", peerHandlers(txs.slice(6)));
    const found = await collection.provider.get({ ...wanted, embedded: txs.slice(3, 6) });
    expect(found.missing).toEqual([]);
    expect(missed).toHaveBeenCalledOnce();
    expect(texts(found.txs)).toEqual(texts(txs));
    expect(found.txs.map(({ tx }) => Buffer.from(tx.data).equals(txs[0].tx.data)).filter(Boolean).length).toBe(1);
    expect(txs.map(({ hash }) => pool.status(hash))).toEqual(txs.map(() => "protected"));
    await collection.stop();
  });

  test("the provider of a proposal's txs needs no network for what the pool has, and protects it", async () => {
    const { txs, pool, peers, missed, collection, wanted } = setUp(3);
    pool.add(txs, BY_RANK);
    peers.add("peer", peerHandlers(txs));
    expect((await collection.provider.get(wanted)).txs.length).toBe(3);
    expect(missed).not.toHaveBeenCalled();
    expect([peers.asked.length, pool.pendingCount]).toEqual([0, 0]);
    await collection.stop();
  });

  test("the provider of a proposal's txs says at the deadline what is missing, with txs of the last moment not among it", async () => {
    const { txs, pool, collection, wanted } = setUp(3);
    const search = collection.provider.get({ ...wanted, deadline: Date.now() + 300 });
    pool.add([txs[1]], BY_RANK);
    const { txs: found, missing } = await search;
    expect([texts(found), missing.map(toHex)]).toEqual([texts([txs[1]]), texts([txs[0], txs[2]])]);
    await collection.stop();
  });

  test("the provider of a proposal's txs leaves out an invalid tx of the proposal and finds the right one elsewhere", async () => {
    const { txs, invalid, peers, collection, wanted } = setUp(2);
    invalid.add(toHex(txs[0].hash));
    peers.add("peer", peerHandlers(txs));
    setTimeout(() => invalid.clear(), 100);
    const { missing } = await collection.provider.get({ ...wanted, embedded: [txs[0]] });
    expect(missing).toEqual([]);
    await collection.stop();
  });

  test("the provider of a proposal's txs names a tx as often as the block does", async () => {
    const { txs, pool, collection, wanted } = setUp(1);
    pool.add(txs, BY_RANK);
    const [one] = texts(txs);
    const twice = { ...wanted, hashes: [txs[0].hash, txs[0].hash] };
    expect(texts((await collection.provider.get(twice)).txs)).toEqual([one, one]);
    await collection.stop();
  });
});

describe("a search for a proposal's txs", () => {
  test("a search for a proposal's txs asks nodes at once and peers a little later, if anything is missing then", async () => {
    const full = nodeWith(txsOfBlock(4));
    const first = setUp(4, { nodes: [full], options: { txCollectionFastNodesTimeoutBeforeReqRespMs: 60_000 } });
    first.peers.add("peer", peerHandlers(first.txs));
    expect((await first.collection.provider.get(first.wanted)).missing).toEqual([]);
    expect(first.peers.asked).toEqual([]);
    await first.collection.stop();

    const part = nodeWith(txsOfBlock(2));
    const second = setUp(4, { nodes: [part] });
    second.peers.add("peer", peerHandlers(second.txs));
    const began = performance.now();
    expect((await second.collection.provider.get(second.wanted)).missing).toEqual([]);
    expect(performance.now() - began).toBeGreaterThan(95);
    expect(second.peers.asked.length).toBeGreaterThan(0);
    await second.collection.stop();
  });

  test("a search for a proposal's txs asks a node with four batches of at most 50 at a time, and no hash twice at once", async () => {
    const node = nodeWith(txsOfBlock(230), 30);
    const { collection, wanted } = setUp(230, { nodes: [node] });
    expect((await collection.provider.get(wanted)).missing).toEqual([]);
    const [a, b, c, d] = node.asked;
    expect([a.length, b.length, c.length, d.length]).toEqual([50, 50, 50, 50]);
    expect(new Set([...a, ...b, ...c, ...d]).size).toBe(200);
    await collection.stop();
  });

  test("a search for a proposal's txs asks peers by hash when it is set to", async () => {
    const { txs, peers, collection, wanted } = setUp(5, { options: { txCollectionMissingTxsCollectorType: "old" } });
    peers.add("a", peerHandlers(txs)).add("b", peerHandlers(txs));
    expect((await collection.provider.get(wanted)).missing).toEqual([]);
    expect([...new Set(peers.asked.map(({ protocol }) => protocol))]).toEqual(["tx"]);
    await collection.stop();
  });

  test("a search for a proposal's txs stops when it is aborted", async () => {
    const { collection, wanted } = setUp(1);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 30);
    const { missing } = await collection.provider.get({ ...wanted, signal: abort.signal });
    expect(missing.length).toBe(1);
    await collection.stop();
  });
});

describe("a prover's search for txs of a mined block", () => {
  const search = (gathering: Partial<typeof OPTIONS>, node: NodeTxSource, count: number) => {
    const options = { txCollectionFastNodesTimeoutBeforeReqRespMs: 60_000, ...gathering };
    const { collection, wanted } = setUp(count, { nodes: [node], options });
    const stop = new AbortController();
    const found = collection.mined.get({ number: 1, hashes: wanted.hashes, archive: wanted.archive }, stop.signal);
    return { collection, found, stop };
  };

  test("a prover's search for txs asks a node with as many batches at a time, and as large ones, as configured", async () => {
    const node = nodeWith(txsOfBlock(12), 30);
    const options = { txGatheringBatchSize: 3, txGatheringMaxParallelRequestsPerNode: 2 };
    const { collection, found } = search(options, node, 12);
    await until(() => node.asked.length === 2, "two requests");
    expect((await found).missing).toEqual([]);
    expect(node.asked.map((hashes) => hashes.length)).toEqual([3, 3, 3, 3]);
    await collection.stop();
  });

  test("a prover's search for txs asks a node again after the configured interval", async () => {
    const [often, once] = [nodeWith([]), nodeWith([])];
    const first = search({ txGatheringIntervalMs: 5, txCollectionFastNodeIntervalMs: 2 ** 30 }, often, 1);
    const second = search({ txGatheringIntervalMs: 2 ** 30, txCollectionFastNodeIntervalMs: 5 }, once, 1);
    await until(() => often.asked.length >= 20, "twenty requests");
    expect(once.asked.length).toBe(1);
    for (const { collection, found, stop } of [first, second]) {
      stop.abort();
      expect((await found).missing.length).toBe(1);
      await collection.stop();
    }
  });
});

describe("a stopped collection of txs", () => {
  test("a stopped collection of txs has stored the txs that were in checks, and takes no others", async () => {
    const { txs, pool, collection, wanted, checked } = setUp(2);
    const soon = { ...wanted, deadline: Date.now() + 500 };
    const found = collection.provider.get({ ...soon, embedded: txs.slice(0, 1) });
    await until(() => checked.length === 1, "a check");
    await collection.stop();
    expect(txs.map(({ hash }) => pool.status(hash))).toEqual(["protected", undefined]);
    await found;
    await collection.provider.get({ ...soon, embedded: txs });
    expect(checked.length).toBe(1);
  });
});

describe("the binary form of a collected tx", () => {
  test("the binary form of a collected tx goes into the pool as the peer sent it", async () => {
    const { txs, pool, peers, collection, wanted } = setUp(3);
    const stored: { hash: Uint8Array; encoded?: Uint8Array }[] = [];
    vi.spyOn(pool, "addProtected").mockImplementation(function (this: typeof pool, facts, slot) {
      stored.push(...facts);
      return TxPool.prototype.addProtected.call(pool, facts, slot);
    } as typeof pool.addProtected);
    peers.add("peer", peerHandlers(txs));
    expect((await collection.provider.get(wanted)).missing).toEqual([]);
    expect(stored.map(({ hash, encoded }) => [toHex(hash), encoded && toHex(encoded)])).toEqual(
      stored.map(({ hash }) => [toHex(hash), toHex(bytesOf(txs.find((tx) => toHex(tx.hash) === toHex(hash))!))]),
    );
    expect(stored.length).toBe(3);
    await collection.stop();
  });
});
