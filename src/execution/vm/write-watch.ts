import { decodeInstruction, type Instruction } from "./disassemble.ts";
import type { InstructionForm } from "./instruction-set.ts";
import type { Cell, TraceState } from "./trace.ts";

export interface CellWrite extends Cell {
  readonly address: number;
}

interface Range {
  readonly start: number;
  readonly count: number;
}

const MEMORY_CELLS = 2 ** 32;
const MAX_CELLS = 64;

/** Address that an operand resolves to in the given state; undefined when it does not resolve. */
function resolved(instruction: Instruction, operand: number, state: TraceState): number | undefined {
  const bits = instruction.mode >> (2 * operand);
  let address = instruction.offsets[operand];
  if ((bits & 2) !== 0) address += Number(state.cell(0).value);
  if (address >= MEMORY_CELLS) return undefined;
  return (bits & 1) !== 0 ? Number(state.cell(address).value) : address;
}

/** Cells that the next instruction would write in the given state. */
function writtenRanges(instruction: Instruction, state: TraceState): Range[] {
  return instruction.form.operands.flatMap(({ writes }, i) => {
    if (writes === undefined) return [];
    const start = resolved(instruction, i, state);
    if (start === undefined) return [];
    if ("cells" in writes) return [{ start, count: writes.cells }];
    const size = resolved(instruction, writes.operand, state);
    return size === undefined ? [] : [{ start, count: Number(state.cell(size).value) }];
  });
}

/**
 * Reports the cells that one instruction writes: their addresses are computed before it, their values read after it.
 */
export class WriteWatch {
  readonly #instructions: readonly InstructionForm[];
  #ranges: Range[] = [];
  #depth = 0;

  constructor(instructions: readonly InstructionForm[]) {
    this.#instructions = instructions;
  }

  /** Called before an instruction. Returns it, or undefined if none can be decoded. */
  before(state: TraceState): Instruction | undefined {
    const found = decodeInstruction(this.#instructions, state.bytecode, state.pc);
    const instruction = typeof found === "string" ? undefined : found;
    this.#depth = state.depth;
    this.#ranges = instruction === undefined ? [] : writtenRanges(instruction, state);
    return instruction;
  }

  /** Called after the instruction. Returns at most 64 written cells; none if the running frame has changed. */
  after(state: TraceState): CellWrite[] {
    if (state.depth !== this.#depth) return [];
    return this.#ranges
      .flatMap(({ start, count }) => Array.from({ length: Math.min(count, MAX_CELLS) }, (_, i) => start + i))
      .slice(0, MAX_CELLS)
      .filter((address) => address < MEMORY_CELLS)
      .map((address) => ({ address, ...state.cell(address) }));
  }
}
