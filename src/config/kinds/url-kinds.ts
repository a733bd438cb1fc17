import { redactUrl } from "../../http/redact.ts";
import type { Kind } from "./kinds.ts";
import { secretPartsOfUrl } from "./secret.ts";

/** A URL with one of the schemes, kept as written except for trailing slashes. */
export function url(...schemes: string[]): Kind<string> {
  return {
    name: "url",
    placeholder: "url",
    rule: `must be a URL of the form ${schemes.map((scheme) => `${scheme}://...`).join(" or ")}`,
    parse(given) {
      const trimmed = given.trim();
      const parsed = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
      if (parsed === undefined || !schemes.includes(parsed.protocol.slice(0, -1))) return undefined;
      if (parsed.protocol === "file:" && parsed.host !== "") return undefined;
      return trimmed.replace(/\/+$/, "");
    },
    show: redactUrl,
    secrets: secretPartsOfUrl,
  };
}

/** An http, https or file URL, or a path. URLs are shown redacted. */
export const location: Kind<string> = {
  name: "location",
  placeholder: "location",
  rule: "must be an http, https or file URL, or a path",
  parse(given) {
    const trimmed = given.trim();
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? url("http", "https", "file").parse(trimmed) : trimmed;
  },
  show: (value) => (URL.canParse(value) ? redactUrl(value) : value),
  secrets: secretPartsOfUrl,
};

export const httpUrl = url("http", "https");
/** File stores (docs/protocol/09-configuration.md#915-file-stores). */
export const readableStore = url("file", "http", "https", "s3", "gs");
export const writableStore = url("file", "s3", "gs");
