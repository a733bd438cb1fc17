import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";

/** A mode in which the process can run. */
export interface Mode {
  readonly name: string;
  /** Whether the flags select this mode. */
  selected(values: Values): boolean;
  /**
   * Runs until the process is stopped. Throws ConfigurationError before anything is started if a required option is
   * missing.
   */
  run(configuration: Configuration, version: string): Promise<void>;
}
