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
  /** Of a rate more is better, of a time or a size less. */
  better: "more" | "less";
  pairs: Pair[];
  note?: string;
}

/** A figure of ours alone, repeat by repeat. */
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
  /** Of the two reads that a witness may make, by themselves; kept runs from before they were measured have none. */
  searchUs?: number[];
  tileUs?: number[];
  insertionUs: number[];
  /** Outside the kernel, of a witness at the tip; absent where nothing counts them. */
  witnessInstructions?: number;
}

/** Latencies of one load, in milliseconds. */
export interface LatencyCurve {
  name: string;
  /** Ascending percentile, latency. */
  points: [percentile: number, ms: number][];
}

/** Figures that have no row in the table of targets; nested values are kept and not shown. */
export interface ResultTable {
  title: string;
  rows: Record<string, unknown>[];
}

/** What a suite found. Everything in it is plain JSON: it is kept as it is. */
export interface SuiteResult {
  measurements: (Comparison | Figure)[];
  growth?: GrowthPoint[];
  latencies?: LatencyCurve[];
  tables?: ResultTable[];
  notes?: string[];
}

export interface Run {
  /** ISO time of the start. */
  startedAt: string;
  seconds: number;
  /** A short run, whose figures say only that everything works. */
  quick: boolean;
  withReference: boolean;
  machine: MachineFacts;
  warnings: string[];
  suites: Record<string, SuiteResult & { seconds: number }>;
  /** Suites that could not run, and why. */
  failures: Record<string, string>;
}
