/**
 * Instructions and gas per second of the public VM, compared with the same programs in the reference's native
 * simulator:
 *
 *   node bench/vm.ts [--help]
 *
 * Times are CPU time, medians of the repeats. "cold" is a VM that has never seen the program, "warm" one that has. The
 * reference runs whole transactions, so the time of its empty one is subtracted. Its storage is a real tree, ours here
 * is a map.
 */
import { rmSync, writeFileSync } from "node:fs";
import { siloNullifier } from "../src/core/derive/nullifier.ts";
import { loadCore } from "../src/core/load-core.ts";
import { MemoryHost } from "../src/execution/vm/memory-host.ts";
import type { RunOptions, RunRequest } from "../src/execution/vm/run.ts";
import { Vm } from "../src/execution/vm/vm.ts";
import { concat, fromHex } from "../src/protocol/bytes.ts";
import { FR_ZERO, fr } from "../src/protocol/field.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import { Reference } from "./lib/reference.ts";
import { JSON_FILE, REFERENCE_HOME, scriptOptions, textOption, wholeOption } from "./lib/script-options.ts";
import { type BenchProgram, benchPrograms } from "./vm-programs.ts";

const core = loadCore();
const DA_GAS = 200_000;
const INSTANCE_REGISTRY = fr(2);
const PROGRAMS_FILE = "vm-programs.json";

function hostOf(vm: Vm, program: BenchProgram): MemoryHost {
  const host = new MemoryHost(core, fr(420_000));
  for (const { address, classId, bytecode, deployer, initHash } of program.contracts) {
    host.setContract(fr(address), {
      program: vm.load(bytecode, fromHex(bytecode)),
      classId: fr(classId),
      deployer: fr(BigInt(deployer)),
      initializationHash: fr(BigInt(initHash)),
    });
    host.addNullifier(siloNullifier(core, INSTANCE_REGISTRY, fr(address)));
  }
  return host;
}

/** Runs the program's calls one after another as a transaction does. Returns the L2 gas used. */
function runCalls(vm: Vm, program: BenchProgram, host: MemoryHost, options: RunOptions = {}): number {
  let gas = program.gas;
  for (const { address, sender, calldata } of program.calls) {
    const request: RunRequest = {
      address: fr(address),
      sender: fr(BigInt(sender)),
      calldata: concat(...calldata.map((text) => fr(BigInt(text)))),
      isStatic: false,
      gas: { l2: gas, da: DA_GAS },
      transactionFee: FR_ZERO,
      globals: {
        chainId: FR_ZERO,
        version: FR_ZERO,
        blockNumber: 42,
        timestamp: 99_833n,
        feePerL2Gas: 0n,
        feePerDaGas: 0n,
      },
    };
    gas = vm.run(request, host, options).gasLeft.l2;
  }
  return program.gas - gas;
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

interface Measured {
  readonly name: string;
  readonly instructions: number;
  readonly gas: number;
  readonly coldMs: number;
  readonly warmMs: number;
}

function measure(program: BenchProgram, repeats: number): Measured {
  let instructions = 0;
  const counting = new Vm(V4);
  // All iterations of a loop are alike, so only a part is counted.
  const counted = { ...program, gas: Math.min(program.gas, 6_000_000) };
  const countedGas = runCalls(counting, counted, hostOf(counting, counted), { trace: () => instructions++ });
  const cold = Array.from({ length: repeats }, () => {
    const vm = new Vm(V4);
    const host = hostOf(vm, program);
    return cpuMs(() => runCalls(vm, program, host));
  });
  const vm = new Vm(V4);
  const gas = runCalls(vm, program, hostOf(vm, program));
  const warm = Array.from({ length: repeats }, () => {
    const host = hostOf(vm, program);
    return cpuMs(() => runCalls(vm, program, host));
  });
  return {
    name: program.name,
    instructions: Math.round((instructions / countedGas) * gas),
    gas,
    coldMs: median(cold),
    warmMs: median(warm),
  };
}

type ReferenceTimes = Record<string, { times: number[]; gas: number; code: number }>;

async function measureReference(home: string, programs: readonly BenchProgram[], repeats: number) {
  const reference = new Reference(home);
  const file = reference.inside(PROGRAMS_FILE);
  writeFileSync(reference.outside(file), JSON.stringify(programs));
  try {
    return await reference.run<ReferenceTimes>("vm.mjs", [file, String(repeats)]);
  } finally {
    rmSync(reference.outside(file));
  }
}

const options = scriptOptions("bench/vm.ts", {
  repeats: wholeOption("rounds, whose medians count", 5),
  json: JSON_FILE,
  only: textOption("programs with this in their name", "TEXT"),
  "reference-home": REFERENCE_HOME,
});
const { repeats, json, only = "" } = options;
const programs = benchPrograms().filter(({ name }) => name === "empty" || name.includes(only));
const ours = programs.map((program) => measure(program, repeats));
const home = options["reference-home"];
const theirs = home ? await measureReference(home, programs, repeats) : undefined;
const emptyMs = theirs ? median(theirs.empty.times) : 0;

const rows = ours.map((row) => {
  const reference = theirs?.[row.name];
  if (reference && reference.gas !== row.gas) {
    throw new Error(`${row.name}: ${row.gas} gas here, ${reference.gas} in the reference`);
  }
  const referenceMs = reference && row.name !== "empty" ? median(reference.times) - emptyMs : undefined;
  return { ...row, referenceMs, times: referenceMs === undefined ? undefined : referenceMs / row.warmMs };
});
const million = (count: number, ms: number): string => (count / ms / 1000).toFixed(2);
process.stdout.write(
  "program | instructions | cold ms | warm ms | M instructions/s | M gas/s | reference ms | times as fast\n",
);
for (const row of rows) {
  const { name, instructions, gas, coldMs, warmMs, referenceMs, times } = row;
  const cells = [name, instructions, coldMs.toFixed(2), warmMs.toFixed(2), million(instructions, warmMs)];
  cells.push(million(gas, warmMs), referenceMs?.toFixed(1) ?? "-", times?.toFixed(1) ?? "-");
  process.stdout.write(`${cells.join(" | ")}\n`);
}
if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, undefined, 2)}\n`);
