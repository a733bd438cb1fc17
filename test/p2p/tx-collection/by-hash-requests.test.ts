import { expect, test } from "vitest";
import { RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { decodeTxRequest, encodeTxs } from "../../../src/p2p/reqresp/codecs/tx-list.ts";
import { BY_HASH_LIMITS, requestByHash } from "../../../src/p2p/tx-collection/by-hash-requests.ts";
import { RequestPace } from "../../../src/p2p/tx-collection/request-pace.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { bytesOf, collectingPool, MemoryPeers, peerHandlers, requestFor, txsOfBlock } from "../support/collecting.ts";

function setUp(count: number) {
  const txs = txsOfBlock(count);
  const own = collectingPool(txs);
  const peers = new MemoryPeers();
  const parts = {
    client: peers,
    peers: peers.peers,
    penalties: peers.penalties,
    collected: own.collected,
    pace: new RequestPace(),
    transactions: V4.transactions,
    logger: silentLogger,
  };
  const run = (request = requestFor(txs), limits = BY_HASH_LIMITS) =>
    requestByHash(parts, limits, request, new AbortController().signal);
  return { txs, ...own, peers, run };
}

test("requests for txs by hash have one hash each and are shared out to the peers, one at a time for each", async () => {
  const { txs, peers, run, pool } = setUp(30);
  const handlers = peerHandlers(txs);
  for (let i = 0; i < 12; i++) peers.add(`peer ${i}`, handlers);
  await run();
  expect(txs.map(({ hash }) => pool.status(hash))).toEqual(txs.map(() => "protected"));
  expect(peers.asked.map(({ bytes }) => decodeTxRequest(bytes).length)).toEqual(Array(30).fill(1));
  expect([peers.maxOfOne, new Set(peers.asked.map(({ peer }) => peer)).size]).toEqual([1, 10]);
});

test("requests for txs by hash go to another peer in the next round, three rounds in all", async () => {
  const { txs, peers, run, pool } = setUp(3);
  peers
    .add("a", peerHandlers([txs[0]]))
    .add("b", peerHandlers([txs[1]]))
    .add("c", peerHandlers([]));
  await run();
  expect(txs.map(({ hash }) => pool.status(hash))).toEqual(["protected", "protected", undefined]);
  expect(peers.asked.length).toBeLessThanOrEqual(9);
  expect(peers.penalized).toEqual([]);
});

test("requests for txs by hash go to the pinned peer for everything, within what it answers in a second", async () => {
  const { txs, peers, run } = setUp(25);
  peers.add("sender", peerHandlers(txs));
  await run(requestFor(txs, { peer: "sender" }));
  expect(peers.of("sender").length).toBe(25);
});

test("requests for txs by hash do not go again to a peer at its limit or that failed", async () => {
  const { peers, run } = setUp(4);
  peers.add("limited", {}).add("gone", {});
  peers.respond = ({ peer }) =>
    peer === "limited" ? { status: RequestStatus.RATE_LIMIT_EXCEEDED, body: new Uint8Array() } : undefined;
  await run();
  expect([peers.of("limited").length, peers.of("gone").length]).toEqual([1, 1]);
});

test("requests for txs by hash cost a peer mid tolerance for a tx that was not asked for, low tolerance for an invalid one", async () => {
  const { txs, peers, run, invalid } = setUp(2);
  for (const { hash } of txs) invalid.add(toHex(hash));
  peers.add("other", {}).add("liar", peerHandlers(txs)).add("garbled", {});
  peers.respond = ({ peer }) => {
    if (peer === "garbled") return { status: RequestStatus.SUCCESS, body: Uint8Array.of(0, 0, 0, 9) };
    if (peer !== "other") return undefined;
    return { status: RequestStatus.SUCCESS, body: encodeTxs(txsOfBlock(1, "foreign").map(bytesOf)) };
  };
  await run();
  const given = peers.penalized.map(({ peer, tolerance }) => `${peer} ${tolerance}`);
  expect(given.toSorted()).toEqual(["garbled mid", "liar low", "other mid"]);
});
