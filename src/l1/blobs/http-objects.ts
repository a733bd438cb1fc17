import { redactUrl } from "../redact.ts";
import { BlobSourceError } from "./errors.ts";
import { exchangeWithRetries, HTTP_RETRY_DELAYS_MS } from "./http-retry.ts";
import type { ObjectReader } from "./object-reader.ts";

export interface HttpObjectsOptions {
  retryDelaysMs?: readonly number[];
  timeoutMs?: number;
  /** Headers of a request, made for each: signatures carry the time. */
  headers?(url: URL): Record<string, string>;
  /** Shown instead of the URL. */
  name?: string;
}

/** A packed blob is below 300 KB; nothing that is much longer is wanted. */
const MAX_OBJECT_BYTES = 2 * 1024 * 1024;

/** Objects below an http(s) URL. An object is absent when the server says 404, or 403 as buckets do that may not be listed. */
export class HttpObjects implements ObjectReader {
  readonly name: string;
  readonly #base: URL;
  readonly #options: HttpObjectsOptions;

  constructor(base: URL, options: HttpObjectsOptions = {}) {
    this.#base = base;
    this.#options = options;
    this.name = options.name ?? redactUrl(base);
  }

  async get(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/${key}`;
    const { retryDelaysMs = HTTP_RETRY_DELAYS_MS, timeoutMs = 20_000, headers } = this.#options;
    const { status, body } = await exchangeWithRetries(
      url.href,
      { headers: headers?.(url), timeoutMs, maxBytes: MAX_OBJECT_BYTES, signal },
      { source: this.name, retryDelaysMs },
    );
    if (status === 404 || status === 403) return undefined;
    if (status < 200 || status >= 300) throw new BlobSourceError(this.name, `HTTP status ${status}`);
    return body;
  }
}
