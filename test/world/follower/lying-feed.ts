import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UpstreamStream } from "../../../src/follower/follow/upstream-stream.ts";
import { type Frame, frameValues } from "../../../src/follower/format/frames.ts";
import { encodeFrame } from "../../../src/follower/format/payload.ts";
import { decodeRequest } from "../../../src/follower/format/request.ts";

export interface LyingFeed {
  url: string;
  /** Connections so far. */
  asked: number;
  close(): Promise<void>;
}

/** Frames to send in place of one; bytes are sent as they are, `rest` takes over the answer for good. */
export type Lie = (frame: Frame, rest: (send: (response: ServerResponse) => void) => void) => (Frame | Uint8Array)[];

/** A feed in front of an honest one that changes what it says. */
export async function lyingFeed(honest: string, lie: Lie): Promise<LyingFeed> {
  const closing = new AbortController();
  const feed = { url: "", asked: 0, close: async () => {} };
  const server = createServer(async (request, response) => {
    feed.asked++;
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    response.writeHead(200);
    let taken = false;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, closing.signal]);
    try {
      const stream = await UpstreamStream.open(honest, decodeRequest(Buffer.concat(body)), signal);
      signal.addEventListener("abort", () => stream.close());
      while (!taken) {
        const frame = await stream.next(signal);
        const frames = lie(frame, (send) => {
          taken = true;
          send(response);
        });
        for (const one of frames) response.write(one instanceof Uint8Array ? one : encodeFrame(frameValues(one)));
      }
      stream.close();
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  feed.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  feed.close = () =>
    new Promise((resolve) => {
      closing.abort();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return feed;
}
