import { REDACTED } from "../../http/redact.ts";
import { Secret } from "./secret.ts";

/**
 * How the admin API sends and shows a value (docs/protocol/05-rpc.md#535-admin-configuration): a JSON number or
 * boolean, text, the integer of an amount, hex text, or a list.
 */
export type JsonForm =
  | "boolean"
  | "text"
  | "amount"
  | "L1 address"
  | "L2 address"
  | "setup call"
  | { readonly number: { readonly above?: number; readonly least?: number; readonly most?: number } }
  | { readonly whole: { readonly least: number; readonly most?: number } }
  | { readonly oneOf: readonly string[] }
  | { readonly listOf: JsonForm };

/** A JSON number of at least 0, which may have a fraction. */
export const JSON_NUMBER: JsonForm = { number: { least: 0 } };

/**
 * Type of an option: parses and prints its values (docs/protocol/09-configuration.md#97-kinds-of-values). `parse`
 * returns undefined if the text breaks `rule`; it is never called with an empty text.
 */
export interface Kind<T> {
  readonly name: string;
  /** Placeholder in help text; undefined for a switch, which takes no value. */
  readonly placeholder: string | undefined;
  /** Text that a flag without a value stands for. */
  readonly bare?: string;
  /** Clause that starts with "must". */
  readonly rule: string;
  parse(text: string): T | undefined;
  /** Which part of a composite text breaks the rule. Never contains a secret. */
  fault?(text: string): string | undefined;
  /** The value as text, without secrets. */
  show(value: T): string;
  /** Absent: text. */
  readonly json?: JsonForm;
  /** The value that the admin API sent in the form `json`, where it is not the value itself. */
  fromJson?(sent: unknown): T;
  /** Whether the whole value is a secret. */
  readonly secret?: true;
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

export function textUpTo(length: number): Kind<string> {
  return {
    ...text,
    rule: `must not be empty and have at most ${length} characters`,
    parse: (given) => (given.length <= length ? given : undefined),
  };
}

export const path: Kind<string> = { ...text, name: "path", placeholder: "path" };

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
  json: "boolean",
};

/** A flag without a value. */
export const switchOn: Kind<boolean> = { ...boolean, name: "switch", placeholder: undefined };

/** One of `values`, case-insensitive; `aliases` maps additional names to values. */
export function oneOf<const V extends string>(values: readonly V[], aliases: Record<string, V> = {}): Kind<V> {
  const byName = new Map<string, V>([
    ...values.map((value): [string, V] => [value, value]),
    ...Object.entries(aliases),
  ]);
  const byLowerCase = new Map([...byName].map(([name, value]) => [name.toLowerCase(), value]));
  return {
    name: values.join(" or "),
    placeholder: "name",
    rule: `must be one of ${[...byName.keys()].join(", ")}`,
    parse: (given) => byLowerCase.get(given.trim().toLowerCase()),
    show: (value) => value,
    json: { oneOf: values },
  };
}

/**
 * Comma list of at least one of `names`, case-insensitive. The value has no duplicates and is in the order of `names`.
 */
export function someOf<const V extends string>(names: readonly V[]): Kind<readonly V[]> {
  const items = listOf(oneOf(names));
  return {
    name: `some of ${names.join(", ")}`,
    placeholder: "list",
    rule: `must be a comma list of at least one of ${names.join(", ")}`,
    parse(given) {
      const chosen = items.parse(given);
      return chosen === undefined || chosen.length === 0 ? undefined : names.filter((name) => chosen.includes(name));
    },
    fault: items.fault,
    show: items.show,
  };
}

/** Comma list of `item`, with exactly `length` items if given. Items are trimmed; empty ones are dropped. */
export function listOf<T>(item: Kind<T>, length?: number): Kind<readonly T[]> {
  const split = (given: string): string[] =>
    given
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  return {
    name: `list of ${item.name}`,
    placeholder: "list",
    rule: `must be a comma list${length === undefined ? "" : ` of ${length}`} in which each item ${item.rule}`,
    parse(given) {
      const items = split(given).map((part) => item.parse(part));
      if (length !== undefined && items.length !== length) return undefined;
      return items.every((value) => value !== undefined) ? items : undefined;
    },
    fault(given) {
      const items = split(given);
      const bad = items.findIndex((part) => item.parse(part) === undefined);
      return bad < 0 ? `${items.length} items` : `item ${bad + 1} of ${items.length}`;
    },
    show: (values) => values.map((value) => item.show(value)).join(","),
    json: { listOf: item.json ?? "text" },
    ...(item.secrets && { secrets: (values: readonly T[]) => values.flatMap((value) => item.secrets?.(value) ?? []) }),
  };
}

/** Comma list whose items match those of another list by position; an empty item means none at its position. */
export const byPosition: Kind<readonly string[]> = {
  name: "list by position",
  placeholder: "list",
  rule: "must be a comma list",
  parse: (given) => given.split(",").map((part) => part.trim()),
  show: (values) => values.join(","),
};

/** Wraps the values of another kind so that they are never shown. */
export function secret<T>(inner: Kind<T>): Kind<Secret<T>> {
  const wholeTexts = (value: T): string[] => {
    if (Array.isArray(value)) return value.map(String);
    return [typeof value === "string" ? value : inner.show(value)];
  };
  return {
    name: `${inner.name} (secret)`,
    secret: true,
    placeholder: inner.placeholder,
    rule: inner.rule,
    json: inner.json,
    parse(given) {
      const value = inner.parse(given);
      return value === undefined ? undefined : new Secret(value);
    },
    show: () => REDACTED,
    // Stripped of 0x, so that a key is redacted both with and without the prefix.
    secrets: (value) =>
      [...wholeTexts(value.reveal()), ...(inner.secrets?.(value.reveal()) ?? [])]
        .map((part) => part.replace(/^0x/, ""))
        .filter((part) => part !== ""),
  };
}
