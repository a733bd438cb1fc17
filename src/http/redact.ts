export const REDACTED = "[Redacted]";

/**
 * What may be shown of a URL. Providers put keys into user info, path and query, however short, so of a network URL only scheme and host
 * remain; file, s3 and gs locations keep their path. Text that is no URL is not repeated at all.
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

/** Text from a server without the parts of its URL that redactUrl leaves out: servers repeat paths and keys in their errors. */
export function withoutUrl(text: string, given: string | URL): string {
  const url = URL.parse(String(given));
  if (url === null) return text;
  const path = url.pathname === "/" ? "" : url.pathname.replace(/\/+$/, "");
  const values = [...url.searchParams.values()];
  const parts = [url.href, `${path}${url.search}`, path, ...path.split("/"), url.search, ...values];
  return [...parts, url.username, url.password]
    .filter((part) => part.length >= SHORTEST_PART)
    .sort((a, b) => b.length - a.length)
    .reduce((clean, part) => clean.replaceAll(part, REDACTED), text);
}

/** A part of one or two characters would take words of the text apart and gives nothing away. */
const SHORTEST_PART = 3;
