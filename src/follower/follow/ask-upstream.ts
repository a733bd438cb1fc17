import { FrameError } from "../format/errors.ts";
import { type Hello, readHello } from "../format/hello.ts";
import type { FeedRequest } from "../format/request.ts";
import { UpstreamError } from "./errors.ts";
import { UpstreamStream } from "./upstream-stream.ts";

const NOTHING: FeedRequest = { messages: [], checkpoints: [], proposed: [], processed: 0 };

/** Asks an upstream what chain it serves. Rejects with an UpstreamError, or the reason of `signal`. */
export async function askHello(url: string, signal: AbortSignal): Promise<Hello> {
  const stream = await UpstreamStream.open(url, NOTHING, signal);
  try {
    const first = await stream.next(signal);
    if (first.kind !== "hello") throw new FrameError("first frame", `must be hello, got ${first.kind}`);
    return readHello(first);
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    throw new UpstreamError(stream.upstream, "malformed", error.message, { cause: error });
  } finally {
    stream.close();
  }
}
