import { inspect } from "node:util";

export const REDACTED = "[Redacted]";

/** A value that is shown as [Redacted] wherever it is printed, inspected or serialized. */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/**
 * What may be shown of a URL. Providers put keys into user info, path and query, so of a network URL only scheme and host remain;
 * file, s3 and gs locations keep their path.
 */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return REDACTED;
  const url = new URL(text);
  if (url.protocol === "file:") return text;
  const query = url.search === "" ? "" : `?${REDACTED}`;
  if (url.protocol === "s3:" || url.protocol === "gs:") return `${url.protocol}//${url.host}${url.pathname}${query}`;
  const bare = (url.pathname === "/" || url.pathname === "") && query === "" && url.username === "";
  return bare ? `${url.protocol}//${url.host}` : `${url.protocol}//${url.host}/${REDACTED}`;
}

/** The parts of a URL that shownUrl leaves out and that are long enough to be looked for in other text. */
export function secretPartsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  if (url.protocol === "file:") return [];
  const path = url.protocol === "s3:" || url.protocol === "gs:" ? "" : url.pathname.replace(/^\/+|\/+$/g, "");
  return [url.username, url.password, path, url.search.slice(1)].filter((part) => part.length >= 8);
}
