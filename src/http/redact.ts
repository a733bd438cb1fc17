export const REDACTED = "[Redacted]";

/**
 * Redacts a URL for display. Providers put keys into user info, path and query, so only scheme and host of a network
 * URL remain. file, s3 and gs URLs keep their path. Text that is not a URL is replaced completely.
 */
export function redactUrl(given: string | URL): string {
  const url = URL.parse(String(given));
  if (url === null) return REDACTED;
  if (url.protocol === "file:") return String(given);
  const query = url.search === "" ? "" : `?${REDACTED}`;
  if (url.protocol === "s3:" || url.protocol === "gs:") return `${url.protocol}//${url.host}${url.pathname}${query}`;
  const bare = (url.pathname === "/" || url.pathname === "") && query === "" && url.username === "";
  return bare ? `${url.protocol}//${url.host}` : `${url.protocol}//${url.host}/${REDACTED}`;
}

/** Removes the secret parts of a server's URL from its text, since servers repeat paths and keys in their errors. */
export function withoutUrl(text: string, given: string | URL): string {
  const url = URL.parse(String(given));
  if (url === null) return text;
  const path = url.pathname === "/" ? "" : url.pathname.replace(/\/+$/, "");
  const values = [...url.searchParams.values()];
  const parts = [url.href, `${path}${url.search}`, path, ...path.split("/"), url.search, ...values];
  return [...parts, url.username, url.password]
    .filter((part) => part.length >= MIN_PART_LENGTH)
    .sort((a, b) => b.length - a.length)
    .reduce((clean, part) => clean.replaceAll(part, REDACTED), text);
}

/** Shorter parts are not removed: they would match inside words and reveal nothing. */
const MIN_PART_LENGTH = 3;
