/** A media range of an Accept header that takes JSON by name (RFC 9110 section 12.5.1). */
const JSON_RANGE = /^\s*application\/json\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i;

/** Whether GET /status is asked for JSON. Only where JSON is named: clients of the plain answer take anything. */
export function wantsJson(query: string, accept: string): boolean {
  if (query !== "" && new URLSearchParams(query).get("format") === "json") return true;
  return accept !== "" && accept.split(",").some((range) => JSON_RANGE.test(range));
}
