import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from "yaml";
import { ConfigurationError } from "./errors.ts";
import type { Option } from "./kinds/option.ts";
import { MAX_NAME_LENGTH, nearestName } from "./nearest-name.ts";
import { OPTION_KEYS, OPTIONS } from "./options.ts";

/** A key of the file with its value as text, as in an environment variable; lists are joined by commas. */
interface FileValue {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

export interface ConfigFile {
  /** As the operator named it. */
  readonly location: string;
  readonly values: ReadonlyMap<string, FileValue>;
  /** Whether other users of the machine may read it. */
  readonly openToOthers?: boolean;
}

/** A configuration file is not YAML of the right form. Names file, line and rule, never a value. */
export class ConfigFileError extends ConfigurationError {
  override readonly errorCode: string = "configuration-file";

  readonly location: string;
  /** One text for each fault. */
  readonly faults: readonly string[];
  /** The keys without a fault. */
  readonly rest: ConfigFile;

  constructor(location: string, faults: readonly string[], values: ConfigFile["values"] = new Map()) {
    super(faults.map((fault) => `${location} ${fault}`).join("; "));
    this.name = "ConfigFileError";
    this.location = location;
    this.faults = faults;
    this.rest = { location, values };
  }
}

/** Read by Node.js itself, before the file. */
const VARIABLES_ONLY: readonly string[] = ["UV_THREADPOOL_SIZE"];

/** Keys of an option in the file: its variables, or its flags without dashes where it has no variable. */
export function fileKeys({ env, flags }: Pick<Option, "env" | "flags">): readonly string[] {
  return env.length > 0 ? env : flags.map((flag) => flag.replace(/^--/, ""));
}

const KNOWN: ReadonlySet<string> = new Set(
  OPTION_KEYS.flatMap((key) => fileKeys(OPTIONS[key] as Option)).filter((key) => !VARIABLES_ONLY.includes(key)),
);

/** Key of the option that a flag or a name from `svc config` belongs to. */
function keyOfOtherName(name: string): string | undefined {
  const option = OPTION_KEYS.find((key) => key === name || (OPTIONS[key] as Option).flags.includes(`--${name}`));
  return option && fileKeys(OPTIONS[option] as Option)[0];
}

function nearestKey(name: string): string {
  const given = name.slice(0, MAX_NAME_LENGTH);
  return keyOfOtherName(given) ?? nearestName(given.replaceAll("-", "_"), KNOWN).name;
}

/** Beyond any real configuration; bounds the parser's memory. */
const MAX_CHARACTERS = 1024 * 1024;
/** Faults that are named; a suggestion for a key takes a comparison with each known one. */
const MAX_NAMED_FAULTS = 20;

/** The first faults, and how many there are besides. */
class Faults {
  readonly #named: string[] = [];
  #count = 0;

  add(fault: () => string): void {
    this.#count++;
    if (this.#named.length < MAX_NAMED_FAULTS) this.#named.push(fault());
  }

  list(): readonly string[] {
    const more = this.#count - this.#named.length;
    return more === 0 ? this.#named : [...this.#named, `and ${more} more faults`];
  }
}

/**
 * Reads a configuration file: one YAML mapping from keys to texts or lists of texts. All scalars are taken as they are
 * written, so 0x.. stays hex text. Throws ConfigFileError with all faults of the file.
 */
export function parseConfigFile(location: string, text: string): ConfigFile {
  if (text.length > MAX_CHARACTERS) {
    throw new ConfigFileError(location, [`must have at most ${MAX_CHARACTERS} characters`]);
  }
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    schema: "failsafe",
    lineCounter: lines,
    prettyErrors: false,
    // The parser would compare each key with every other one.
    uniqueKeys: false,
  });
  const lineOf = (node: { range?: readonly number[] | null } | null | undefined): number =>
    lines.linePos(node?.range?.[0] ?? 0).line;
  const [document] = documents;
  if (document === undefined) return { location, values: new Map() };
  if (documents.length > 1) throw new ConfigFileError(location, ["must be one YAML document"]);
  const { errors, contents } = document as {
    errors: readonly { pos: [number, number]; code: string }[];
    contents: Node | null;
  };
  if (errors.length > 0) {
    const faults = new Faults();
    for (const { pos, code } of errors) faults.add(() => `line ${lines.linePos(pos[0]).line}: ${yamlFault(code)}`);
    throw new ConfigFileError(location, faults.list());
  }
  if (contents === null || (isScalar(contents) && contents.value === "")) return { location, values: new Map() };
  if (!isMap(contents)) throw new ConfigFileError(location, ["must be a YAML mapping of keys to values"]);
  const values = new Map<string, FileValue>();
  const faults = new Faults();
  const seen = new Set<string>();
  for (const { key, value } of contents.items) {
    const line = lineOf(key as Node);
    const name = isScalar(key) && typeof key.value === "string" ? key.value : "";
    const read = name === "" ? undefined : textOf(value);
    if (name === "") faults.add(() => `line ${line}: each key must be a text`);
    else if (seen.has(name)) faults.add(() => `line ${line}: each key may be given once`);
    else if (VARIABLES_ONLY.includes(name)) {
      faults.add(() => `line ${line}: ${name} must be an environment variable: Node.js reads it before the file`);
    } else if (!KNOWN.has(name)) {
      faults.add(() => `line ${line}: unknown key ${shownName(name)}; the nearest known one is ${nearestKey(name)}`);
    } else if (read === undefined) faults.add(() => `line ${line}: ${name} must be a text or a list of texts`);
    else values.set(name, { text: read, line });
    seen.add(name);
  }
  const found = faults.list();
  if (found.length > 0) throw new ConfigFileError(location, found, values);
  return { location, values };
}

/** A key may be a secret that went astray, so a long one is cut. */
function shownName(name: string): string {
  const short = name.length > MAX_NAME_LENGTH / 2 ? `${name.slice(0, MAX_NAME_LENGTH / 2)}..` : name;
  return JSON.stringify(short);
}

function yamlFault(code: string): string {
  return `is not YAML (${code.toLowerCase().replaceAll("_", " ")})`;
}

/** Undefined if the value is neither a scalar nor a list of scalars. */
function textOf(value: unknown): string | undefined {
  if (value === null) return "";
  if (isScalar(value)) return value.value === null ? "" : String(value.value);
  if (!isSeq(value) || isAlias(value)) return undefined;
  const items = value.items.map((item) => (isScalar(item) ? String(item.value) : undefined));
  return items.every((item) => item !== undefined) ? items.join(",") : undefined;
}
