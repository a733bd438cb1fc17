import type { MachineFacts } from "./machine.ts";
import type { Pair } from "./statistics.ts";
import type { PeerId, RowId } from "./targets.ts";

export type Unit = "/s" | "µs" | "ms" | "s" | "MiB" | "bytes" | "times";

/** Both sides of a comparison, repeat by repeat. */
export interface Comparison {
  kind: "comparison";
  row: RowId;
  peer: PeerId;
  unit: Unit;
  /** "more" for a rate, "less" for a time or a size. */
  better: "more" | "less";
  pairs: Pair[];
  note?: string;
}

/** A figure of this project alone, one value per repeat. */
export interface Figure {
  kind: "figure";
  row: RowId;
  name: string;
  unit: Unit;
  values: number[];
  note?: string;
}

export interface GrowthPoint {
  leaves: number;
  /** Microseconds of CPU time, a value for each repeat. */
  witnessUs: number[];
  oldWitnessUs: number[];
  /** The two reads of a witness by themselves; absent in runs from before they were measured. */
  searchUs?: number[];
  tileUs?: number[];
  insertionUs: number[];
  /** Instructions in user mode of a witness at the tip; absent where they cannot be counted. */
  witnessInstructions?: number;
}

/** Latencies of one load, in milliseconds. */
export interface LatencyCurve {
  name: string;
  /** Ascending percentile, latency. */
  points: [percentile: number, ms: number][];
}

/** Figures that have no row in the table of targets; nested values are saved but not shown. */
export interface ResultTable {
  title: string;
  rows: Record<string, unknown>[];
}

/** Results of a suite, all plain JSON, because they are saved as they are. */
export interface SuiteResult {
  measurements: (Comparison | Figure)[];
  growth?: GrowthPoint[];
  latencies?: LatencyCurve[];
  tables?: ResultTable[];
  notes?: string[];
}

/** Where and when a suite was measured, in a collection of suites from several runs. */
export interface SuiteOrigin {
  /** ISO time of the start of its run. */
  startedAt: string;
  withReference: boolean;
  machine: MachineFacts;
}

export interface Run {
  /** ISO time of the start. */
  startedAt: string;
  seconds: number;
  /** A short run that only shows that everything works. */
  quick: boolean;
  withReference: boolean;
  machine: MachineFacts;
  warnings: string[];
  suites: Record<string, SuiteResult & { seconds: number; origin?: SuiteOrigin }>;
  /** Suites that could not run, and why. */
  failures: Record<string, string>;
}
