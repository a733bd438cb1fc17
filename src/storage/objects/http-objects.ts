import { setTimeout as sleep } from "node:timers/promises";
import type { HttpReply } from "../../http/exchange.ts";
import { redactUrl } from "../../http/redact.ts";
import { isTemporaryError } from "../../http/retry.ts";
import { checkedKey, keyError } from "./object-key.ts";
import { DEFAULT_MAX_BYTES, type ObjectBody, type ObjectReader, type ReadOptions } from "./object-store.ts";
import type { ObjectTransport } from "./object-transport.ts";

/** Interruptions after which a download fails, even if each attempt made progress. */
const MAX_RESUMPTIONS = 50;
/** Of them those after which the server sent the object from its start, because it has no ranges. */
const MAX_RESTARTS = 2;

/** URL of an object below a base. Throws an ObjectStoreError for a key that could lead elsewhere. */
export function objectUrl(base: URL, key: string): URL {
  const path = `${base.pathname.replace(/\/+$/, "")}/${checkedKey(key, redactUrl(base))}`;
  const url = new URL(base);
  url.pathname = path;
  if (url.origin !== base.origin || url.pathname !== path) throw keyError(key, redactUrl(base));
  return url;
}

/**
 * Objects below an http(s) URL. 404 means that an object is absent, as does 403, which buckets without list permission
 * return.
 */
export class HttpObjects implements ObjectReader {
  readonly name: string;
  readonly #base: URL;
  readonly #transport: ObjectTransport;

  constructor(base: URL, transport: ObjectTransport) {
    this.#base = base;
    this.#transport = transport;
    this.name = transport.name;
  }

  async get(key: string, { signal, maxBytes = DEFAULT_MAX_BYTES }: ReadOptions = {}): Promise<Uint8Array | undefined> {
    const url = objectUrl(this.#base, key);
    const { status, body } = await this.#transport.whole("read", key, { method: "GET", url, signal }, maxBytes);
    return this.#isThere("read", key, status) ? body : undefined;
  }

  async has(key: string, signal?: AbortSignal): Promise<boolean> {
    const url = objectUrl(this.#base, key);
    const { status } = await this.#transport.whole("look up", key, { method: "HEAD", url, signal });
    return this.#isThere("look up", key, status);
  }

  async open(key: string, signal?: AbortSignal): Promise<ObjectBody | undefined> {
    const first = await this.#request(key, {}, signal);
    if (!this.#isThere("read", key, first.status)) return undefined;
    const size = sizeOf(first);
    return { size, pieces: this.#pieces(key, first, size, signal) };
  }

  #isThere(operation: "read" | "look up", key: string, status: number): boolean {
    if (status === 404 || status === 403) return false;
    if (status < 200 || status >= 300) throw this.#transport.fail(operation, key, `HTTP status ${status}`);
    return true;
  }

  #request(key: string, headers: Record<string, string>, signal?: AbortSignal): Promise<HttpReply> {
    return this.#transport.stream("read", key, { method: "GET", url: objectUrl(this.#base, key), headers, signal });
  }

  /**
   * Resumes a broken download, as long as the server confirms that the object is unchanged. A server without ranges or
   * versions sends it from the start again; what was received before is skipped. Whether the pieces are of one object
   * is then known only as well as its length and version tell: readers check what they get.
   */
  async *#pieces(
    key: string,
    first: HttpReply,
    size: number | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const delays = this.#transport.retryDelaysMs;
    const version = versionOf(first);
    let received = 0;
    let failures = 0;
    let resumptions = 0;
    let restarts = 0;
    let skip = 0;
    for (let reply = first; ; ) {
      try {
        for await (const piece of reply.body) {
          const fresh = piece.subarray(Math.min(skip, piece.length));
          skip -= piece.length - fresh.length;
          if (fresh.length === 0) continue;
          received += fresh.length;
          failures = 0;
          yield fresh;
        }
        if (skip === 0) return;
        throw this.#transport.fail("read", key, `it became shorter than ${received} bytes while it was read`);
      } catch (error) {
        const exhausted = failures >= delays.length || resumptions >= MAX_RESUMPTIONS;
        if (!isTemporaryError(error) || exhausted) {
          const at = size === undefined ? `${received} bytes` : `${received} of ${size} bytes`;
          throw this.#transport.fail("read", key, `${(error as Error).message} after ${at}`, error);
        }
      }
      await sleep(delays[failures], undefined, { signal }).catch(() => undefined);
      failures++;
      resumptions++;
      const resumes = version !== null && !version.startsWith("W/");
      reply = await this.#request(key, resumes ? { range: `bytes=${received}-`, "if-range": version } : {}, signal);
      const range = reply.headers.get("content-range") ?? "";
      skip = 0;
      const isSame = versionOf(reply) === version && size !== undefined && sizeOf(reply) === size;
      if (reply.status === 200 && isSame && restarts < MAX_RESTARTS) {
        restarts++;
        skip = received;
      } else if (reply.status !== 206 || !range.startsWith(`bytes ${received}-`)) {
        await reply.body[Symbol.asyncIterator]().return?.();
        throw this.#transport.fail("read", key, `cannot be resumed at byte ${received} (HTTP status ${reply.status})`);
      }
    }
  }
}

function sizeOf({ headers }: HttpReply): number | undefined {
  const length = headers.get("content-length");
  return length === null ? undefined : Number(length);
}

/** What tells that an object is unchanged; null if the server does not say. */
function versionOf({ headers }: HttpReply): string | null {
  return headers.get("etag") ?? headers.get("last-modified");
}
