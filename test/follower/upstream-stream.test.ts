import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { UpstreamStream } from "../../src/follower/follow/upstream-stream.ts";
import { frameValues } from "../../src/follower/format/frames.ts";
import { encodeFrame } from "../../src/follower/format/payload.ts";

const TAKEN = 200;
/** What one read of a socket gives at most. */
const READ_BYTES = 64 * 1024;

it("a follower stops reading from an upstream while frames wait, however small they are", async () => {
  const ping = encodeFrame(frameValues({ kind: "ping" }));
  const flood = Buffer.alloc(ping.length * 2_000_000, ping);
  const server = createServer((request, response) => {
    request.resume();
    response.write(flood);
  });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  const asked = { messages: [], checkpoints: [], proposed: [], processed: 0 };
  const stream = await UpstreamStream.open(`http://127.0.0.1:${port}`, asked, signal);
  try {
    for (let i = 0; i < TAKEN; i++) {
      await stream.next(signal);
      await setImmediate();
    }
    expect(stream.received).toBeLessThanOrEqual(TAKEN * ping.length + 2 * READ_BYTES);
  } finally {
    stream.close();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
});
