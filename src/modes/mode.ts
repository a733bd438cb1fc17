import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";

/** One way to run the process. */
export interface Mode {
  readonly name: string;
  /** Whether the mode flags ask for it. */
  selected(values: Values): boolean;
  /**
   * Runs until the process is told to stop. Throws ConfigurationError, before anything is started, when something that it cannot run
   * without was not given.
   */
  run(configuration: Configuration, version: string): Promise<void>;
}
