import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import { AllEndpointsFailed, type Endpoint, hedgedCall } from "../../endpoints/hedged-call.ts";
import { FrameError } from "../format/errors.ts";
import { type Hello, readHello } from "../format/hello.ts";
import type { FeedRequest } from "../format/request.ts";
import { UpstreamError, UpstreamLieError } from "./errors.ts";
import { type StreamLimits, UpstreamStream } from "./upstream-stream.ts";

const NOTHING: FeedRequest = { messages: [], checkpoints: [], proposed: [], processed: 0 };

/** A feed with its health. */
export interface FeedUpstream extends Endpoint {
  readonly url: string;
}

interface OpenFeed {
  readonly upstream: FeedUpstream;
  readonly stream: UpstreamStream;
  readonly hello: Hello;
}

interface FeedOpening {
  request: FeedRequest;
  /** Throws an UpstreamLieError for a chain that is not followed. */
  accept(hello: Hello, upstream: FeedUpstream, name: string): void;
  signal: AbortSignal;
  limits?: StreamLimits;
}

/** The feeds at some URLs, in order of preference. */
export function feedUpstreams(urls: readonly string[], book: EndpointBook): FeedUpstream[] {
  return urls.map((url) => ({
    url,
    health: book.of("feed", url, async (signal) => (await openStream(url, NOTHING, signal)).stream.close()),
  }));
}

/**
 * The feed of the first upstream that says an accepted hello, by the policy of src/endpoints. Rejects with the
 * UpstreamError or UpstreamLieError of the one asked last, or the reason of `signal`.
 */
export async function openFeed(
  upstreams: readonly FeedUpstream[],
  { request, accept, signal, limits }: FeedOpening,
): Promise<OpenFeed> {
  const open = async (upstream: FeedUpstream, ended: AbortSignal): Promise<OpenFeed> => {
    const { stream, hello } = await openStream(upstream.url, request, ended, limits);
    try {
      accept(hello, upstream, stream.upstream);
    } catch (error) {
      stream.close();
      throw error;
    }
    return { upstream, stream, hello };
  };
  const isUpstreamFault = (error: unknown) => error instanceof UpstreamError || error instanceof UpstreamLieError;
  try {
    return await hedgedCall(upstreams, open, {
      ...{ kind: "hello", isOutage: isUpstreamFault, isFinal: (error) => !isUpstreamFault(error), signal },
    });
  } catch (error) {
    if (!(error instanceof AllEndpointsFailed)) throw error;
    throw error.failures[error.failures.length - 1].error;
  }
}

/** Asks the upstreams what chain they serve. Rejects with an UpstreamError, or the reason of `signal`. */
export async function askHello(upstreams: readonly FeedUpstream[], signal: AbortSignal): Promise<Hello> {
  const { stream, hello } = await openFeed(upstreams, { request: NOTHING, accept: () => {}, signal });
  stream.close();
  return hello;
}

/** Rejects with an UpstreamError, or the reason of `signal`, which also ends the stream. */
async function openStream(
  url: string,
  request: FeedRequest,
  signal: AbortSignal,
  limits?: StreamLimits,
): Promise<{ stream: UpstreamStream; hello: Hello }> {
  const stream = await UpstreamStream.open(url, request, signal, limits);
  try {
    const first = await stream.next(signal);
    if (first.kind !== "hello") throw new FrameError("first frame", `must be hello, got ${first.kind}`);
    return { stream, hello: readHello(first) };
  } catch (error) {
    stream.close();
    if (!(error instanceof FrameError)) throw error;
    throw new UpstreamError(stream.upstream, "malformed", error.message, { cause: error });
  }
}
