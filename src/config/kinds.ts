import { fromHex, toHex } from "../protocol/bytes.ts";
import { isCanonicalFr } from "../protocol/field.ts";
import { REDACTED, Secret, secretPartsOfUrl, shownUrl } from "./secret.ts";

/**
 * How the text of an option becomes a value (sheet 09 section 3). `parse` returns undefined where the text breaks `rule`; an empty
 * text never reaches it.
 */
export interface Kind<T> {
  readonly name: string;
  /** Placeholder in help text; undefined for a switch, which takes no value. */
  readonly placeholder: string | undefined;
  /** A bare flag means this text. */
  readonly bare?: string;
  /** Clause that starts with "must". */
  readonly rule: string;
  parse(text: string): T | undefined;
  /** Form that may be shown to anyone. */
  show(value: T): string;
  /** Texts inside the value that must not appear in any output. */
  secrets?(value: T): string[];
}

export const text: Kind<string> = {
  name: "text",
  placeholder: "text",
  rule: "must not be empty",
  parse: (given) => given,
  show: (value) => value,
};

export const path: Kind<string> = { ...text, name: "path", placeholder: "path" };

/** A whole decimal number. Stricter than the reference, which reads "1.7" as 1, "0x10" as 0 and "abc" as the default. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return {
    name: "integer",
    placeholder: "n",
    rule: `must be a whole decimal number ${range}`,
    parse(given) {
      const trimmed = given.trim();
      const value = Number(trimmed);
      return /^-?\d+$/.test(trimmed) && value >= min && value <= max ? value : undefined;
    },
    show: String,
  };
}

/** A rollup version; canonical stands for the newest one of the registry. */
export const rollupVersion: Kind<number | "canonical"> = {
  name: "integer or canonical",
  placeholder: "n",
  rule: "must be a whole number from 0 to 4294967295 (decimal or 0x hex), or canonical for the newest",
  parse(given) {
    const trimmed = given.trim();
    if (trimmed.toLowerCase() === "canonical") return "canonical";
    const value = Number(trimmed);
    return /^(\d+|0x[0-9a-f]+)$/i.test(trimmed) && value <= 0xffffffff ? value : undefined;
  },
  show: String,
};

export const boolean: Kind<boolean> = {
  name: "boolean",
  placeholder: "true|false",
  bare: "true",
  rule: "must be 1, true or TRUE, or 0, false or FALSE",
  parse(given) {
    if (["1", "true", "TRUE"].includes(given)) return true;
    return ["0", "false", "FALSE"].includes(given) ? false : undefined;
  },
  show: String,
};

/** A flag without a value. */
export const switchOn: Kind<boolean> = { ...boolean, name: "switch", placeholder: undefined };

export function oneOf<const V extends string>(values: readonly V[]): Kind<V> {
  return {
    name: values.join(" or "),
    placeholder: "name",
    rule: `must be one of ${values.join(", ")}`,
    parse: (given) => values.find((value) => value === given.trim().toLowerCase()),
    show: (value) => value,
  };
}

/** Comma list of `item`; items are trimmed and empty ones dropped. */
export function listOf<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    name: `list of ${item.name}`,
    placeholder: "list",
    rule: `must be a comma list in which each item ${item.rule}`,
    parse(given) {
      const items = given
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .map((part) => item.parse(part));
      return items.every((value) => value !== undefined) ? items : undefined;
    },
    show: (values) => values.map((value) => item.show(value)).join(","),
    secrets: (values) => values.flatMap((value) => item.secrets?.(value) ?? []),
  };
}

/** Comma list whose items belong to those of another list by position; an empty item says "none" for its position. */
export const byPosition: Kind<readonly string[]> = {
  name: "list by position",
  placeholder: "list",
  rule: "must be a comma list",
  parse: (given) => given.split(",").map((part) => part.trim()),
  show: (values) => values.join(","),
};

/** A URL of one of the schemes, kept as written without trailing slashes. */
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
    show: shownUrl,
    secrets: secretPartsOfUrl,
  };
}

/** 20-byte L1 address, as lower-case 0x text. */
export const l1Address: Kind<string> = {
  name: "L1 address",
  placeholder: "address",
  rule: "must be 0x and 40 hex digits",
  parse: (given) => (/^0x[0-9a-fA-F]{40}$/.test(given.trim()) ? given.trim().toLowerCase() : undefined),
  show: (value) => value,
};

/** 32-byte L2 address: a canonical field element. */
export const l2Address: Kind<Uint8Array> = {
  name: "L2 address",
  placeholder: "address",
  rule: "must be 0x and 64 hex digits of a field element",
  parse(given) {
    if (!/^0x[0-9a-fA-F]{64}$/.test(given)) return undefined;
    const bytes = fromHex(given);
    return isCanonicalFr(bytes) ? bytes : undefined;
  },
  show: toHex,
};

const BYTE_UNITS: Record<string, number> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** A size in bytes, such as 1mb; units are powers of 1024. */
export const byteSize: Kind<number> = {
  name: "size",
  placeholder: "size",
  rule: "must be a size of at least 1 byte such as 512kb or 1mb",
  parse(given) {
    const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/.exec(given.trim().toLowerCase());
    if (match === null) return undefined;
    const bytes = Math.floor(Number(match[1]) * BYTE_UNITS[match[2] ?? ""]);
    return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined;
  },
  show(value) {
    const unit = ["gb", "mb", "kb"].find((name) => value % BYTE_UNITS[name] === 0) ?? "b";
    return `${value / BYTE_UNITS[unit]}${unit}`;
  },
};

/** Wraps the values of another kind so that they are never shown. */
export function secret<T>(inner: Kind<T>): Kind<Secret<T>> {
  return {
    name: `${inner.name} (secret)`,
    placeholder: inner.placeholder,
    rule: inner.rule,
    parse(given) {
      const value = inner.parse(given);
      return value === undefined ? undefined : new Secret(value);
    },
    show: () => REDACTED,
    secrets: (value) =>
      [value.reveal()]
        .flat()
        .map(String)
        .filter((text) => text !== ""),
  };
}
