import type { SuiteResult } from "./measurement.ts";
import type { Reference } from "./reference.ts";
import type { StatesOnDemand } from "./states-on-demand.ts";

export interface SuiteContext {
  /** Small sizes and short loads, which only show that everything works. */
  readonly quick: boolean;
  /** Number of pairs per comparison. */
  readonly repeats: number;
  /** Length of one load. */
  readonly seconds: number;
  readonly reference: Reference | undefined;
  readonly states: StatesOnDemand;
  /** Folder with a recording that bench/long-chain.ts made. */
  readonly longChain: string | undefined;
  /** Reports what is being measured. */
  progress(text: string): void;
}

export type Suite = (context: SuiteContext) => Promise<SuiteResult>;
