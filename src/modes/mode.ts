import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";

/** A mode in which the process can run. */
export interface Mode {
  readonly name: string;
  /** Whether the flags select this mode. */
  selected(values: Values): boolean;
  /** Whether memory counts for more than the processors, by which its space for young objects stays small. */
  savesMemory?(values: Values): boolean;
  /**
   * Runs until the process is stopped. Throws ConfigurationError before anything is started if a required option is
   * missing.
   */
  run(configuration: Configuration, version: string): Promise<void>;
}
