import { expect, test } from "vitest";
import { RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { BitVector } from "../../../src/p2p/reqresp/codecs/bit-vector.ts";
import { decodeBlockTxsRequest, encodeBlockTxsResponse } from "../../../src/p2p/reqresp/codecs/block-txs-message.ts";
import { requestBatches } from "../../../src/p2p/tx-collection/batch-tx-requester.ts";
import { RequestPace } from "../../../src/p2p/tx-collection/request-pace.ts";
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
  requestFor,
  txsOfBlock,
  until,
} from "../support/collecting.ts";

const NOTHING = new Uint8Array();

function setUp(count: number) {
  const txs = txsOfBlock(count);
  const own = collectingPool(txs);
  const peers = new MemoryPeers();
  const parts = {
    client: peers,
    ...peers,
    peers: peers.peers,
    penalties: peers.penalties,
    collected: own.collected,
    pace: new RequestPace(),
    transactions: V4.transactions,
    logger: silentLogger,
  };
  const stop = new AbortController();
  const run = (request = requestFor(txs), options = OPTIONS) => requestBatches(parts, options, request, stop.signal);
  return { txs, ...own, peers, run, stop };
}

test("a search for a block's txs among peers gathers them from peers that each have a part, in batches of eight", async () => {
  const { txs, peers, run, pool } = setUp(40);
  for (let i = 0; i < 5; i++) peers.add(`peer ${i}`, peerHandlers(txs.filter((_, n) => n % 5 === i)));
  await run();
  expect(txs.map(({ hash }) => pool.status(hash))).toEqual(txs.map(() => "protected"));
  const requests = peers.asked.map(({ bytes }) => decodeBlockTxsRequest(bytes));
  expect(requests.every(({ hashes, wanted }) => hashes.length <= 8 && wanted.count() === hashes.length)).toBe(true);
  expect(requests[0].hashes.map(toHex)).toEqual(hashesOf(txs).slice(0, 8).map(toHex));
  expect(peers.maxOfOne).toBe(1);
  expect(peers.penalized).toEqual([]);
});

test("a search for a block's txs among peers asks peers that know the block for what they have, by indices alone", async () => {
  const { txs, peers, run } = setUp(64);
  const block = hashesOf(txs);
  peers.add("half", peerHandlers(txs.slice(0, 32), { block }));
  peers.add("rest", peerHandlers(txs.slice(32), { block }));
  await run();
  const byIndex = peers.asked
    .map(({ bytes }) => decodeBlockTxsRequest(bytes))
    .filter(({ hashes }) => hashes.length === 0);
  expect(byIndex.length).toBeGreaterThan(3);
  const ofHalf = peers
    .of("half")
    .map(({ bytes }) => decodeBlockTxsRequest(bytes))
    .slice(1);
  expect(ofHalf.every(({ hashes }) => hashes.length === 0)).toBe(true);
  // The first answer said which txs it has.
  expect(ofHalf[0].wanted.indices().every((index) => index < 32)).toBe(true);
  // 64 txs in batches of 8 need 8 answers; little is asked twice.
  expect(peers.asked.length).toBeLessThan(16);
});

test("a search for a block's txs among peers asks the sender of the proposal by indices from the start, one request at a time", async () => {
  const { txs, peers, run, stop } = setUp(20);
  peers.add("sender", peerHandlers(txs, { block: hashesOf(txs) }));
  await run(requestFor(txs, { peer: "sender" }));
  const requests = peers.of("sender").map(({ bytes }) => decodeBlockTxsRequest(bytes));
  expect(requests.map(({ hashes, wanted }) => [hashes.length, wanted.count()])).toEqual([
    [0, 8],
    [0, 8],
    [0, 4],
  ]);
  stop.abort();
});

test("a search for a block's txs among peers asks the sender of the proposal by hash if it does not know the block", async () => {
  const { txs, peers, run } = setUp(3);
  peers.add("sender", peerHandlers(txs));
  await run(requestFor(txs, { peer: "sender" }));
  const requests = peers.of("sender").map(({ bytes }) => decodeBlockTxsRequest(bytes));
  expect(requests.map(({ hashes }) => hashes.length)).toEqual([0, 3]);
});

test("a search for a block's txs among peers asks at most ten unknown peers at once", async () => {
  const { txs, peers, run } = setUp(200);
  peers.delayMs = 20;
  const handlers = peerHandlers(txs);
  for (let i = 0; i < 30; i++) peers.add(`peer ${i}`, handlers);
  await run();
  expect(peers.maxAtOnce).toBe(10);
  expect(peers.maxOfOne).toBe(1);
});

