import { randomBytes } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { type RequestProtocol, RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { blockHandler } from "../../../src/p2p/reqresp/handlers/block.ts";
import { blockTxsHandler } from "../../../src/p2p/reqresp/handlers/block-txs.ts";
import { pingHandler } from "../../../src/p2p/reqresp/handlers/ping.ts";
import { txHandler } from "../../../src/p2p/reqresp/handlers/tx.ts";
import { NOT_FOUND, success } from "../../../src/p2p/reqresp/request-handler.ts";
import { connect, openStream, read, stopPeers, type TestPeer, testPeer } from "./hosts.ts";

afterEach(stopPeers);

const PING = new TextEncoder().encode("ping");

function eventually(holds: () => void): Promise<void> {
  return vi.waitFor(holds, 60_000);
}

async function answers(asker: TestPeer, server: TestPeer): Promise<void> {
  expect((await asker.client.request(server.id, "ping", PING)).status).toBe(RequestStatus.SUCCESS);
}

test("a stream that closes without a request gets no answer and costs nothing", async () => {
  const server = await testPeer({ ping: pingHandler });
  const asker = await testPeer();
  await connect(asker, server);
  const stream = await openStream(asker, server, "ping");
  const received = read(stream);
  await stream.close();
  expect(await received).toEqual(new Uint8Array(0));
  await eventually(() => expect(server.responder.openStreams).toBe(0));
  expect(server.penalties).toEqual([]);
  await answers(asker, server);
});

test("a stream in which nothing happens is reset at the deadline", async () => {
  const server = await testPeer({ ping: pingHandler }, { exchangeMs: 3000 });
  const asker = await testPeer();
  await connect(asker, server);
  const stream = await openStream(asker, server, "ping");
  await eventually(() => expect(server.responder.openStreams).toBe(1));
  await eventually(() => expect(server.responder.openStreams).toBe(0));
  await eventually(() => expect(stream.status).toBe("reset"));
});

test("the first frame is the whole request, however slowly others follow", async () => {
  const server = await testPeer({ block: blockHandler({ block: () => undefined }) }, { exchangeMs: 2000 });
  const asker = await testPeer();
  await connect(asker, server);
  const stream = await openStream(asker, server, "block");
  const received = read(stream);
  stream.send(Uint8Array.of(0));
  expect(await received).toEqual(Uint8Array.of(RequestStatus.BADLY_FORMED_REQUEST));
  expect(server.penalties).toMatchObject([{ peer: asker.id, tolerance: "low" }]);
  for (let i = 0; i < 40 && stream.status === "open"; i++) {
    stream.send(new Uint8Array(4096));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await eventually(() => expect(server.responder.openStreams).toBe(0));
  await eventually(() => expect(stream.status).toBe("reset"));
});

test("a request that is too large is malformed, and a flood of bytes resets the stream", async () => {
  const server = await testPeer({ ping: pingHandler });
  const asker = await testPeer();
  await connect(asker, server);
  const large = await openStream(asker, server, "ping");
  const received = read(large);
  large.send(new Uint8Array(70_000));
  await large.close();
  expect(await received).toEqual(Uint8Array.of(RequestStatus.BADLY_FORMED_REQUEST));
  expect(server.penalties).toMatchObject([{ peer: asker.id, tolerance: "low" }]);
  const flood = await openStream(asker, server, "ping");
  flood.send(new Uint8Array(1_000_000));
  await eventually(() => expect(flood.status).toBe("reset"));
  await eventually(() => expect(server.responder.openStreams).toBe(0));
  await answers(asker, server);
});

test("a peer cannot hold more than 32 streams, over all protocols, and others are still answered", async () => {
  const quiet = { ping: pingHandler, status: pingHandler, block: pingHandler };
  const server = await testPeer(quiet, { exchangeMs: 60_000 });
  const [attacker, honest] = [await testPeer(), await testPeer()];
  await connect(attacker, server);
  await connect(honest, server);
  const opened = ["ping", "status", "block"].flatMap((name) =>
    Array.from({ length: 20 }, () => openStream(attacker, server, name as RequestProtocol)),
  );
  await Promise.allSettled(opened);
  expect(server.responder.openStreams).toBe(32);
  await answers(honest, server);
});

test("an answer that is not read is dropped at the deadline, and what it held is free again", async () => {
  const noise = randomBytes(3_000_000);
  const server = await testPeer({ block: () => success(noise) }, { exchangeMs: 2000 });
  const asker = await testPeer();
  await connect(asker, server);
  const stream = await openStream(asker, server, "block");
  stream.pause();
  stream.send(new Uint8Array(32));
  await eventually(() => expect(server.responder.bytesHeld).toBe(noise.length));
  await eventually(() => expect(server.responder.openStreams).toBe(0));
  await eventually(() => expect(server.responder.bytesHeld).toBe(0));
  stream.abort(new Error("done"));
});

test("a peer that is answered 16 MB in a second is told to wait, without a penalty", async () => {
  const body = new Uint8Array(3_000_000);
  let now = 0;
  const server = await testPeer({ block: () => success(body) }, { now: () => (now += 1000) });
  const [asker, other] = [await testPeer(), await testPeer()];
  await connect(asker, server);
  await connect(other, server);
  const asked = Array.from({ length: 6 }, () => asker.client.request(server.id, "block", new Uint8Array(32)));
  const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
  const { SUCCESS, RATE_LIMIT_EXCEEDED } = RequestStatus;
  expect(statuses).toEqual([SUCCESS, SUCCESS, SUCCESS, SUCCESS, SUCCESS, RATE_LIMIT_EXCEEDED]);
  expect((await other.client.request(server.id, "block", new Uint8Array(32))).status).toBe(SUCCESS);
  expect(server.penalties).toEqual([]);
});

test("a peer above its rate gets status 1 and a penalty, and the others do not notice", async () => {
  let now = 0;
  const server = await testPeer({ ping: pingHandler }, { now: () => now });
  const [greedy, honest] = [await testPeer(), await testPeer()];
  await connect(greedy, server);
  await connect(honest, server);
  const asked = Array.from({ length: 12 }, () => greedy.client.request(server.id, "ping", PING));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([...Array(5).fill(0), ...Array(7).fill(RequestStatus.RATE_LIMIT_EXCEEDED)]);
  expect(server.penalties).toEqual(
    Array(7).fill({ peer: greedy.id, tolerance: "high", reason: "too many ping requests" }),
  );
  await answers(honest, server);
  now += 1000;
  await answers(greedy, server);
});

test("a peer that goes on asking after it is banned is disconnected, and the others are not", async () => {
  const server = await testPeer({ ping: pingHandler }, { now: () => 0 });
  const [greedy, honest] = [await testPeer(), await testPeer()];
  await connect(greedy, server);
  await connect(honest, server);
  for (let i = 0; i < 100 && server.host.getConnections(greedy.host.peerId).length > 0; i++) {
    await greedy.client.request(server.id, "ping", PING);
  }
  expect(server.penalties).toHaveLength(51);
  expect(server.host.getPeers().map(String)).toEqual([honest.id]);
  await answers(honest, server);
});

test("requests beyond the overall rate get status 1 without a penalty", async () => {
  const server = await testPeer({ block: () => NOT_FOUND }, { now: () => 0 });
  const askers = [await testPeer(), await testPeer(), await testPeer()];
  const statuses: number[] = [];
  for (const asker of askers) {
    await connect(asker, server);
    for (let i = 0; i < 2; i++) {
      statuses.push((await asker.client.request(server.id, "block", new Uint8Array(32))).status);
    }
  }
  expect(statuses).toEqual([...Array(5).fill(RequestStatus.NOT_FOUND), RequestStatus.RATE_LIMIT_EXCEEDED]);
  expect(server.penalties).toEqual([]);
});

test("a handler that fails is answered as an internal error, without a penalty or details", async () => {
  const failing = (): never => {
    throw new Error("the store is gone");
  };
  const server = await testPeer({ ping: failing, status: async () => failing() });
  const asker = await testPeer();
  await connect(asker, server);
  for (const name of ["ping", "status"] as const) {
    const answer = await asker.client.request(server.id, name, PING);
    expect(answer).toEqual({ status: RequestStatus.INTERNAL_ERROR, body: new Uint8Array(0) });
  }
  expect(server.penalties).toEqual([]);
});

test("malformed requests get status 2 and the harshest penalty", async () => {
  const none = { txBytes: () => undefined, hasTx: () => false };
  const server = await testPeer({
    block: blockHandler({ block: () => undefined }),
    block_txs: blockTxsHandler(none, { txHashesOf: () => undefined }),
  });
  const asker = await testPeer();
  await connect(asker, server);
  const cases: [RequestProtocol, Uint8Array][] = [
    ["block", new Uint8Array(31)],
    ["block", new Uint8Array(32).fill(255)],
    ["block_txs", new Uint8Array(39)],
    ["block_txs", Buffer.concat([new Uint8Array(36), Buffer.from("00010001", "hex")])],
  ];
  for (const [name, request] of cases) {
    const { status } = await asker.client.request(server.id, name, request, { maxBytes: 1024 });
    expect([name, status]).toEqual([name, RequestStatus.BADLY_FORMED_REQUEST]);
  }
  expect(server.penalties.map(({ tolerance }) => tolerance)).toEqual(Array(4).fill("low"));
});

test("random requests to all protocols are answered or refused, and the node goes on", async () => {
  let now = 0;
  const txs = { txBytes: () => undefined, hasTx: () => false };
  const server = await testPeer(
    {
      ping: pingHandler,
      tx: txHandler(txs),
      block: blockHandler({ block: () => undefined }),
      block_txs: blockTxsHandler(txs, { txHashesOf: () => [new Uint8Array(32)] }),
    },
    { now: () => now },
  );
  const asker = await testPeer();
  await connect(asker, server);
  const names = ["ping", "tx", "block", "block_txs"] as const;
  for (let i = 0; i < 200; i++) {
    now += 1000;
    server.penalties.length = 0;
    const request = randomBytes(1 + ((i * 37) % 400));
    const { status } = await asker.client.request(server.id, names[i % 4], request, { maxBytes: 1024 });
    expect([RequestStatus.SUCCESS, RequestStatus.BADLY_FORMED_REQUEST]).toContain(status);
  }
  expect(server.responder.openStreams).toBe(0);
});
