import type { InstructionForm } from "../../../src/execution/vm/instruction-set.ts";
import { FR_MODULUS } from "../../../src/protocol/field.ts";
import type { Draw } from "./generated-programs.ts";

/** What programs of a case refer to. */
export interface ProgramContext {
  readonly instructions: readonly InstructionForm[];
  /** Cells of a point. */
  readonly pointCells: number;
  /** Members of an instance that GETCONTRACTINSTANCE reads. */
  readonly instanceMembers: number;
  /** Addresses of contracts, deployed or not. */
  readonly addresses: readonly number[];
  readonly balanceSlot: bigint;
}

export const TAG = { field: 0, u1: 1, u8: 2, u16: 3, u32: 4, u64: 5, u128: 6 } as const;
export const BITS = [254, 1, 8, 16, 32, 64, 128];
/** The base of relative operands, in cell 0. */
export const BASE = 7;
export const RESULTS = 60;
export const RESULT_CELLS = 16;
export const DATA = 200;
export const U32_EDGES = [0, 1, 2, 3, 7, 31, 32, 64, 300, 65_535, 0x7fffffff, 0xfffffffe, 0xffffffff];
const SET = { byte: 39, two: 40, word: 41, eight: 42, sixteen: 43, field: 44 };

/** Writes instructions with random operands of the right kind, with an occasional mistake but in careful programs. */
export class ProgramWriter {
  readonly draw: Draw;
  readonly context: ProgramContext;
  readonly out: number[] = [];
  readonly isCareful: boolean;
  #next = 10;

  constructor(draw: Draw, context: ProgramContext) {
    this.draw = draw;
    this.context = context;
    this.isCareful = draw.chance(2);
  }

  /** Whether to make a mistake. */
  slips(outOf: number): boolean {
    return !this.isCareful && this.draw.chance(outOf);
  }

  bytes(value: bigint, count: number): void {
    for (let i = count - 1; i >= 0; i--) this.out.push(Number((value >> BigInt(8 * i)) & 255n));
  }

  set(cell: number, tag: number, value: bigint): void {
    const size =
      value < 256n && cell < 256 ? 0 : value < 1n << 32n ? 1 : value < 1n << 64n ? 2 : value < 1n << 128n ? 3 : 4;
    const opcode = [SET.byte, SET.word, SET.eight, SET.sixteen, SET.field][size];
    this.out.push(opcode, 0);
    this.bytes(BigInt(cell), size === 0 ? 1 : 2);
    this.out.push(this.slips(400) ? this.draw.below(9) : tag);
    this.bytes(value, [1, 4, 8, 16, 32][size]);
  }

  /** Sets a scratch cell and returns its address. */
  value(tag: number, value: bigint): number {
    const cell = this.#next;
    this.#next = this.#next >= 58 ? 10 : this.#next + 1;
    this.set(cell, this.slips(150) ? this.draw.below(7) : tag, value);
    return cell;
  }

  result(): number {
    return RESULTS + this.draw.below(RESULT_CELLS);
  }

  number(tag: number): bigint {
    const draw = this.draw;
    const bits = BITS[tag];
    const kind = draw.below(6);
    if (kind === 0) return 0n;
    if (kind === 1) return tag === TAG.field ? FR_MODULUS - 1n : (1n << BigInt(bits)) - 1n;
    if (kind < 4) return BigInt(draw.below(Math.min(300, 2 ** bits)));
    const random = draw.bytes(32).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return tag === TAG.field ? random % FR_MODULUS : random & ((1n << BigInt(bits)) - 1n);
  }

  field(): number {
    return this.value(TAG.field, this.number(TAG.field));
  }

  u32(most: number): number {
    const draw = this.draw;
    return this.value(TAG.u32, BigInt(this.slips(25) ? draw.pick(U32_EDGES) : draw.below(most)));
  }

  address(): number {
    return this.value(
      TAG.field,
      BigInt(this.draw.chance(25) ? this.draw.below(13) : this.draw.pick(this.context.addresses)),
    );
  }

  /** An instruction on cells; some operands are relative, some indirect. */
  emit(opcode: number, cells: readonly number[], { tag, immediate }: { tag?: number; immediate?: number } = {}): void {
    const draw = this.draw;
    const form = this.context.instructions[opcode];
    let mode = 0;
    const operands = cells.map((cell, i) => {
      const kind = draw.below(12);
      if (kind === 0) {
        mode |= 1 << (2 * i);
        return this.value(TAG.u32, BigInt(cell));
      }
      if (kind === 1 && cell >= BASE) {
        mode |= 2 << (2 * i);
        return cell - BASE;
      }
      if (this.slips(500)) return draw.below(256 ** form.operandBytes);
      return cell;
    });
    if (this.slips(80)) mode |= draw.below(2 ** (8 * form.modeBytes));
    this.out.push(opcode);
    this.bytes(BigInt(mode), form.modeBytes);
    for (const operand of operands) this.bytes(BigInt(operand), form.operandBytes);
    if (form.hasTag) this.out.push(tag ?? draw.below(7));
    if (form.immediate) this.bytes(BigInt(immediate ?? 0), form.immediate.bytes);
  }

  slice(tag: number, cells: number): number {
    const draw = this.draw;
    const at = DATA + draw.below(40);
    for (let i = 0; i < cells; i++) {
      if (tag !== TAG.field || this.isCareful || draw.chance(2)) this.set(at + i, tag, this.number(tag));
    }
    if (this.slips(30)) this.set(at + draw.below(Math.max(cells, 1)), draw.below(7), 1n);
    return at;
  }
}
