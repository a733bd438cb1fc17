/**
 * Transactions of public calls, each a program that does one thing again and again or a compiled contract, in our
 * executor and in the network's own native simulator:
 *
 *   node bench/vm.ts [--help]
 *
 * Both sides execute the whole transaction on a fork of the same blocks, each in its own store on disk, and insert its
 * effects into the trees, whose roots must be equal. "cold": a fork that nothing has read from, and for ours an empty
 * cache of programs; "warm": a fork and programs that executed the transaction before. The system's page cache is warm
 * in both. Times are CPU time of all threads. The sides take turns; the quotients are theirs over ours, the median
 * of the pairs, the smallest and the largest. What the fork and the coding of the transaction cost is in no time.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generationNamed } from "../src/protocol/generations/known/choose.ts";
import { type GivenTx, GLOBALS } from "../test/world/execution/avm-vectors.ts";
import { JSON_FILE, REFERENCE_HOME, scriptOptions, textOption, wholeOption } from "./lib/script-options.ts";
import { inPairs, median, spreadOf } from "./lib/statistics.ts";
import { type BenchProgram, benchPrograms } from "./vm-programs.ts";
import { type Execution, openSides, type Side } from "./vm-states.ts";

const DA_GAS = 200_000;
const PRIVATE_GAS = { da: 96, l2: 540_000 };

/** The transaction of a program. Class ids are names of bytecodes, and programs share their numbers. */
function txOfProgram({ name, gas, contracts, calls }: BenchProgram, i: number): GivenTx {
  const hex = (value: number): string => `0x${value.toString(16)}`;
  return {
    group: "bench",
    name,
    contracts: contracts.map(({ address, classId, bytecode, ...contract }) => ({
      ...contract,
      address: hex(address),
      classId: `${hex(i + 1)}${classId.toString(16).padStart(16, "0")}`,
      bytecode: `0x${bytecode.replace(/^0x/, "")}`,
    })),
    pre: { feePayerBalance: hex(2 ** 52) },
    tx: {
      app: calls.map(({ address, sender, calldata }) => ({ address: hex(address), sender, calldata: [...calldata] })),
      nonRevertible: { nullifiers: ["0x420000"] },
      revertible: {},
      gasLimits: { da: DA_GAS + PRIVATE_GAS.da, l2: gas + PRIVATE_GAS.l2 },
      gasUsedByPrivate: PRIVATE_GAS,
      feePayer: "0xfee",
      maxFeesPerGas: { da: Number(GLOBALS.feePerDaGas), l2: Number(GLOBALS.feePerL2Gas) },
    },
  };
}

interface Row {
  readonly name: string;
  readonly gas: number;
  readonly coldMs: number;
  readonly warmMs: number;
  readonly referenceColdMs?: number;
  readonly referenceWarmMs?: number;
  /** Theirs over ours: median, smallest and largest of the pairs. */
  readonly timesCold?: string;
  readonly timesWarm?: string;
}

type Heat = "cold" | "warm";

