import { HttpError } from "./errors.ts";

/** Target of a call. */
export interface Target {
  url: URL;
  headers: Record<string, string>;
}

const MAX_REDIRECTS = 5;
/** Headers that may be sent to another host after a redirect, since they cannot contain a key. */
const HARMLESS = new Set(["accept", "accept-encoding", "range", "if-range", "if-none-match"]);

/**
 * The redirect target of a response; undefined if it is not a redirect. Follows only reads, only to http(s) URLs, and
 * never from https to http. Headers that may contain a key are not sent to another host. Throws an HttpError.
 */
export function redirected(
  { status, location }: { status: number; location: string | null },
  { method, url, headers }: Target & { method: string },
  before: number,
): Target | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined;
  if (method !== "GET" && method !== "HEAD") return undefined;
  const next = URL.parse(location, url.href);
  if (next === null || !/^https?:$/.test(next.protocol)) {
    throw new HttpError("redirect", "the server redirects to something that is not an http(s) URL");
  }
  if (url.protocol === "https:" && next.protocol === "http:") {
    throw new HttpError("redirect", "the server redirects from https to http");
  }
  if (before >= MAX_REDIRECTS) throw new HttpError("redirect", `the server redirects more than ${before} times`);
  next.username = "";
  next.password = "";
  if (next.origin === url.origin) return { url: next, headers };
  const kept = Object.entries(headers).filter(([name]) => HARMLESS.has(name.toLowerCase()));
  return { url: next, headers: Object.fromEntries(kept) };
}
