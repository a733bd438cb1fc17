import { availableParallelism } from "node:os";
import { BenchWitnessError } from "./errors.ts";
import { TREE_TEXTS, type TreeText } from "./tree-texts.ts";

/** Parameters of a measurement. */
export interface WitnessPlan {
  /** Reader threads. */
  threads: number;
  /** Relative frequency of reads per tree. */
  mix: { tree: TreeText; weight: number }[];
  /** Whether the operator chose the trees; an empty one is then an error. */
  mixGiven: boolean;
  /** Number of blocks before the tip of the block whose state is read. */
  depth: number;
  seconds: number;
  warmUpSeconds: number;
  /** Keys that each thread draws from a tree. */
  keys: number;
  /** Share of absent keys, 0 .. 1, for trees that prove absence with a low leaf. */
  absent: number;
}

export interface PlanTexts {
  threads?: string;
  trees?: string;
  depth?: string;
  duration?: string;
  warmUp?: string;
  keys?: string;
  absent?: string;
}

const DEFAULT_MIX = "nullifier,public-data";
const MAX_THREADS = 256;

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new BenchWitnessError(flag, `must be a whole number from ${least} to ${most}; got ${JSON.stringify(text)}`);
  return value;
}

function seconds(flag: string, text: string, least: number): number {
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= 86_400))
    throw new BenchWitnessError(flag, `must be seconds from ${least} to 86400; got ${JSON.stringify(text)}`);
  return value;
}

/** Parses "nullifier=3,public-data": names of trees with weights; the default weight is 1. */
function parseMix(text: string): WitnessPlan["mix"] {
  const known: readonly string[] = TREE_TEXTS;
  const mix = text.split(",").map((item) => {
    const [tree, weight = "1", ...rest] = item.trim().split("=");
    if (!known.includes(tree) || rest.length > 0)
      throw new BenchWitnessError("--trees", `knows ${TREE_TEXTS.join(", ")}; got ${JSON.stringify(item.trim())}`);
    return { tree: tree as TreeText, weight: wholeNumber(`--trees ${tree}`, weight, 1, 1000) };
  });
  const twice = mix.find(({ tree }, i) => mix.findIndex((other) => other.tree === tree) !== i);
  if (twice !== undefined) throw new BenchWitnessError("--trees", `names ${twice.tree} twice`);
  return mix;
}

/** Throws BenchWitnessError. */
export function parsePlan(texts: PlanTexts): WitnessPlan {
  return {
    threads:
      texts.threads === undefined ? availableParallelism() : wholeNumber("--threads", texts.threads, 1, MAX_THREADS),
    mix: parseMix(texts.trees ?? DEFAULT_MIX),
    mixGiven: texts.trees !== undefined,
    depth: wholeNumber("--depth", texts.depth ?? "0", 0, 2 ** 32 - 1),
    seconds: seconds("--duration", texts.duration ?? "10", 0.1),
    warmUpSeconds: seconds("--warm-up", texts.warmUp ?? "1", 0),
    keys: wholeNumber("--keys", texts.keys ?? "10000", 1, 1_000_000),
    absent: wholeNumber("--absent", texts.absent ?? "50", 0, 100) / 100,
  };
}
