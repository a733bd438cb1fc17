import { randomBytes } from "node:crypto";
import { compressSync } from "snappy";
import { afterEach, expect, test } from "vitest";
import { RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { MAX_REQUEST_BYTES } from "../../../src/p2p/reqresp/protocols.ts";
import { NOT_FOUND, success } from "../../../src/p2p/reqresp/request-handler.ts";
import { connect, stopPeers, testPeer } from "./hosts.ts";
import { type Frame, slowYamux, tappedYamux } from "./tapped-yamux.ts";

afterEach(stopPeers);

const REQUEST = new TextEncoder().encode("request");

/** Frames with data of each request stream, without those that negotiate its protocol. */
function exchanged(frames: readonly Frame[]): Uint8Array[][] {
  const streams = new Map<number, Uint8Array[]>();
  for (const { stream, data } of frames) {
    if (data.length > 0) streams.set(stream, [...(streams.get(stream) ?? []), data]);
  }
  const text = (data: Uint8Array): string => Buffer.from(data).toString("latin1");
  return [...streams.values()]
    .filter((data) => data.some((each) => /\/aztec\/req\/\w+\/1\.0\.0\n$/.test(text(each))))
    .map((data) => data.filter((each) => !/^.\/(multistream|aztec)\/.*\n$/s.test(text(each))));
}

test("the status byte of an answer is a muxer frame of its own", async () => {
  const frames: Frame[] = [];
  const body = new TextEncoder().encode("pong");
  const server = await testPeer({
    ping: () => success(body),
    status: () => NOT_FOUND,
    block: () => success(new Uint8Array(0)),
  });
  const asker = await testPeer({}, { muxer: tappedYamux((frame) => frames.push(frame)) });
  await connect(asker, server);
  frames.length = 0;
  await asker.client.request(server.id, "ping", REQUEST);
  await asker.client.request(server.id, "status", REQUEST);
  await asker.client.request(server.id, "block", REQUEST);
  expect(exchanged(frames)).toEqual([
    [Uint8Array.of(0), new Uint8Array(compressSync(body))],
    [Uint8Array.of(RequestStatus.NOT_FOUND)],
    [Uint8Array.of(0)],
  ]);
});

test("the status byte is a frame of its own also when the connection is busy with other answers", async () => {
  const frames: Frame[] = [];
  const body = new TextEncoder().encode("pong");
  const server = await testPeer({ tx: () => success(body) }, { muxer: slowYamux() });
  const asker = await testPeer({}, { muxer: tappedYamux((frame) => frames.push(frame)) });
  await connect(asker, server);
  frames.length = 0;
  const asked = Array.from({ length: 8 }, () => asker.client.request(server.id, "tx", REQUEST));
  for (const { status } of await Promise.all(asked)) expect(status).toBe(RequestStatus.SUCCESS);
  const answer = [Uint8Array.of(0), new Uint8Array(compressSync(body))];
  expect(exchanged(frames)).toEqual(Array(8).fill(answer));
});

test("a large answer goes out in frames of at most 65,524 bytes", async () => {
  const frames: Frame[] = [];
  const noise = randomBytes(1_200_000);
  const server = await testPeer({ tx: () => success(noise) });
  const asker = await testPeer({}, { muxer: tappedYamux((frame) => frames.push(frame)) });
  await connect(asker, server);
  frames.length = 0;
  const answer = await asker.client.request(server.id, "tx", REQUEST, { maxBytes: noise.length });
  expect(Buffer.compare(answer.body, noise)).toBe(0);
  const [[status, ...rest]] = exchanged(frames);
  expect(status).toEqual(Uint8Array.of(0));
  expect(Math.max(...rest.map(({ length }) => length))).toBe(65_524);
});

test("a request is one frame, and one that does not fit or is empty is not sent", async () => {
  const frames: Frame[] = [];
  const server = await testPeer({ tx: () => NOT_FOUND }, { muxer: tappedYamux((frame) => frames.push(frame)) });
  const asker = await testPeer();
  await connect(asker, server);
  frames.length = 0;
  const largest = new Uint8Array(MAX_REQUEST_BYTES).fill(1);
  expect((await asker.client.request(server.id, "tx", largest)).status).toBe(RequestStatus.NOT_FOUND);
  expect(exchanged(frames).map((data) => data.map(({ length }) => length))).toEqual([[MAX_REQUEST_BYTES]]);
  for (const request of [new Uint8Array(0), new Uint8Array(MAX_REQUEST_BYTES + 1)]) {
    expect((await asker.client.request(server.id, "tx", request)).status).toBe(RequestStatus.FAILURE);
  }
  expect(exchanged(frames)).toHaveLength(1);
  expect(asker.penalties).toEqual([]);
});
