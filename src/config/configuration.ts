import { ConflictingFlagsError, InvalidOptionError, type Origin, RetiredFlagError } from "./errors.ts";
import { idleReason, type Option } from "./option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey, type Values } from "./options.ts";
import { PRESETS } from "./presets.ts";
import { RETIRED_FLAGS, RETIRED_VARIABLES } from "./retired-names.ts";
import type { Secret } from "./secret.ts";

/** Input of the configuration, not validated yet. */
export interface Given {
  /** Values by flag, as written with dashes. */
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables of the network file; `location` contains no secrets. */
  readonly networkFile?: { readonly location: string; readonly variables: Readonly<Record<string, string>> };
  /** Parent of the default data directories of networks other than local; without it they have no default. */
  readonly homeDirectory?: string;
}

export interface Configuration {
  readonly values: Values;
  readonly origins: { readonly [K in OptionKey]: Origin };
  /** Given options that are deprecated or have no effect. */
  readonly warnings: readonly string[];
}

interface Found {
  readonly text: string;
  readonly origin: Origin;
}

/** Looks up a variable in one of the sources that rank below flags. */
type Source = (variable: string) => Found | undefined;

const SHOWN_VALUE_LENGTH = 80;

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function findFlag(key: OptionKey, option: Option, flags: Given["flags"]): Found | undefined {
  const found = option.flags.filter((name) => flags.has(name));
  const [name] = found;
  if (name === undefined) return undefined;
  const text = flags.get(name) ?? "";
  if (found.some((other) => flags.get(other) !== text)) throw new ConflictingFlagsError(key, found);
  return { text, origin: { kind: "flag", name } };
}

function find(key: OptionKey, option: Option, flags: Given["flags"], sources: readonly Source[]): Found | undefined {
  const flag = findFlag(key, option, flags);
  if (flag !== undefined) return flag;
  for (const source of sources) {
    for (const name of option.env) {
      const found = source(name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function shownInput(option: Option, text: string): string {
  if (option.kind.secrets !== undefined) return `${text.length} characters`;
  return text.length <= SHOWN_VALUE_LENGTH
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_VALUE_LENGTH))}... (${text.length} characters)`;
}

function parsed(key: OptionKey, option: Option, { text, origin }: Found): unknown {
  const value = text.trim() === "" ? undefined : option.kind.parse(text);
  if (value !== undefined) return value;
  const fault = text.trim() === "" ? undefined : option.kind.fault?.(text)?.slice(0, 4 * SHOWN_VALUE_LENGTH);
  throw new InvalidOptionError(key, origin, option.kind.rule, shownInput(option, text), fault);
}

/**
 * Environment, then network file, then preset (docs/protocol/09-configuration.md#91-precedence). In each, an empty text
 * counts as unset.
 */
function sourcesBelowFlags(given: Given, network: Values["network"]): Source[] {
  const { environment, networkFile } = given;
  const preset = {
    ...(network === "local" || given.homeDirectory === undefined
      ? {}
      : { DATA_DIRECTORY: `${given.homeDirectory}/.aztec/${network}/data` }),
    ...PRESETS[network],
  };
  const texts =
    (record: Readonly<Record<string, string | undefined>>, origin: (name: string) => Origin): Source =>
    (name) => {
      const text = Object.hasOwn(record, name) ? record[name] : undefined;
      return isSet(text) ? { text, origin: origin(name) } : undefined;
    };
  return [
    texts(environment, (name) => ({ kind: "environment", name })),
    ...(networkFile === undefined || network === "local"
      ? []
      : [texts(networkFile.variables, (name) => ({ kind: "network file", name, location: networkFile.location }))]),
    texts(preset, (name) => ({ kind: "preset", name, network })),
  ];
}

function networkOf({ flags, environment }: Given): Values["network"] {
  const option: Option = OPTIONS.network as Option;
  const found = find("network", option, flags, [
    (name) => {
      const text = environment[name];
      return isSet(text) ? { text, origin: { kind: "environment", name } } : undefined;
    },
  ]);
  return found === undefined ? OPTIONS.network.default : (parsed("network", option, found) as Values["network"]);
}

function warningsOf(given: Given, origins: Configuration["origins"]): string[] {
  const retired = RETIRED_VARIABLES.filter(({ name }) => isSet(given.environment[name]));
  const setByOperator = OPTION_KEYS.filter((key) => ["flag", "environment"].includes(origins[key].kind));
  const deprecated = setByOperator.flatMap((key) => {
    const { deprecated = [], env }: Option = OPTIONS[key] as Option;
    const origin = origins[key];
    return origin.kind === "environment" && deprecated.includes(origin.name)
      ? [`environment variable ${origin.name} is deprecated: use ${env[0]}`]
      : [];
  });
  const idle = setByOperator
    .filter((key) => idleReason(OPTIONS[key] as Option) === "no effect")
    .flatMap((key) => {
      const origin = origins[key];
      return "name" in origin ? [origin.name] : [];
    });
  return [
    ...retired.map(({ name, advice }) => `environment variable ${name} has no effect: ${advice}`),
    ...deprecated,
    ...(idle.length === 0 ? [] : [`without effect: ${idle.join(", ")}`]),
  ];
}

/**
 * The effective configuration. Precedence: flag, environment variable, fallback variables, network file, preset,
 * default (docs/protocol/09-configuration.md#91-precedence). An empty variable counts as unset. Throws
 * InvalidOptionError for the first value that breaks its rule, RetiredFlagError or ConflictingFlagsError.
 */
export function configure(given: Given): Configuration {
  for (const { name, advice } of RETIRED_FLAGS) if (given.flags.has(name)) throw new RetiredFlagError(name, advice);
  const sources = sourcesBelowFlags(given, networkOf(given));
  const values: Partial<Record<OptionKey, unknown>> = {};
  const found: Partial<Record<OptionKey, Origin>> = {};
  for (const key of OPTION_KEYS) {
    const option: Option = OPTIONS[key] as Option;
    const text = find(key, option, given.flags, sources);
    values[key] = text === undefined ? option.default : parsed(key, option, text);
    found[key] = text?.origin ?? { kind: "default" };
  }
  const origins = found as Configuration["origins"];
  return { values: values as Values, origins, warnings: warningsOf(given, origins) };
}

/** Value of an option as text, without secrets. */
export function shownValue(key: OptionKey, values: Values): string {
  const value: unknown = values[key];
  if (value === undefined) return "";
  return (OPTIONS[key] as Option).kind.show(value);
}

/** All secrets of the configuration: texts that must not appear in any output. */
export function secretTexts(values: Values): string[] {
  return OPTION_KEYS.flatMap((key) => {
    const value: unknown = values[key];
    return value === undefined ? [] : ((OPTIONS[key] as Option).kind.secrets?.(value) ?? []);
  }).filter((text) => text !== "");
}

export function reveal<T>(secret: Secret<T> | undefined): T | undefined {
  return secret?.reveal();
}
