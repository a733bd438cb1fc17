import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type StreamLimits, UpstreamStream } from "../../../src/follower/follow/upstream-stream.ts";
import { FRAME_HEAD_BYTES } from "../../../src/follower/format/frame-reader.ts";
import { frameValues } from "../../../src/follower/format/frames.ts";
import { encodeFrame } from "../../../src/follower/format/payload.ts";

const TAKEN = 200;
/** What one read of a socket gives at most. */
const READ_BYTES = 64 * 1024;
const { signal } = new AbortController();

let stream: UpstreamStream;
let close: () => Promise<void>;

async function upstream(answer: (response: ServerResponse) => void, limits?: StreamLimits): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const asked = { messages: [], checkpoints: [], proposed: [], processed: 0 };
  stream = await UpstreamStream.open(`http://127.0.0.1:${port}`, asked, signal, limits);
}

afterEach(async () => {
  stream.close();
  await close();
});

test("a follower stops reading from an upstream while frames wait, however small they are", async () => {
  const ping = encodeFrame(frameValues({ kind: "ping" }));
  const flood = Buffer.alloc(ping.length * 2_000_000, ping);
  await upstream((response) => response.write(flood));
  for (let i = 0; i < TAKEN; i++) {
    await stream.next(signal);
    await setImmediate();
  }
  expect(stream.received).toBeLessThanOrEqual(TAKEN * ping.length + 2 * READ_BYTES);
});

test("a frame may take as long as its bytes do on the slowest link", async () => {
  const frame = encodeFrame(frameValues({ kind: "end", reason: "x".repeat(100) }));
  const limits = { connectMs: 60_000, frameMs: 50, bytesPerSecond: 1 };
  let answer: ServerResponse | undefined;
  await upstream((response) => {
    answer = response;
    response.write(frame.subarray(0, FRAME_HEAD_BYTES));
  }, limits);
  const read = stream.next(signal);
  for (const byte of frame.subarray(FRAME_HEAD_BYTES, FRAME_HEAD_BYTES + 4)) {
    await sleep(limits.frameMs);
    answer?.write(Uint8Array.of(byte));
  }
  answer?.write(frame.subarray(FRAME_HEAD_BYTES + 4));
  expect(await read).toMatchObject({ kind: "end" });
});
