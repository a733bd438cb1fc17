import { loadCore } from "../../core/load-core.ts";
import { instructionText } from "../../execution/vm/disassemble.ts";
import { type InstructionForm, instructionsOf } from "../../execution/vm/instruction-set.ts";
import { MemoryHost } from "../../execution/vm/memory-host.ts";
import type { RunResult } from "../../execution/vm/run.ts";
import { tagName } from "../../execution/vm/tags.ts";
import type { TraceState } from "../../execution/vm/trace.ts";
import { Vm } from "../../execution/vm/vm.ts";
import { type CellWrite, WriteWatch } from "../../execution/vm/write-watch.ts";
import { toHex } from "../../protocol/bytes.ts";
import { FR_ZERO, type Fr, fr } from "../../protocol/field.ts";
import type { Generation } from "../../protocol/generations/generation.ts";

export interface ProgramRun {
  readonly generation: Generation;
  readonly bytecode: Uint8Array;
  readonly address: Fr;
  readonly sender: Fr;
  readonly calldata: Uint8Array;
  readonly isStatic: boolean;
  readonly gas: { readonly l2: number; readonly da: number };
}

/** Block and transaction environment of the program: that of a local network. */
const FIRST_NULLIFIER = fr(1);
const GLOBALS = {
  chainId: fr(31337),
  version: fr(1),
  blockNumber: 1,
  timestamp: 1n,
  feePerL2Gas: 1n,
  feePerDaGas: 1n,
};
const MAX_OUTPUT_FIELDS = 5000;

const short = (word: Uint8Array): string => `0x${BigInt(toHex(word)).toString(16)}`;
const cellText = ({ address, tag, value }: CellWrite): string =>
  `[${address}] = ${tagName(tag)} 0x${value.toString(16)}`;

/** Prints a line per instruction and, indented, one per memory cell that it wrote. */
class TracePrinter {
  readonly #write: (line: string) => void;
  readonly #watch: WriteWatch;
  #started = false;

  constructor(instructions: readonly InstructionForm[], write: (line: string) => void) {
    this.#watch = new WriteWatch(instructions);
    this.#write = write;
  }

  step(state: TraceState): void {
    if (this.#started) for (const cell of this.#watch.after(state)) this.#write(`      ${cellText(cell)}`);
    this.#started = true;
    const instruction = this.#watch.before(state);
    const text = instruction === undefined ? "no instruction" : instructionText(instruction);
    this.#write(`${state.depth} pc ${state.pc} gas ${state.gas.l2},${state.gas.da} ${text}`);
  }
}

function* summary(result: RunResult, host: MemoryHost): Generator<string> {
  yield `${result.ended} at pc ${result.pc}${result.haltMessage === undefined ? "" : `: ${result.haltMessage}`}`;
  yield `gas used: L2 ${result.gasUsed.l2}, DA ${result.gasUsed.da}`;
  const fields = Array.from({ length: result.output.length / 32 }, (_, i) =>
    result.output.subarray(i * 32, i * 32 + 32),
  );
  yield `output, ${result.outputSize} fields: ${fields.map(short).join(", ") || "-"}`;
  if (result.ended !== "returned") return;
  for (const [slot, value] of host.effects.writes) yield `public data write ${slot}: ${short(value)}`;
  for (const nullifier of host.effects.nullifiers.slice(1)) yield `nullifier ${short(nullifier)}`;
  for (const hash of host.effects.noteHashes) yield `note hash ${short(hash)}`;
  for (const log of host.effects.logs) yield `public log of ${short(log.contract)}: ${log.fields.length / 32} fields`;
  for (const { recipient, content } of host.effects.messages) yield `message to ${short(recipient)}: ${short(content)}`;
}

/** Runs a program as the only contract in an otherwise empty world state, and prints the result. */
export function runProgram(given: ProgramRun, trace: boolean, write: (line: string) => void): void {
  const vm = new Vm(given.generation);
  const host = new MemoryHost(loadCore(), FIRST_NULLIFIER);
  const program = vm.load("program", given.bytecode);
  host.setContract(given.address, {
    program,
    classId: FR_ZERO,
    deployer: FR_ZERO,
    initializationHash: FR_ZERO,
  });
  const printer = new TracePrinter(instructionsOf(given.generation.execution.vm), write);
  const { address, sender, calldata, isStatic, gas } = given;
  const request = { address, sender, calldata, isStatic, gas, transactionFee: FR_ZERO, globals: GLOBALS };
  const options = { maxOutputFields: MAX_OUTPUT_FIELDS, collectDebugLogs: true };
  const result = vm.run(request, host, trace ? { ...options, trace: (state) => printer.step(state) } : options);
  for (const line of summary(result, host)) write(line);
  for (const entry of host.debugLogs) write(`debug log, level ${entry.level}: ${JSON.stringify(entry.message)}`);
}
