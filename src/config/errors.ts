/** Where a value came from; `name` is the flag or the environment variable as written. */
export type Origin =
  | { readonly kind: "flag"; readonly name: string }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "default" };

/** Options could not be made into a configuration. The message is complete: nothing but it needs to be shown to the operator. */
export class ConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigurationError";
  }
}

/** A given value breaks the rule of its option. Never carries the value of a secret. */
export class InvalidOptionError extends ConfigurationError {
  readonly option: string;
  readonly origin: Origin;
  /** What the value must be, as a clause that starts with "must". */
  readonly rule: string;

  constructor(option: string, origin: Origin, rule: string, shownValue: string) {
    const name = origin.kind === "default" ? option : origin.name;
    const where = origin.kind === "environment" ? "environment variable " : "";
    super(`${where}${name} ${rule}; got ${shownValue}`);
    this.name = "InvalidOptionError";
    this.option = option;
    this.origin = origin;
    this.rule = rule;
  }
}

/** A value that the chosen mode needs is absent. */
export class MissingOptionError extends ConfigurationError {
  readonly option: string;

  constructor(option: string, message: string) {
    super(message);
    this.name = "MissingOptionError";
    this.option = option;
  }
}
