import { parseArgs } from "node:util";

/** An option of a script. Without a default its value is undefined unless given. */
interface Option<T> {
  /** Placeholder of its value in the usage; an option without one is a flag. */
  value?: string;
  help: string;
  default?: T;
  isRequired?: boolean;
  /** Throws an Error that says what the value must be. */
  read(text: string): T;
}

type Options = Record<string, Option<unknown>>;
type Values<O extends Options> = { [K in keyof O]: O[K] extends Option<infer T> ? T : never };

export function wholeOption(help: string, value: number, least?: number): Option<number>;
export function wholeOption(help: string): Option<number | undefined>;
export function wholeOption(help: string, value?: number, least = 1): Option<number | undefined> {
  const read = (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || !Number.isSafeInteger(number))
      throw new Error(`must be a whole number of at least ${least}`);
    return number;
  };
  return { value: "N", help, default: value, read };
}

export function textOption(help: string, name: string, value?: string): Option<string | undefined> {
  return { value: name, help, default: value, read: (text) => text };
}

export function requiredOption(help: string, name: string): Option<string> {
  return { value: name, help: `${help}; required`, isRequired: true, read: (text) => text };
}

/** A list of some of the names; all by default. */
export function namesOption<N extends string>(help: string, names: readonly N[]): Option<readonly N[]> {
  const read = (text: string): readonly N[] => {
    const chosen = text.split(",");
    const known = names.filter((name) => chosen.includes(name));
    if (known.length < chosen.length) throw new Error(`must be some of ${names.join(",")}`);
    return known;
  };
  return { value: "NAMES", help, default: names, read };
}

export function flagOption(help: string): Option<boolean> {
  return { help, default: false, read: () => true };
}

/** Options of most scripts: the file for their figures, and the reference's installation. */
export const JSON_FILE = textOption("also write the figures to this file", "FILE");
export const REFERENCE_HOME = textOption(
  "also measure the reference installed there",
  "DIR",
  process.env.REFERENCE_HOME,
);

class OptionError extends Error {}

/** The values of a script's options by name. Throws an OptionError. */
function valuesOf(options: Options, args: readonly string[]): Record<string, unknown> {
  const types = Object.entries(options).map(([name, { value }]) => {
    const type: "string" | "boolean" = value === undefined ? "boolean" : "string";
    return [name, { type }] as const;
  });
  let given: Record<string, unknown>;
  try {
    given = parseArgs({ args: [...args], options: Object.fromEntries(types) }).values;
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
  const values = Object.entries(options).map(([name, option]) => {
    const text = given[name];
    if (text === undefined && option.isRequired) throw new OptionError(`--${name} is required`);
    if (text === undefined) return [name, option.default] as const;
    try {
      return [name, option.read(String(text))] as const;
    } catch (error) {
      throw new OptionError(`--${name} ${error instanceof Error ? error.message : error}, got ${JSON.stringify(text)}`);
    }
  });
  return Object.fromEntries(values);
}

function usage(script: string, options: Options): string {
  const rows = Object.entries(options).map(([name, { value, help, default: otherwise }]) => ({
    left: `  --${name}${value === undefined ? "" : ` ${value}`}`,
    right: otherwise === undefined || otherwise === false ? help : `${help} (${otherwise})`,
  }));
  const width = Math.max(...rows.map(({ left }) => left.length)) + 2;
  return [`usage: node ${script} [options]`, ...rows.map(({ left, right }) => left.padEnd(width) + right)].join("\n");
}

/** Options from the command line. Ends the process after --help with code 0, and after a wrong option with code 2. */
export function scriptOptions<O extends Options>(script: string, options: O, args = process.argv.slice(2)): Values<O> {
  if (args.includes("--help")) {
    process.stdout.write(`${usage(script, options)}\n`);
    process.exit(0);
  }
  try {
    return valuesOf(options, args) as Values<O>;
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`error: ${error.message}\n${usage(script, options)}\n`);
    process.exit(2);
  }
}
