/**
 * Profiles the three hottest paths: `node bench/profile.ts [--help]`. Runs each under the runtime's sampling profiler
 * and writes a flame graph (SVG) and the functions with the largest self time (Markdown) to bench/results/profiles/.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type CpuProfile, frameTree, joined, topFunctions } from "./lib/cpu-profile.ts";
import { flameGraph } from "./lib/flame-graph.ts";
import { machineFacts } from "./lib/machine.ts";
import { flagOption, namesOption, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { StatesOnDemand } from "./lib/states-on-demand.ts";
import { coreFunctionNames } from "./lib/wasm-names.ts";

const PATHS = {
  hashes: "Poseidon2 permutations, batches of 64 pair hashes",
  witnesses: "low-nullifier witness with its JSON, latest block",
  blocks: "applying blocks of 1,024 nullifiers, up to the commit",
} as const;
type PathName = keyof typeof PATHS;

const PROGRAM = join(import.meta.dirname, "lib", "hot-paths.ts");
const RESULTS = join(import.meta.dirname, "results", "profiles");
const SAMPLE_US = 200;
const TOP = 25;

const options = scriptOptions("bench/profile.ts", {
  seconds: wholeOption("length of each path's profile", 10),
  quick: flagOption("a small state, to see that everything works"),
  only: namesOption("paths, separated by commas", Object.keys(PATHS) as PathName[]),
});
const states = new StatesOnDemand(["large"], options.quick, (text) => process.stderr.write(`${text}\n`));
process.once("exit", () => states.remove());
const { cpu, node, commit } = await machineFacts();
const wasmNames = coreFunctionNames();
mkdirSync(RESULTS, { recursive: true });

for (const name of options.only) {
  const directory = name === "hashes" ? "" : (await states.large()).directory;
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-profile-"));
  try {
    const flags = ["--cpu-prof", `--cpu-prof-interval=${SAMPLE_US}`, `--cpu-prof-dir=${folder}`];
    const args = ["--disable-warning=ExperimentalWarning", PROGRAM, name, String(options.seconds), directory];
    await promisify(execFile)(process.execPath, [...flags, ...args]);
    // Each thread has its own file; the main thread's is the first by thread number.
    const threads = readdirSync(folder)
      .toSorted()
      .map((file, i): [string, CpuProfile] => [
        i === 0 ? "main thread" : `thread ${i}`,
        JSON.parse(readFileSync(join(folder, file), "utf8")),
      ])
      .map(([thread, profile]) => frameTree(profile, thread, wasmNames));
    const root = joined("all", threads);
    const top = topFunctions(root, TOP).map(
      ({ name: of, selfUs, share }) => `| ${(share * 100).toFixed(1)} % | ${(selfUs / 1000).toFixed(0)} | \`${of}\` |`,
    );
    const title = `${PATHS[name]} (${commit}, Node.js ${node}, ${cpu})`;
    writeFileSync(join(RESULTS, `${name}.svg`), flameGraph(title, root));
    writeFileSync(
      join(RESULTS, `${name}.md`),
      [`${title}; time of their own, all threads:`, "", "| share | ms | function |", "|---|---|---|", ...top, ""].join(
        "\n",
      ),
    );
    process.stdout.write(`${name}: bench/results/profiles/${name}.svg\n${top.slice(0, 8).join("\n")}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
