import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Response } from "./response.ts";

interface HttpRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body?: Uint8Array | string;
  /** Ends the exchange, its body included. */
  signal: AbortSignal;
}

/** Sends a request and resolves to the response, whose body is not read. Redirects are not followed. */
export type Send = (request: HttpRequest) => Promise<Response>;

/** Milliseconds for which an idle connection is kept; less where the server says so. */
const IDLE_MS = 4_000;
/** Milliseconds to connect, also when nobody waits for it any more. */
export const CONNECT_MS = 10_000;
const DEFAULT_HEADERS = { accept: "*/*", "user-agent": "svc" };

/** Codes of connections that the server closed. */
const CLOSED = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

let sending: Promise<Send> | undefined;

/** undici is loaded with the first request: most threads send none. */
export function sender(): Promise<Send> {
  sending ??= loadSender();
  return sending;
}

async function loadSender(): Promise<Send> {
  const [{ default: Agent }, { default: buildConnector }] = await Promise.all([
    import("undici/lib/dispatcher/agent.js"),
    import("undici/lib/core/connect.js"),
  ]);
  const connect = buildConnector({ timeout: CONNECT_MS });
  /** Errors of connections that the server closed after it had answered another request. */
  const stale = new WeakSet<object>();
  const agent = new Agent({
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // Patience bounds these waits.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, connected) {
      connect(options, (...[error, socket]) => {
        if (error !== null) return connected(error, null);
        socket.on("error", (failure: NodeJS.ErrnoException) => {
          if (CLOSED.includes(failure.code ?? "") && socket.bytesRead > 0) stale.add(failure);
        });
        connected(null, socket);
      });
    },
  });
  const sendOnce = ({ url, method, body, signal, ...call }: HttpRequest): Promise<Response> => {
    const response = new Response();
    signal.throwIfAborted();
    signal.addEventListener("abort", () => response.abort(signal.reason), { once: true });
    const headers = { ...DEFAULT_HEADERS, ...call.headers };
    agent.dispatch({ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body }, response);
    return response.head;
  };
  return async (request) => {
    try {
      return await sendOnce(request);
    } catch (error) {
      // The server closed an idle connection at the moment at which it was used again.
      if (stale.has(Object(error))) return sendOnce(request);
      throw error;
    }
  };
}

/** The body of a response, decompressed. */
export function bodyOf(response: Response, method: string): AsyncIterable<Uint8Array> {
  const { status, headers } = response;
  if (method === "HEAD" || status === 204 || status === 304) return response;
  const decoder = decoderOf(headers["content-encoding"]?.toString().toLowerCase());
  return decoder === undefined ? response : pipeline(Readable.from(response), decoder, () => undefined);
}

function decoderOf(encoding: string | undefined) {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
