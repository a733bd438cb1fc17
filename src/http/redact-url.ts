/**
 * An endpoint's URL as it may be printed: no user, password, query or fragment, and path segments long enough to be an API key
 * (20 characters and more, as hosted endpoints have them) replaced. Text that is no URL is not repeated at all.
 */
export function redactUrl(url: string | URL): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return "[not a URL]";
  }
  const path = parsed.pathname
    .split("/")
    .map((segment) => (/^[\w-]{20,}$/.test(segment) ? "[redacted]" : segment))
    .join("/");
  return `${parsed.protocol}//${parsed.host}${path === "/" ? "" : path}`;
}
