import { JsonError, parseJson } from "../../json/parse-json.ts";
import { BlobSourceError } from "./errors.ts";
import { exchangeWithRetries } from "./http-retry.ts";

interface JsonApiOptions {
  source: string;
  headers?: Record<string, string>;
  retryDelaysMs: readonly number[];
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Limit for the blobs of one slot: a few dozen, each with 256 KiB of hex. */
const MAX_JSON_BYTES = 32 * 1024 * 1024;

/**
 * GET of a JSON document; 404 gives undefined. Throws a BlobSourceError for other error statuses and for invalid JSON.
 */
export async function getJson(url: string, options: JsonApiOptions): Promise<unknown> {
  const { source, retryDelaysMs, timeoutMs, signal } = options;
  const headers = { accept: "application/json", "accept-encoding": "gzip, deflate, br", ...options.headers };
  const { status, body } = await exchangeWithRetries(
    { url, headers, signal },
    { source, retryDelaysMs, timeoutMs, maxBytes: MAX_JSON_BYTES },
  );
  if (status === 404) return undefined;
  if (status < 200 || status >= 300) throw new BlobSourceError(source, `HTTP status ${status}`);
  try {
    return parseJson(body);
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause;
    throw new BlobSourceError(source, `the answer ${cause.message}`, { cause });
  }
}

/** The value at a path of object keys and array indices; undefined if the document has none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}
