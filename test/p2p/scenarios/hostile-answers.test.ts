import { randomBytes } from "node:crypto";
import type { Stream } from "@libp2p/interface";
import { compressSync } from "snappy";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { PROTOCOLS } from "../../../src/p2p/reqresp/protocols.ts";
import { readRequest, sendFrame } from "../../../src/p2p/reqresp/stream-io.ts";
import { concat } from "../../../src/protocol/bytes.ts";
import { connect, stopPeers, type TestPeer, testPeer } from "./hosts.ts";
import { muteYamux } from "./tapped-yamux.ts";

/** The asker and its connected peer, which does `answer` to each stream of protocol ping. */
let asker: TestPeer;
let liar: TestPeer;
/** Whether the peer's connections are silent. */
let isMute = false;
let answer: (stream: Stream) => Promise<void> | void = () => undefined;

beforeAll(async () => {
  liar = await testPeer({}, { muxer: muteYamux(() => isMute) });
  const onStream = (stream: Stream): void => void Promise.resolve(answer(stream)).catch(() => undefined);
  await liar.host.handle(PROTOCOLS.ping.id, onStream);
  asker = await testPeer();
  await connect(asker, liar);
});
beforeEach(() => {
  asker.penalties.length = 0;
});
afterAll(stopPeers);

const PING = new TextEncoder().encode("ping");
const { SUCCESS, FAILURE, UNKNOWN } = RequestStatus;
const KB = 1024;

/** Answers with these frames and closes. */
function frames(...parts: Uint8Array[]) {
  return async (stream: Stream): Promise<void> => {
    await readRequest(stream, 64 * KB);
    for (const part of parts) await sendFrame(stream, part);
    await stream.close();
  };
}

/** A length of `bytes` as snappy's preamble. */
function preamble(bytes: number): Uint8Array {
  const out: number[] = [];
  for (let rest = bytes; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...out, rest]);
    out.push((rest % 128) + 128);
  }
}

const OK = Uint8Array.of(0);

test.each([
  ["no status", frames()],
  ["a status that does not exist", frames(Uint8Array.of(9), compressSync("pong"))],
  ["the requester's own status", frames(Uint8Array.of(126))],
  ["a body that declares a gigabyte", frames(OK, concat(preamble(2 ** 30), new Uint8Array(900)))],
  ["a body one byte above the limit", frames(OK, compressSync(new Uint8Array(KB + 1)))],
  ["a body with a length that never ends", frames(OK, new Uint8Array(20).fill(255))],
  ["a body that is no snappy", frames(OK, concat(preamble(500), randomBytes(400)))],
  ["a body that is cut off", frames(OK, compressSync(randomBytes(900)).subarray(0, 500))],
])("an answer with %s is of unknown status, without a penalty by itself", async (_, given) => {
  answer = given;
  expect(await asker.client.request(liar.id, "ping", PING)).toEqual({ status: UNKNOWN, body: new Uint8Array(0) });
  expect(asker.penalties).toEqual([]);
  expect(asker.client.openRequests(liar.id)).toBe(0);
});

test("an answer is read as a byte stream, whatever its frames", async () => {
  const body = compressSync("pong");
  const whole = concat(OK, body);
  const cuts = [frames(whole), frames(...Array.from(whole, (byte) => Uint8Array.of(byte))), frames(OK, body)];
  for (answer of cuts) {
    const { status, body: pong } = await asker.client.request(liar.id, "ping", PING);
    expect([status, Buffer.from(pong).toString()]).toEqual([SUCCESS, "pong"]);
  }
});

test.each([
  ["sends more than the limit allows", frames(OK, randomBytes(64 * KB))],
  ["never answers", () => undefined],
  ["answers one byte at a time", drip],
  ["sends its status and never closes", (stream: Stream) => sendFrame(stream, OK)],
  ["resets the stream", (stream: Stream) => stream.abort(new Error("reset"))],
])("a request to a peer that %s fails, and costs the peer", async (_, given) => {
  answer = given;
  const answered = await asker.client.request(liar.id, "ping", PING, { timeoutMs: 300 });
  expect(answered).toEqual({ status: FAILURE, body: new Uint8Array(0) });
  expect(asker.penalties).toMatchObject([{ peer: liar.id, tolerance: "high" }]);
  expect(asker.client.openRequests(liar.id)).toBe(0);
  const [connection] = asker.host.getConnections();
  expect(connection.streams.filter(({ protocol }) => protocol === PROTOCOLS.ping.id)).toEqual([]);
});

async function drip(stream: Stream): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    stream.send(Uint8Array.of(0));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a stream that a peer does not open in time is given up, and costs the peer", async () => {
  isMute = true;
  const { status } = await asker.client.request(liar.id, "ping", PING, { dialTimeoutMs: 100 });
  isMute = false;
  expect(status).toBe(FAILURE);
  expect(asker.penalties).toMatchObject([{ reason: "ping request failed: opening a stream took longer than 100 ms" }]);
  expect(asker.host.getConnections()[0].streams.filter(({ direction }) => direction === "outbound")).toEqual([]);
});

test("a failed goodbye costs nothing", async () => {
  expect((await asker.client.request(liar.id, "goodbye", Uint8Array.of(1))).status).toBe(FAILURE);
  expect(asker.penalties).toEqual([]);
});

test("a request that this node gives up costs the peer nothing", async () => {
  answer = () => undefined;
  const given = new AbortController();
  const cancelled = asker.client.request(liar.id, "ping", PING, { signal: given.signal });
  setTimeout(() => given.abort(), 50);
  expect((await cancelled).status).toBe(FAILURE);
  const disconnected = asker.client.request(liar.id, "ping", PING);
  setTimeout(() => void asker.host.getConnections()[0].close(), 50);
  expect((await disconnected).status).toBe(FAILURE);
  expect((await asker.client.request(liar.id, "ping", PING)).status).toBe(FAILURE);
  expect((await asker.client.request("no peer id", "ping", PING)).status).toBe(FAILURE);
  expect(asker.penalties).toEqual([]);
  await connect(asker, liar);
});

test("an answer that does not come in the client's time is given up, and costs the peer", async () => {
  answer = () => undefined;
  const hasty = await testPeer({}, { timeouts: { dialMs: 2000, requestMs: 50 } });
  await connect(hasty, liar);
  expect((await hasty.client.request(liar.id, "ping", PING)).status).toBe(FAILURE);
  expect(hasty.penalties).toMatchObject([{ reason: "ping request failed: the answer took longer than 50 ms" }]);
});

test("a stopped client fails all requests and blames nobody", async () => {
  answer = () => undefined;
  const stopped = asker.client.request(liar.id, "ping", PING);
  setTimeout(() => asker.client.stop(), 50);
  expect((await stopped).status).toBe(FAILURE);
  expect((await asker.client.request(liar.id, "ping", PING)).status).toBe(FAILURE);
  expect(asker.penalties).toEqual([]);
});
