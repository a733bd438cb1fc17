import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

interface HttpRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: Uint8Array | string;
  /** Ends the exchange, its body included. */
  signal: AbortSignal;
}

/** Milliseconds for which an idle connection is kept; less where the server says so. */
const IDLE_MS = 4_000;
const CONNECTIONS = { keepAlive: true, timeout: IDLE_MS };
const agents = { http: new HttpAgent(CONNECTIONS), https: new HttpsAgent(CONNECTIONS) };
const DEFAULT_HEADERS = { accept: "*/*", "user-agent": "svc" };

/**
 * Sends a request and resolves to the response, whose body is not read. Redirects are not followed. What an exchange
 * costs beside undici and fetch is printed by bench/own-or-library.ts; undici costs less, but a connection that ends
 * while its parser is paused for a slow reader fails an assertion outside of any call, which ends the process.
 */
export async function send(request: HttpRequest): Promise<IncomingMessage> {
  try {
    return await sendOnce(request);
  } catch (error) {
    // The server closed an idle connection at the moment at which it was used again.
    if (!(error instanceof StaleConnection)) throw error;
    return await sendOnce(request).catch((again) => {
      throw again instanceof StaleConnection ? again.cause : again;
    });
  }
}

/** The body of a response, decompressed. */
export function bodyOf(response: IncomingMessage, method: string): Readable {
  const { statusCode = 0, headers } = response;
  if (method === "HEAD" || statusCode === 204 || statusCode === 304) return response;
  const decoder = decoderOf(headers["content-encoding"]?.toLowerCase());
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined);
}

class StaleConnection extends Error {}

function sendOnce({ method, url, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isHttps = url.protocol === "https:";
    const options = { method, headers: { ...DEFAULT_HEADERS, ...headers }, signal };
    const request = isHttps
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http });
    request.once("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
      reject(request.reusedSocket && isClosed ? new StaleConnection("closed", { cause: error }) : error);
    });
    request.end(body);
  });
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
