import { afterEach, expect, test } from "vitest";
import { requestPeers } from "../../../src/p2p/tx-collection/request-peers.ts";
import { TxCollection } from "../../../src/p2p/tx-collection/tx-collection.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { ARCHIVE_ROOT, collectingPool, hashesOf, OPTIONS, peerHandlers, txsOfBlock } from "../support/collecting.ts";
import { connect, stopPeers, type TestPeer, testPeer } from "./hosts.ts";

afterEach(stopPeers);

function collecting(own: TestPeer, count: number, type: "new" | "old" = "new") {
  const txs = txsOfBlock(count);
  const { pool, validator } = collectingPool(txs);
  const collection = new TxCollection(
    {
      pool,
      validator,
      client: own.client,
      peers: requestPeers({
        connected: () => own.host.getPeers().map((peer) => peer.toString()),
        openRequests: (peer) => own.client.openRequests(peer),
      }),
      penalties: { penalize: (peer, tolerance, reason) => void own.penalties.push({ peer, tolerance, reason }) },
      transactions: V4.transactions,
      nodes: [],
      fileStores: [],
      now: Date.now,
      logger: silentLogger,
    },
    { ...OPTIONS, txCollectionMissingTxsCollectorType: type },
  );
  return { txs, pool, collection };
}

test.each(["new", "old"] as const)(
  "the txs of a block come from several peers over libp2p, with the %s collector, within their limits",
  async (type) => {
    const txs = txsOfBlock(24);
    const block = hashesOf(txs);
    const own = await testPeer();
    const peers = await Promise.all([
      testPeer(peerHandlers(txs.slice(0, 10), { block })),
      testPeer(peerHandlers(txs.slice(8), { block })),
      testPeer(peerHandlers(txs.slice(4, 20))),
      testPeer(),
    ]);
    for (const peer of peers) await connect(own, peer);
    const { pool, collection } = collecting(own, 24, type);
    const found = await collection.provider.get({
      hashes: block,
      archive: ARCHIVE_ROOT,
      slot: 9,
      peer: peers[1].id,
      embedded: [],
      deadline: Date.now() + 120_000,
    });
    await collection.stop();
    expect(found.missing.map(toHex)).toEqual([]);
    expect(block.map((hash) => pool.status(hash))).toEqual(block.map(() => "protected"));
    // The last peer offers no protocol; nobody asked too often.
    expect(new Set(own.penalties.map(({ peer }) => peer))).toEqual(new Set([peers[3].id]));
    for (const peer of peers) expect(peer.penalties).toEqual([]);
  },
);

test("a block is gathered although the sender of its proposal never answers", async () => {
  const txs = txsOfBlock(16);
  const block = hashesOf(txs);
  const own = await testPeer();
  const silent = await testPeer({ block_txs: () => new Promise(() => {}) });
  const good = await testPeer(peerHandlers(txs, { block }));
  for (const peer of [silent, good]) await connect(own, peer);
  const { collection, pool } = collecting(own, 16);
  const found = await collection.provider.get({
    hashes: block,
    archive: ARCHIVE_ROOT,
    slot: 9,
    peer: silent.id,
    embedded: [],
    deadline: Date.now() + 120_000,
  });
  await collection.stop();
  expect(found.missing).toEqual([]);
  expect(pool.pendingCount).toBe(0);
  expect(own.penalties).toEqual([]);
});
