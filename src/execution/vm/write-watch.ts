import { decodeInstruction, type Instruction } from "./disassemble.ts";
import type { Cell, TraceState } from "./trace.ts";

export interface CellWrite extends Cell {
  readonly address: number;
}

interface Range {
  readonly start: number;
  readonly count: number;
}

const MEMORY_CELLS = 2 ** 32;
const MOST_CELLS = 64;

/** Where an operand points in the given state, undefined when it does not resolve. */
function resolved(instruction: Instruction, operand: number, state: TraceState): number | undefined {
  const bits = instruction.mode >> (2 * operand);
  let address = instruction.offsets[operand];
  if ((bits & 2) !== 0) address += Number(state.cell(0).value);
  if (address >= MEMORY_CELLS) return undefined;
  return (bits & 1) !== 0 ? Number(state.cell(address).value) : address;
}

/** What the next instruction would write, the operands being what they are. */
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

/** The cells that one instruction writes: asked where before it, read after it. */
export class WriteWatch {
  #ranges: Range[] = [];
  #depth = 0;

  /** Before the instruction. Answers it, if there is one. */
  before(state: TraceState): Instruction | undefined {
    const found = decodeInstruction(state.bytecode, state.pc);
    const instruction = typeof found === "string" ? undefined : found;
    this.#depth = state.depth;
    this.#ranges = instruction === undefined ? [] : writtenRanges(instruction, state);
    return instruction;
  }

  /** After it: its cells, at most 64, when the same frame goes on. */
  after(state: TraceState): CellWrite[] {
    if (state.depth !== this.#depth) return [];
    return this.#ranges
      .flatMap(({ start, count }) => Array.from({ length: Math.min(count, MOST_CELLS) }, (_, i) => start + i))
      .slice(0, MOST_CELLS)
      .filter((address) => address < MEMORY_CELLS)
      .map((address) => ({ address, ...state.cell(address) }));
  }
}
