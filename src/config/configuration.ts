import { ConfigurationError, InvalidOptionError, type Origin } from "./errors.ts";
import type { Option } from "./option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey, type Values } from "./options.ts";
import type { Secret } from "./secret.ts";

/** What was given, before any rule: texts by flag (as written, with dashes) and the environment. */
export interface Given {
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Configuration {
  readonly values: Values;
  readonly origins: { readonly [K in OptionKey]: Origin };
}

const SHOWN_VALUE_LENGTH = 80;

function find(option: Option, { flags, environment }: Given): { text: string; origin: Origin } | undefined {
  for (const name of option.flags) {
    const text = flags.get(name);
    if (text !== undefined) return { text, origin: { kind: "flag", name } };
  }
  for (const name of option.env) {
    const text = environment[name];
    if (text !== undefined && text.trim() !== "") return { text, origin: { kind: "environment", name } };
  }
  return undefined;
}

function shownInput(option: Option, text: string): string {
  if (option.kind.secrets !== undefined) return `${text.length} characters`;
  return text.length <= SHOWN_VALUE_LENGTH
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_VALUE_LENGTH))}... (${text.length} characters)`;
}

/**
 * The effective configuration: flag over environment variable over fallback variables over default (sheet 09 section 2.1). An empty
 * variable counts as unset. Throws InvalidOptionError for the first value that breaks its rule.
 */
export function configure(given: Given): Configuration {
  const values: Partial<Record<OptionKey, unknown>> = {};
  const origins: Partial<Record<OptionKey, Origin>> = {};
  for (const key of OPTION_KEYS) {
    const option: Option = OPTIONS[key] as Option;
    const found = find(option, given);
    if (found === undefined) {
      values[key] = option.default;
      origins[key] = { kind: "default" };
      continue;
    }
    const value = found.text.trim() === "" ? undefined : option.kind.parse(found.text);
    if (value === undefined) {
      throw new InvalidOptionError(key, found.origin, option.kind.rule, shownInput(option, found.text));
    }
    values[key] = value;
    origins[key] = found.origin;
  }
  return { values: values as Values, origins: origins as Configuration["origins"] };
}

/** Presets of public networks are not part of this version: following one needs all of its addresses. Throws ConfigurationError. */
export function requireSupportedNetwork(network: Values["network"]): void {
  if (network === "local") return;
  throw new ConfigurationError(
    `network ${network} is not available in this version: its preset arrives with the network file. ` +
      "Use --network local and give --l1-rpc-urls, --l1-chain-id and --registry-address.",
  );
}

/** Value of an option as anyone may see it. */
export function shownValue(key: OptionKey, values: Values): string {
  const value: unknown = values[key];
  if (value === undefined) return "";
  return (OPTIONS[key] as Option).kind.show(value);
}

/** Every text inside the configuration that no output may contain. */
export function secretTexts(values: Values): string[] {
  return OPTION_KEYS.flatMap((key) => {
    const value: unknown = values[key];
    return value === undefined ? [] : ((OPTIONS[key] as Option).kind.secrets?.(value) ?? []);
  }).filter((text) => text !== "");
}

/** The value inside, when there is one. */
export function reveal<T>(secret: Secret<T> | undefined): T | undefined {
  return secret?.reveal();
}
