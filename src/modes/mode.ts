import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";

/** A condition of a start. Throws or rejects with an OperatorError. */
type StartCheck = (values: Values) => unknown;

/** A mode in which the process can run. */
export interface Mode {
  readonly name: string;
  /** Whether the flags select this mode. */
  selected(values: Values): boolean;
  /** Whether memory counts for more than the processors, by which its space for young objects stays small. */
  savesMemory?(values: Values): boolean;
  /** Whether it reads the rollup from L1, of which it takes the URLs from the options. */
  readonly followsL1?: boolean;
  /** Whether it opens the ports of a node. */
  readonly hasNodePorts?: boolean;
  /**
   * What options, and the files that they name, must be for this mode, cheap checks first. Each goes without network
   * and changes nothing. `run` may rely on them.
   */
  checks(): readonly StartCheck[] | Promise<readonly StartCheck[]>;
  /** Runs until the process is stopped. */
  run(configuration: Configuration, version: string): Promise<void>;
}