const shown = (quotients: readonly number[]): string => {
  const { median: middle, min, max } = spreadOf(quotients);
  return `${middle.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
};

/** Both sides must have the same outcome. */
function requireEqual(name: string, ours: Execution, theirs: Execution): void {
  for (const member of ["gas", "revertCode", "trees"] as const)
    if (ours[member] !== theirs[member])
      throw new Error(`${name}: ${member} is ${ours[member]} here, ${theirs[member]} in the native simulator`);
}

async function measure(given: GivenTx, { ours, theirs }: { ours: Side; theirs?: Side }, repeats: number): Promise<Row> {
  const first = await ours.warm(given);
  if (theirs !== undefined) requireEqual(given.name, first, await theirs.warm(given));
  const pairs = async (heat: Heat) => {
    if (theirs === undefined) {
      const alone: { ours: number; theirs?: number }[] = [];
      for (let i = 0; i < repeats; i++) alone.push({ ours: (await ours[heat](given)).ms });
      return alone;
    }
    return inPairs(
      repeats,
      async () => (await ours[heat](given)).ms,
      async () => (await theirs[heat](given)).ms,
    );
  };
  const figures = async (heat: Heat) => {
    const times = await pairs(heat);
    const reference = times.flatMap(({ theirs: ms }) => (ms === undefined ? [] : [ms]));
    return {
      ms: median(times.map(({ ours: ms }) => ms)),
      ...(reference.length > 0 && {
        referenceMs: median(reference),
        quotients: shown(times.map(({ ours: ms, theirs: other = 0 }) => other / ms)),
      }),
    };
  };
  const [cold, warm] = [await figures("cold"), await figures("warm")];
  return {
    name: given.name,
    gas: first.gas,
    coldMs: cold.ms,
    warmMs: warm.ms,
    referenceColdMs: cold.referenceMs,
    referenceWarmMs: warm.referenceMs,
    timesCold: cold.quotients,
    timesWarm: warm.quotients,
  };
}

const options = scriptOptions("bench/vm.ts", {
  repeats: wholeOption("pairs, whose medians count", 5),
  json: JSON_FILE,
  only: textOption("programs with this in their name", "TEXT"),
  generation: textOption("v4 or v5", "NAME", "v4"),
  "bb-js": textOption("also measure the simulator of this @aztec/bb.js, 4.1.2 for v4 and 5.0.0 for v5", "DIR"),
  root: textOption("root file system with the libraries that the simulator needs", "DIR"),
  "reference-home": REFERENCE_HOME,
});
const { repeats, json, only = "", generation: name = "v4", root } = options;
// The reference's installation is of release 4.1.2.
const home = name === "v4" ? options["reference-home"] : undefined;
if (home !== undefined && options["bb-js"] === undefined) {
  const reference = join(home, "root");
  underLibraries(reference, ["--bb-js", join(reference, "work", "node_modules", "@aztec", "bb.js")]);
} else if (root !== undefined) underLibraries(root, []);
else await main();

/** Runs this script again with the C library of a root file system. */
function underLibraries(folder: string, more: readonly string[]): void {
  const given = process.argv.slice(2).filter((_, i, all) => !isOption(all[i], all[i - 1]));
  const libraries = ["lib", "usr/lib"].map((path) => join(folder, path, "x86_64-linux-gnu")).join(":");
  const loader = join(folder, "lib64", "ld-linux-x86-64.so.2");
  const args = ["--library-path", libraries, process.execPath, ...process.execArgv, import.meta.filename];
  const env = { ...process.env };
  delete env.REFERENCE_HOME;
  const { status } = spawnSync(loader, [...args, ...given, ...more], { stdio: "inherit", env });
  process.exitCode = status ?? 1;
}

/** Whether an argument is one of the options that name libraries, or the value of one. */
function isOption(argument: string, before: string | undefined): boolean {
  return [argument, before].some((text) => text === "--root" || text === "--reference-home");
}

async function main(): Promise<void> {
  const generation = generationNamed(name === "v4" ? undefined : name);
  const programs = benchPrograms(generation.execution.vm)
    .map(txOfProgram)
    .filter((program) => program.name === "empty" || program.name.includes(only));
  const sides = await openSides(programs, generation, options["bb-js"]);
  const rows: Row[] = [];
  try {
    process.stdout.write("program | gas | cold ms | warm ms | native cold | native warm | times cold | times warm\n");
    for (const program of programs) {
      const row = await measure(program, sides, repeats);
      rows.push(row);
      const ms = [row.coldMs, row.warmMs, row.referenceColdMs, row.referenceWarmMs].map(
        (each) => each?.toFixed(2) ?? "-",
      );
      process.stdout.write(`${[row.name, row.gas, ...ms, row.timesCold ?? "-", row.timesWarm ?? "-"].join(" | ")}\n`);
    }
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, undefined, 2)}\n`);
  } finally {
    await sides.ours.close();
    await sides.theirs?.close();
  }
}