test("a search for a block's txs among peers asks peers that connect later", async () => {
  const { txs, peers, run } = setUp(3);
  const search = run();
  setTimeout(() => peers.add("late", peerHandlers(txs)), 50);
  await search;
  expect(peers.asked.map(({ peer }) => peer)).toEqual(["late"]);
});

test("a search for a block's txs among peers leaves a peer alone after three answers in a row with invalid txs, and uses the valid ones of each", async () => {
  const { txs, peers, run, invalid, pool, stop } = setUp(16);
  for (const { hash } of txs.slice(0, 4)) invalid.add(toHex(hash));
  peers.add("liar", peerHandlers(txs, { block: hashesOf(txs) }));
  const search = run();
  // The second answer has valid ones only, so counting begins again.
  await until(() => peers.penalized.length >= 4, "four penalties");
  await new Promise((resolve) => setTimeout(resolve, 1200));
  stop.abort();
  await search;
  expect(peers.penalized.map(({ tolerance }) => tolerance)).toEqual(["low", "low", "low", "low"]);
  expect(txs.filter(({ hash }) => pool.status(hash) === "protected").length).toBe(12);
  expect(peers.of("liar").length).toBe(5);
});

test("a search for a block's txs among peers penalizes answers without a valid status or content, and leaves failures to the client", async () => {
  const { txs, peers, run, stop } = setUp(8);
  peers.add("garbled", {}).add("broken", {}).add("unknown", {}).add("empty", {});
  peers.respond = ({ peer }) => {
    if (peer === "unknown") return { status: RequestStatus.UNKNOWN, body: NOTHING };
    if (peer === "garbled") return { status: RequestStatus.SUCCESS, body: Uint8Array.of(1, 2, 3) };
    if (peer === "empty") return { status: RequestStatus.NOT_FOUND, body: NOTHING };
    return { status: RequestStatus.FAILURE, body: NOTHING };
  };
  const search = run(requestFor(txs));
  await until(() => ["garbled", "broken", "unknown", "empty"].every((peer) => peers.of(peer).length > 1), "two rounds");
  stop.abort();
  await search;
  const given = new Set(peers.penalized.map(({ peer, tolerance }) => `${peer} ${tolerance}`));
  expect([...given].toSorted()).toEqual(["garbled high", "unknown high"]);
});

test("a search for a block's txs among peers waits a second before it asks a peer again that is at its limit, and ever longer where nothing is found", async () => {
  const { txs, peers, run } = setUp(4);
  let answers = 0;
  peers.add("busy", peerHandlers(txs)).add("empty", peerHandlers([]));
  peers.respond = ({ peer }) =>
    peer === "busy" && answers++ === 0 ? { status: RequestStatus.RATE_LIMIT_EXCEEDED, body: NOTHING } : undefined;
  await run();
  const [first, second] = peers.of("busy");
  expect(second.at - first.at).toBeGreaterThan(990);
  const empty = peers.of("empty").map(({ at }) => at);
  const rests = empty.slice(1).map((at, i) => at - empty[i]);
  expect(rests.map((ms, i) => ms >= ([249, 499][i] ?? 999))).toEqual(rests.map(() => true));
});

test("a search for a block's txs among peers ignores txs that were not asked for, repeated ones, and bits of another block", async () => {
  const { txs, peers, run, checked } = setUp(4);
  const others = txsOfBlock(3, "other");
  peers.add("noisy", {}).add("good", peerHandlers(txs));
  peers.respond = ({ peer }) => {
    if (peer !== "noisy") return undefined;
    const bodies = [...others, txs[0], txs[0]].map(bytesOf);
    const available = BitVector.of(9000, [1]);
    return {
      status: RequestStatus.SUCCESS,
      body: encodeBlockTxsResponse({ archive: ARCHIVE_ROOT, txs: bodies, available }),
    };
  };
  await run();
  expect(checked.filter((hash) => others.some((other) => toHex(other.hash) === hash))).toEqual([]);
  expect(peers.penalized).toEqual([]);
});

test("a search for a block's txs among peers ends at once when it is aborted or another source found everything", async () => {
  const { txs, peers, run, pool } = setUp(4);
  peers.add("slow", peerHandlers(txs));
  // The peer does not answer while the test runs.
  peers.delayMs = 3_600_000;
  const request = requestFor(txs);
  pool.onAdded((hashes) => {
    for (const hash of hashes) request.missing.found(hash);
  });
  const search = run(request);
  pool.addProtected(txs, 5);
  await search;
  expect(peers.penalized).toEqual([]);
});
