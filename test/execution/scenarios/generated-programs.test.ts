import { expect, test } from "vitest";
import { instructionsOf } from "../../../src/execution/vm/instruction-set.ts";
import { MemoryHost } from "../../../src/execution/vm/memory-host.ts";
import type { RunRequest, RunResult } from "../../../src/execution/vm/run.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { rounds } from "../../support/soak.ts";
import { core, GLOBALS } from "../support/op-vectors.ts";
import { type Generated, generate } from "./generated-programs.ts";

/** Number of programs, from SVC_FUZZ_PROGRAMS; their seeds begin at SVC_FUZZ_FIRST. */
const PROGRAMS = Number(process.env.SVC_FUZZ_PROGRAMS ?? rounds(100_000, 20_000));
const FIRST = Number(process.env.SVC_FUZZ_FIRST ?? 0);
/** One in this many programs is run again in a fresh VM. */
const REPEATED = 16;
const ADDRESS = fr(0x1001);

function run(vm: Vm, seed: number, { bytecode, gas }: Generated): RunResult {
  const host = new MemoryHost(core, fr(0x4242));
  host.setContract(ADDRESS, {
    program: vm.load(`${seed}`, bytecode),
    classId: fr(1),
    deployer: FR_ZERO,
    initializationHash: FR_ZERO,
  });
  const request: RunRequest = {
    address: ADDRESS,
    sender: fr(7),
    calldata: new Uint8Array(96).fill(1),
    isStatic: seed % 8 === 0,
    gas,
    transactionFee: FR_ZERO,
    globals: GLOBALS,
  };
  return vm.run(request, host);
}

/** The first broken invariant of a run, if any. */
function broken(result: RunResult, { gas }: Generated): string | undefined {
  const { ended, gasLeft, gasUsed, output, outputSize, haltMessage } = result;
  if (gasLeft.l2 + gasUsed.l2 !== gas.l2 || gasLeft.da + gasUsed.da !== gas.da) return "gas does not add up";
  if (gasLeft.l2 < 0 || gasLeft.da < 0 || gasLeft.l2 > gas.l2 || gasLeft.da > gas.da) return "gas out of bounds";
  if (ended === "halted" && (gasLeft.l2 !== 0 || gasLeft.da !== 0)) return "a halt kept gas";
  if (ended === "halted" && outputSize !== 0) return "a halt gave data";
  if (output.length !== Math.min(outputSize, 300) * 32) return "output of another size";
  if ((ended === "returned") !== (haltMessage === undefined)) return "a reason that does not fit the end";
  return undefined;
}

test(`${PROGRAMS} generated programs end in a defined result within their gas`, { timeout: 3_600_000 }, () => {
  const vm = new Vm(V4, { cachedBytes: 1 << 20 });
  const ends = { returned: 0, reverted: 0, halted: 0 };
  for (let seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
    const given = generate(seed, instructionsOf(V4.execution.vm));
    let result: RunResult;
    try {
      result = run(vm, seed, given);
    } catch (error) {
      throw new Error(`program ${seed} was not run to its end`, { cause: error });
    }
    ends[result.ended]++;
    const fault = broken(result, given);
    if (fault !== undefined) throw new Error(`program ${seed}: ${fault}`);
    if (seed % (REPEATED * 64) === 0) expect([seed, run(new Vm(V4), seed, given)]).toEqual([seed, result]);
    else if (seed % REPEATED === 0) expect([seed, run(vm, seed, given)]).toEqual([seed, result]);
  }
  // The generator is useful only if enough of its programs do not halt.
  expect(ends.returned + ends.reverted).toBeGreaterThan(PROGRAMS / 20);
  expect(ends.halted).toBeGreaterThan(0);
});
