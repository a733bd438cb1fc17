import { setTimeout as sleep } from "node:timers/promises";

export interface HttpCall {
  method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  url: URL;
  headers?: Record<string, string>;
  body?: Uint8Array | string;
  signal?: AbortSignal;
}

export interface HttpReply {
  status: number;
  headers: Headers;
  /** To be read once; breaking off ends the exchange. Throws an HttpExchangeError. */
  body: AsyncIterable<Uint8Array>;
}

export interface WholeReply {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** An HTTP exchange broke off. The message never repeats the URL. */
export class HttpExchangeError extends Error {
  override readonly name = "HttpExchangeError";
  readonly kind: "unreachable" | "timeout" | "too-large" | "aborted";

  constructor(kind: HttpExchangeError["kind"], rule: string, options?: ErrorOptions) {
    super(rule, options);
    this.kind = kind;
  }
}

/** Slowest upload that is waited for, on top of the time a silent server has. Bytes in a millisecond. */
const SLOWEST_UPLOAD = 64;

function codeOf(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
  }
  return error instanceof Error ? error.name : "unknown";
}

/** Moves user and password of a URL, which fetch refuses, into a basic Authorization header. */
function withoutCredentials(given: URL): { url: URL; headers: Record<string, string> } {
  if (!given.username && !given.password) return { url: given, headers: {} };
  const pair = `${decodeURIComponent(given.username)}:${decodeURIComponent(given.password)}`;
  const url = new URL(given);
  url.username = "";
  url.password = "";
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

/**
 * One exchange, whose answer is read piece by piece. Ends with an HttpExchangeError when the server says nothing for `silenceMs`,
 * before the answer or within it; how long the whole takes does not matter. Bodies come as they are stored, not decoded.
 */
export async function openExchange(call: HttpCall, silenceMs: number): Promise<HttpReply> {
  const stop = new AbortController();
  const patience = silenceMs + (call.body?.length ?? 0) / SLOWEST_UPLOAD;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), ms);
  };
  const translated = (error: unknown): unknown => {
    if (call.signal?.aborted) return new HttpExchangeError("aborted", "stopped by the caller", { cause: error });
    if (stop.signal.aborted) {
      return new HttpExchangeError("timeout", `the server was silent for ${silenceMs} ms`, { cause: error });
    }
    return new HttpExchangeError("unreachable", `cannot be reached (${codeOf(error)})`, { cause: error });
  };
  const { url, headers } = withoutCredentials(call.url);
  wait(patience);
  let response: Response;
  try {
    response = await fetch(url, {
      method: call.method,
      headers: { "accept-encoding": "identity", ...headers, ...call.headers },
      body: call.body as RequestInit["body"],
      signal: call.signal ? AbortSignal.any([stop.signal, call.signal]) : stop.signal,
    });
  } catch (error) {
    clearTimeout(timer);
    throw translated(error);
  }
  async function* body(): AsyncGenerator<Uint8Array> {
    const pieces = response.body?.getReader();
    try {
      for (;;) {
        wait(silenceMs);
        const next = await pieces?.read();
        clearTimeout(timer);
        if (next === undefined || next.done) return;
        yield next.value;
      }
    } catch (error) {
      throw translated(error);
    } finally {
      clearTimeout(timer);
      await pieces?.cancel().catch(() => undefined);
    }
  }
  // An answer that nobody reads is given up after the same time.
  wait(silenceMs);
  timer?.unref();
  return { status: response.status, headers: response.headers, body: body() };
}

/** One exchange, read to the end. Any status is an answer. Throws an HttpExchangeError. */
export async function wholeExchange(call: HttpCall, silenceMs: number, maxBytes: number): Promise<WholeReply> {
  const { status, headers, body } = await openExchange(call, silenceMs);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes) throw new HttpExchangeError("too-large", `the answer is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  return { status, headers, body: Buffer.concat(parts, size) };
}

/** Statuses that say nothing about the thing asked for, only about the moment. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Whether asking again may help. */
export const isPassingError = (error: unknown): error is HttpExchangeError =>
  error instanceof HttpExchangeError && (error.kind === "unreachable" || error.kind === "timeout");

/** Repeats `attempt` after each of `delaysMs` while it ends in a passing status or error; the last outcome is the outcome. */
export async function withRetries<T extends { status: number }>(
  attempt: () => Promise<T>,
  delaysMs: readonly number[],
  signal?: AbortSignal,
): Promise<T> {
  for (const delay of delaysMs) {
    try {
      const reply = await attempt();
      if (!isPassing(reply.status)) return reply;
    } catch (error) {
      if (!isPassingError(error) || signal?.aborted) throw error;
    }
    await sleep(delay, undefined, { signal }).catch(() => undefined);
  }
  return attempt();
}
