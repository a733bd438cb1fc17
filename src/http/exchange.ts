import type { IncomingMessage } from "node:http";
import { failureCode, HttpError } from "./errors.ts";
import { Patience, type TimeLimits } from "./patience.ts";
import { redirected, type Target } from "./redirect.ts";
import { bodyOf, send } from "./send.ts";

export interface HttpCall {
  method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  url: string | URL;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  signal?: AbortSignal;
}

export interface ReplyHeaders {
  /** Null if there is none. */
  get(name: string): string | null;
}

export interface HttpReply {
  status: number;
  headers: ReplyHeaders;
  /** Can be read only once. Leaving the loop early aborts the exchange. Throws an HttpError. */
  body: AsyncIterable<Uint8Array>;
}

export interface WholeReply {
  status: number;
  headers: ReplyHeaders;
  body: Buffer;
}

/** Moves user and password of a URL into a Basic Authorization header. */
function withoutCredentials(given: string | URL): { url: URL; headers: Record<string, string> } {
  const url = new URL(given);
  if (!url.username && !url.password) return { url, headers: {} };
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = "";
  url.password = "";
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

/**
 * One exchange with a streamed response. Does not throw for error statuses. Bodies are not decompressed, unless the
 * call accepts an encoding. Only the time spent waiting for the server (for the head and for each chunk) counts against
 * `limits`, not the time that the reader needs for a chunk. Throws an HttpError.
 */
export async function openExchange(call: HttpCall, limits: TimeLimits): Promise<HttpReply> {
  const stop = new AbortController();
  const patience = new Patience(limits, call.body?.length ?? 0, (error) => stop.abort(error));
  const stopped = (): void => stop.abort(new HttpError("aborted", "stopped by the caller"));
  call.signal?.addEventListener("abort", stopped, { once: true });
  const end = (): void => {
    call.signal?.removeEventListener("abort", stopped);
    patience.end();
  };
  const translated = (error: unknown): HttpError => {
    if (error instanceof HttpError) return error;
    if (stop.signal.aborted) return stop.signal.reason as HttpError;
    const code = failureCode(error);
    return new HttpError("unreachable", `cannot be reached (${code})`, code);
  };
  let response: IncomingMessage;
  try {
    if (call.signal?.aborted) stopped();
    response = await answerOf(call, patience, stop.signal);
  } catch (error) {
    end();
    throw translated(error);
  }
  async function* body(): AsyncGenerator<Uint8Array> {
    const source = bodyOf(response, call.method ?? "GET");
    const pieces: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await patience.during(() => pieces.next());
        if (next.done) return;
        patience.received(next.value.length);
        yield next.value;
      }
    } catch (error) {
      throw translated(error);
    } finally {
      end();
      source.destroy();
    }
  }
  patience.untilRead();
  return { status: statusOf(response), headers: headersOf(response), body: body() };
}

const statusOf = ({ statusCode = 0 }: IncomingMessage): number => statusCode;

const headersOf = ({ headers }: IncomingMessage): ReplyHeaders => ({
  get: (name) => headers[name.toLowerCase()]?.toString() ?? null,
});

/** The head of the response, after redirects. */
async function answerOf(call: HttpCall, patience: Patience, signal: AbortSignal): Promise<IncomingMessage> {
  const { method = "GET", body } = call;
  const first = withoutCredentials(call.url);
  let target: Target = {
    url: first.url,
    headers: { "accept-encoding": "identity", ...first.headers, ...call.headers },
  };
  for (let redirects = 0; ; redirects++) {
    const { url, headers } = target;
    const response = await patience.during(() => send({ method, url, headers, body, signal }));
    const answer = { status: statusOf(response), location: headersOf(response).get("location") };
    const next = redirected(answer, { method, ...target }, redirects);
    if (next === undefined) return response;
    response.destroy();
    target = next;
  }
}

/** One exchange with the whole response body. Does not throw for error statuses. Throws an HttpError. */
export async function wholeExchange(call: HttpCall, limits: TimeLimits & { maxBytes: number }): Promise<WholeReply> {
  const { status, headers, body } = await openExchange(call, limits);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > limits.maxBytes) {
      throw new HttpError("too-large", `the answer is longer than ${limits.maxBytes} bytes`);
    }
    parts.push(part);
  }
  return { status, headers, body: Buffer.concat(parts, size) };
}
