import { inspect } from "node:util";
import { REDACTED } from "../../http/redact.ts";

/** A value that appears as [Redacted] when it is printed, inspected or serialized. */
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

/** The parts of a URL that redactUrl removes and that are long enough to be redacted in other text too. */
export function secretPartsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  if (url.protocol === "file:") return [];
  const path = url.protocol === "s3:" || url.protocol === "gs:" ? "" : url.pathname.replace(/^\/+|\/+$/g, "");
  return [url.username, url.password, path, url.search.slice(1)].filter((part) => part.length >= 8);
}
