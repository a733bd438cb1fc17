import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CpuProfile, WasmNames } from "./cpu-profile.ts";
import type { FollowedChain } from "./followed-chain.ts";
import type { ResultTable } from "./measurement.ts";
import { coreFunctionNames } from "./wasm-names.ts";

/** The program as separate modules (npm run build:modules), since the bundled one does not tell files apart. */
const MODULES_MAIN = join(import.meta.dirname, "..", "..", "build", "src", "cli", "main.js");
const SAMPLE_US = 500;
/** A thread that waits for a processor is sampled once when it has got one; the wait is none of its CPU time. */
const MAX_US_PER_SAMPLE = 2 * SAMPLE_US;

const HASHING = "hashing in the core: trees, blob sponges, block hashes";
const UNSAMPLED = "threads without JavaScript: compiling, collecting, reading files; the profiler itself";
const REST = "rest, most of it the start";

/**
 * Kinds of work by the file of the function, in order of precedence. Functions without a file count as their caller.
 */
const BY_FILE: readonly (readonly [RegExp, string])[] = [
  [/@noble\/hashes|node:internal\/crypto/, "SHA-256 and Keccak of headers, blobs and calls"],
  [/node_modules\/(lmdb|msgpackr|ordered-binary)|\/src\/storage\//, "rows of the store"],
  [
    /\/src\/(l1|http)\/|node_modules\/(viem|abitype|ox|snappy)|undici|node:(_?http|net|fs|zlib|_tls|internal\/(fs|streams|http))/,
    "L1 and blobs",
  ],
  [/\/src\/(world-state|core)\//, "trees beside the hashing"],
  [/\/src\/(archiver|protocol)\//, "blocks: reading blobs, checks, indexes"],
  [/piscina|\/src\/threads\/|node:internal\/worker/, "messages between threads"],
  [/node:internal\/(modules|bootstrap|main|vm|process)/, "loading code"],
];

/** Functions of the core that hash, by the path in their name. */
const HASH_FUNCTIONS = /(^|\/)assembly\/(poseidon2|lanes|field)\//;
/** Waits: the event loop, and pool threads without a task. */
const IDLE = /^(\(idle\)|\(root\))$/;
const POOL_WAIT = "atomicsWaitLoop";

/** CPU time of one sync. */
export interface CpuSplit {
  /** Milliseconds by kind of work. */
  kinds: ReadonlyMap<string, number>;
  /** Of the process, by the system's count. */
  totalMs: number;
  /** Share of the hashing in the whole; undefined if the core's functions have no names (wasm-names.ts). */
  hashing: number | undefined;
}

function addProfile(profile: CpuProfile, wasm: WasmNames, kinds: Map<string, number>): void {
  const self = new Map<number, number>();
  for (const [i, id] of profile.samples.entries()) {
    const us = Math.min(MAX_US_PER_SAMPLE, Math.max(0, profile.timeDeltas[i]));
    self.set(id, (self.get(id) ?? 0) + us);
  }
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const walk = (id: number, callerKind: string): void => {
    const node = nodes.get(id);
    if (node === undefined) throw new RangeError(`node ${id} of the profile is missing`);
    const { functionName, url } = node.callFrame;
    if (functionName === POOL_WAIT) return;
    let kind = callerKind;
    if (url.startsWith("wasm:")) {
      const number = /^wasm-function\[(\d+)\]$/.exec(functionName)?.[1];
      const name = (number === undefined ? undefined : wasm.get(Number(number))) ?? functionName;
      kind = HASH_FUNCTIONS.test(name) ? HASHING : "trees beside the hashing";
    } else if (functionName === "(garbage collector)") kind = "collecting garbage";
    else if (functionName === "(program)") kind = "native code and the system";
    else if (url !== "") kind = BY_FILE.find(([file]) => file.test(url))?.[1] ?? REST;
    const us = self.get(id) ?? 0;
    if (!IDLE.test(functionName)) kinds.set(kind, (kinds.get(kind) ?? 0) + us / 1000);
    for (const child of node.children ?? []) walk(child, kind);
  };
  walk(profile.nodes[0].id, REST);
}

/** Syncs once under the runtime's sampling profiler. */
export async function cpuSplit(chain: FollowedChain, block: number): Promise<CpuSplit> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-split-"));
  try {
    const flags = ["--cpu-prof", `--cpu-prof-interval=${SAMPLE_US}`, `--cpu-prof-dir=${folder}`];
    const node = await chain.node(block, { main: MODULES_MAIN, runtimeFlags: flags });
    await node.stop();
    const wasm = coreFunctionNames();
    const kinds = new Map<string, number>();
    for (const file of readdirSync(folder))
      addProfile(JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile, wasm, kinds);
    const totalMs = node.cpuSeconds * 1000;
    const sampled = [...kinds.values()].reduce((sum, ms) => sum + ms, 0);
    kinds.set(UNSAMPLED, Math.max(0, totalMs - sampled));
    return { kinds, totalMs, hashing: wasm.size === 0 ? undefined : (kinds.get(HASHING) ?? 0) / totalMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function splitTable({ kinds, totalMs }: CpuSplit): ResultTable {
  const rows = [...kinds]
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, ms]) => ({ what, ms: Math.round(ms), share: `${((100 * ms) / totalMs).toFixed(1)} %` }));
  return { title: "CPU time of a long sync", rows };
}
