import { type ConfigFile, fileKeys } from "./config-file.ts";
import {
  ConfigurationError,
  ConflictingFlagsError,
  InvalidOptionError,
  isSetByOperator,
  type Origin,
  RetiredFlagError,
} from "./errors.ts";
import { idleReason, type Option, type OptionTable, type ValuesOf } from "./kinds/option.ts";
import type { Secret } from "./kinds/secret.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey, type Values } from "./options.ts";
import { PRESETS } from "./presets.ts";
import { RETIRED_FLAGS, RETIRED_VARIABLES } from "./retired-names.ts";
import { unknownVariables } from "./unknown-variables.ts";

/** Input of the configuration, not validated yet. */
export interface Given {
  /** Values by flag, as written with dashes. */
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file?: ConfigFile;
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

/** Looks up an option in one of the sources that rank below flags. */
type Source = (option: Option) => Found | undefined;

const SHOWN_VALUE_LENGTH = 80;

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function findFlag(key: string, option: Option, flags: Given["flags"]): Found | undefined {
  const found = option.flags.filter((name) => flags.has(name));
  const [name] = found;
  if (name === undefined) return undefined;
  const text = flags.get(name) ?? "";
  if (found.some((other) => flags.get(other) !== text)) throw new ConflictingFlagsError(key, found);
  return { text, origin: { kind: "flag", name } };
}

function find(key: string, option: Option, flags: Given["flags"], sources: readonly Source[]): Found | undefined {
  const flag = findFlag(key, option, flags);
  if (flag !== undefined) return flag;
  for (const source of sources) {
    const found = source(option);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first of the names under which a source has a text; an empty one counts as unset. */
function firstOf(names: readonly string[], look: (name: string) => Found | undefined): Found | undefined {
  for (const name of names) {
    const found = look(name);
    if (found !== undefined && isSet(found.text)) return found;
  }
  return undefined;
}

type Texts = Readonly<Record<string, string | undefined>>;

/** Variables by name. */
function variables(record: Texts, origin: (name: string) => Origin): Source {
  return ({ env }) =>
    firstOf(env, (name) => {
      const text = Object.hasOwn(record, name) ? record[name] : undefined;
      return text === undefined ? undefined : { text, origin: origin(name) };
    });
}

/** The operator's own sources below flags: environment, then configuration file. */
function ownSources({ environment, file }: Given): Source[] {
  const inFile: Source = (option) =>
    firstOf(fileKeys(option), (name) => {
      const value = file?.values.get(name);
      if (file === undefined || value === undefined) return undefined;
      return { text: value.text, origin: { kind: "file", name, location: file.location, line: value.line } };
    });
  return [variables(environment, (name) => ({ kind: "environment", name })), inFile];
}

function shownInput(option: Option, text: string): string {
  if (option.kind.secrets !== undefined) return `${text.length} characters`;
  return text.length <= SHOWN_VALUE_LENGTH
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_VALUE_LENGTH))}... (${text.length} characters)`;
}

function parsed(key: string, option: Option, { text, origin }: Found): unknown {
  const value = text.trim() === "" ? undefined : option.kind.parse(text);
  if (value !== undefined) return value;
  const fault = text.trim() === "" ? undefined : option.kind.fault?.(text)?.slice(0, 4 * SHOWN_VALUE_LENGTH);
  throw new InvalidOptionError(key, origin, option.kind.rule, shownInput(option, text), fault);
}

/**
 * Environment, then configuration file, then network file, then preset
 * (docs/protocol/09-configuration.md#91-precedence). In each, an empty text counts as unset.
 */
function sourcesBelowFlags(given: Given, network: Values["network"]): Source[] {
  const { networkFile } = given;
  const preset = {
    ...(network === "local" || given.homeDirectory === undefined
      ? {}
      : { DATA_DIRECTORY: `${given.homeDirectory}/.aztec/${network}/data` }),
    ...PRESETS[network],
  };
  return [
    ...ownSources(given),
    ...(networkFile === undefined || network === "local"
      ? []
      : [variables(networkFile.variables, (name) => ({ kind: "network file", name, location: networkFile.location }))]),
    variables(preset, (name) => ({ kind: "preset", name, network })),
  ];
}

function networkOf(given: Given): Values["network"] {
  const option: Option = OPTIONS.network as Option;
  const found = find("network", option, given.flags, ownSources(given));
  return found === undefined ? OPTIONS.network.default : (parsed("network", option, found) as Values["network"]);
}

function secretsOf({ kind }: Option, value: unknown): string[] {
  return value === undefined ? [] : (kind.secrets?.(value) ?? []).filter((text) => text !== "");
}

function warningsOf(
  given: Given,
  values: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, Origin>>,
  table: OptionTable,
): string[] {
  const retired = RETIRED_VARIABLES.filter(({ name }) => isSet(given.environment[name]));
  const keys = Object.keys(table);
  const setByOperator = keys.filter((key) => isSetByOperator(origins[key]));
  const deprecated = setByOperator.flatMap((key) => {
    const { deprecated = [], env } = table[key];
    const origin = origins[key];
    return (origin.kind === "environment" || origin.kind === "file") && deprecated.includes(origin.name)
      ? [`${origin.kind === "file" ? "key" : "environment variable"} ${origin.name} is deprecated: use ${env[0]}`]
      : [];
  });
  const idle = setByOperator
    .filter((key) => idleReason(table[key]) === "no effect")
    .flatMap((key) => {
      const origin = origins[key];
      return "name" in origin ? [origin.name] : [];
    });
  const secretInFile = keys.some(
    (key) => origins[key].kind === "file" && secretsOf(table[key], values[key]).length > 0,
  );
  const open = given.file?.openToOthers === true && secretInFile;
  return [
    ...(open ? [`other users may read the secrets in ${given.file?.location}: chmod 600`] : []),
    ...retired.map(({ name, advice }) => `environment variable ${name} has no effect: ${advice}`),
    ...unknownVariables(given.environment, Object.values(table)),
    ...deprecated,
    ...(idle.length === 0 ? [] : [`without effect: ${idle.join(", ")}`]),
  ];
}

/**
 * The effective configuration. Precedence: flag, environment variable, configuration file, network file, preset,
 * default (docs/protocol/09-configuration.md#91-precedence). An empty variable counts as unset. Throws
 * InvalidOptionError for the first value that breaks its rule, RetiredFlagError or ConflictingFlagsError. With `failed`
 * all of these errors are given to it instead, and an option with an error has its default.
 */
export function configure(given: Given, failed?: (error: ConfigurationError) => void): Configuration {
  return configureTable(given, OPTIONS, failed);
}

/** As `configure`, by the rows of another table, which has those of OPTIONS. */
export function configureTable<R extends OptionTable & typeof OPTIONS>(
  given: Given,
  table: R,
  failed: (error: ConfigurationError) => void = (error) => {
    throw error;
  },
): Pick<Configuration, "warnings"> & { values: ValuesOf<R>; origins: { readonly [K in keyof R]: Origin } } {
  for (const { name, advice } of RETIRED_FLAGS) if (given.flags.has(name)) failed(new RetiredFlagError(name, advice));
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      failed(error);
      return otherwise;
    }
  };
  // An error of the network is reported with those of the other options.
  let network = OPTIONS.network.default as Values["network"];
  try {
    network = networkOf(given);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
  }
  const sources = sourcesBelowFlags(given, network);
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const [key, option] of Object.entries<Option>(table)) {
    const text = attempt(() => find(key, option, given.flags, sources), undefined);
    values[key] = text === undefined ? option.default : attempt(() => parsed(key, option, text), option.default);
    origins[key] = text?.origin ?? { kind: "default" };
  }
  return {
    values: values as ValuesOf<R>,
    origins: origins as { [K in keyof R]: Origin },
    warnings: warningsOf(given, values, origins, table),
  };
}

/** Value of an option as text, without secrets. */
export function shownValue(key: OptionKey, values: Values): string {
  const value: unknown = values[key];
  if (value === undefined) return "";
  return (OPTIONS[key] as Option).kind.show(value);
}

/** All secrets of the configuration: texts that must not appear in any output. */
export function secretTexts(values: Values): string[] {
  return OPTION_KEYS.flatMap((key) => secretsOf(OPTIONS[key] as Option, values[key]));
}

export function reveal<T>(secret: Secret<T> | undefined): T | undefined {
  return secret?.reveal();
}
