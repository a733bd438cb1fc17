import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { OperatorError } from "../errors/operator-error.ts";

/** The development L1 could not be started. */
export class AnvilError extends OperatorError {
  override readonly errorCode: string = "anvil";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AnvilError";
  }
}

/** The saved state of the development L1 cannot be loaded. */
export class AnvilStateError extends AnvilError {
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string, options?: ErrorOptions) {
    super(
      `${path} is no state of L1 (${rule}): it was left as it is; restore it, or remove the data directory to begin anew`,
      options,
    );
    this.name = "AnvilStateError";
    this.path = path;
    this.rule = rule;
  }
}

/** Path of the binary in the installed platform package. Throws an AnvilError if it is missing. */
export function anvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
  } catch (error) {
    throw new AnvilError(`package ${name} is not installed; npm ci without --omit installs it`, { cause: error });
  }
}
