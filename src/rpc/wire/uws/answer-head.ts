import { STATUS_CODES } from "node:http";
import type { Header } from "../../jsonrpc/answer.ts";
import { UWS_IDLE_MS } from "./idle-time.ts";

/** What no part of a header may hold: anything that ends a line, or that a parser might take for its end. */
const FORBIDDEN = /[\r\n\0]/;

/** A header as text cannot be sent: it holds a line break. */
class HeaderValueError extends RangeError {
  readonly header: string;
  constructor(header: string) {
    super(`header ${JSON.stringify(header)} holds a line break`);
    this.name = "HeaderValueError";
    this.header = header;
  }
}

const KEEP_ALIVE = `Keep-Alive: timeout=${UWS_IDLE_MS / 1_000}`;

/** Status line and headers by list of headers and status; the status is negative where the connection ends. */
const heads = new WeakMap<readonly Header[], Map<number, Uint8Array>>();

/**
 * What follows "HTTP/1.1 " in the head of an answer, without the last line break: it goes out by one call in place of
 * the status. `kept`: the connection stays open for a further request. Made once for each list and status; the list
 * must not change. Throws a HeaderValueError.
 */
export function headBytes(status: number, headers: readonly Header[], kept: boolean): Uint8Array {
  const key = kept ? status : -status;
  let byStatus = heads.get(headers);
  if (byStatus === undefined) {
    byStatus = new Map();
    heads.set(headers, byStatus);
  }
  const known = byStatus.get(key);
  if (known !== undefined) return known;
  for (const [name, value] of headers) {
    if (FORBIDDEN.test(name) || FORBIDDEN.test(value)) throw new HeaderValueError(name);
  }
  const lines = [`${status} ${STATUS_CODES[status] ?? ""}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  if (kept) lines.push(KEEP_ALIVE);
  const bytes = Buffer.from(lines.join("\r\n"), "latin1");
  byStatus.set(key, bytes);
  return bytes;
}
