import { OperatorError } from "../errors/operator-error.ts";

/** Where a value came from, in order of precedence. */
export type Origin =
  /** As written, with dashes. */
  | { readonly kind: "flag"; readonly name: string }
  /** Environment variable. */
  | { readonly kind: "environment"; readonly name: string }
  /** Key of the configuration file. */
  | { readonly kind: "file"; readonly name: string; readonly location: string; readonly line: number }
  /** Variable of the network file; `location` contains no secrets. */
  | { readonly kind: "network file"; readonly name: string; readonly location: string }
  /** Variable of a network's preset. */
  | { readonly kind: "preset"; readonly name: string; readonly network: string }
  | { readonly kind: "default" };

/** Whether the operator of this node gave the value, and not the network or the program. */
export function isSetByOperator({ kind }: Origin): boolean {
  return kind === "flag" || kind === "environment" || kind === "file";
}

/** Short text for the operator. */
export function shownOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "preset":
      return `preset ${origin.network}`;
    case "file":
      return `file ${origin.location} line ${origin.line}`;
    case "network file":
      return `network file ${origin.location}`;
    case "default":
      return "default";
    default:
      return `${origin.kind} ${origin.name}`;
  }
}

function namedOrigin(option: string, origin: Origin): string {
  switch (origin.kind) {
    case "flag":
      return origin.name;
    case "environment":
      return `environment variable ${origin.name}`;
    case "file":
      return `${origin.name} in ${origin.location} line ${origin.line}`;
    case "network file":
    case "preset":
      return `${origin.name} of the ${shownOrigin(origin)}`;
    default:
      return option;
  }
}

/** The given options are invalid. The message alone is enough for the operator. */
export class ConfigurationError extends OperatorError {
  override readonly errorCode: string = "configuration";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigurationError";
  }
}

/** A given value breaks the rule of its option. Never contains the value of a secret. */
export class InvalidOptionError extends ConfigurationError {
  readonly option: string;
  readonly origin: Origin;
  /** What the value must be, as a clause that starts with "must". */
  readonly rule: string;
  /** Which part of a list or other composite value breaks the rule. */
  readonly fault: string | undefined;

  constructor(option: string, origin: Origin, rule: string, shownValue: string, fault?: string) {
    super(`${namedOrigin(option, origin)} ${rule}; got ${shownValue}${fault === undefined ? "" : ` (${fault})`}`);
    this.name = "InvalidOptionError";
    this.option = option;
    this.origin = origin;
    this.rule = rule;
    this.fault = fault;
  }
}

/** Two flags that are aliases of one option were given with different values. */
export class ConflictingFlagsError extends ConfigurationError {
  readonly option: string;
  readonly flags: readonly string[];

  constructor(option: string, flags: readonly string[]) {
    super(`${flags.join(" and ")} set the same option and must have the same value`);
    this.name = "ConflictingFlagsError";
    this.option = option;
    this.flags = flags;
  }
}

/** A flag of an earlier release that no longer exists. */
export class RetiredFlagError extends ConfigurationError {
  readonly flag: string;
  readonly advice: string;

  constructor(flag: string, advice: string) {
    super(`unknown option '${flag}': ${advice}`);
    this.name = "RetiredFlagError";
    this.flag = flag;
    this.advice = advice;
  }
}

/** A value that the chosen mode requires is missing. */
export class MissingOptionError extends ConfigurationError {
  readonly option: string;

  constructor(option: string, message: string) {
    super(message);
    this.name = "MissingOptionError";
    this.option = option;
  }
}
