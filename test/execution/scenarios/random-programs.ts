import type { InstructionForm } from "../../../src/execution/vm/instruction-set.ts";
import { FR_MODULUS } from "../../../src/protocol/field.ts";
import type { Draw } from "./generated-programs.ts";

/** What programs of a case refer to. */
export interface ProgramContext {
  readonly instructions: readonly InstructionForm[];
  /** Cells of a point. */
  readonly pointCells: number;
  /** Addresses of contracts, deployed or not. */
  readonly addresses: readonly number[];
  readonly balanceSlot: bigint;
}

const TAG = { field: 0, u1: 1, u8: 2, u16: 3, u32: 4, u64: 5, u128: 6 } as const;
const BITS = [254, 1, 8, 16, 32, 64, 128];
/** The base of relative operands, in cell 0. */
const BASE = 7;
const RESULTS = 60;
const RESULT_CELLS = 16;
const DATA = 200;
const GENERATOR = { x: 1n, y: 17631683881184975370165255887551781615748388533673675138860n };
const DOUBLED = {
  x: 0x06ce1b0827aafa85ddeb49cdaa36306d19a74caa311e13d46d8bc688cdbffffen,
  y: 0x1c122f81a3a14964909ede0ba2a6855fc93faf6fa1a788bf467be7e7a43f80acn,
};
const SET = { byte: 39, two: 40, word: 41, eight: 42, sixteen: 43, field: 44 };
const U32_EDGES = [0, 1, 2, 3, 7, 31, 32, 64, 300, 65_535, 0x7fffffff, 0xfffffffe, 0xffffffff];

/** Writes a program of snippets. Each sets its operands to what the instruction takes, with an occasional mistake. */
export class RandomProgram {
  readonly #draw: Draw;
  readonly #context: ProgramContext;
  readonly #out: number[] = [];
  #next = 10;

  constructor(draw: Draw, context: ProgramContext) {
    this.#draw = draw;
    this.#context = context;
  }

  write(snippets: number): Uint8Array {
    const draw = this.#draw;
    this.#set(0, TAG.u32, BigInt(BASE));
    for (let i = 0; i < snippets; i++) this.#snippet(3);
    const end = draw.below(20);
    if (end < 19) {
      const size = this.#value(TAG.u32, draw.chance(12) ? BigInt(draw.pick(U32_EDGES) % 2000) : BigInt(RESULT_CELLS));
      this.#emit(end < 13 ? 59 : draw.chance(2) ? 61 : 60, [size, RESULTS]);
    }
    return Uint8Array.from(this.#out);
  }

  #bytes(value: bigint, count: number): void {
    for (let i = count - 1; i >= 0; i--) this.#out.push(Number((value >> BigInt(8 * i)) & 255n));
  }

  #set(cell: number, tag: number, value: bigint): void {
    const size =
      value < 256n && cell < 256 ? 0 : value < 1n << 32n ? 1 : value < 1n << 64n ? 2 : value < 1n << 128n ? 3 : 4;
    const opcode = [SET.byte, SET.word, SET.eight, SET.sixteen, SET.field][size];
    this.#out.push(opcode, 0);
    this.#bytes(BigInt(cell), size === 0 ? 1 : 2);
    this.#out.push(this.#draw.chance(400) ? this.#draw.below(9) : tag);
    this.#bytes(value, [1, 4, 8, 16, 32][size]);
  }

  /** Sets a scratch cell and returns its address. */
  #value(tag: number, value: bigint): number {
    const cell = this.#next;
    this.#next = this.#next >= 58 ? 10 : this.#next + 1;
    this.#set(cell, this.#draw.chance(150) ? this.#draw.below(7) : tag, value);
    return cell;
  }

  #result(): number {
    return RESULTS + this.#draw.below(RESULT_CELLS);
  }

  #number(tag: number): bigint {
    const draw = this.#draw;
    const bits = BITS[tag];
    const kind = draw.below(6);
    if (kind === 0) return 0n;
    if (kind === 1) return tag === TAG.field ? FR_MODULUS - 1n : (1n << BigInt(bits)) - 1n;
    if (kind < 4) return BigInt(draw.below(Math.min(300, 2 ** bits)));
    const random = draw.bytes(32).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return tag === TAG.field ? random % FR_MODULUS : random & ((1n << BigInt(bits)) - 1n);
  }

  #field(): number {
    return this.#value(TAG.field, this.#number(TAG.field));
  }

  #u32(most: number): number {
    const draw = this.#draw;
    return this.#value(TAG.u32, BigInt(draw.chance(25) ? draw.pick(U32_EDGES) : draw.below(most)));
  }

  #address(): number {
    return this.#value(
      TAG.field,
      BigInt(this.#draw.chance(25) ? this.#draw.below(13) : this.#draw.pick(this.#context.addresses)),
    );
  }

  /** An instruction on cells; some operands are relative, some indirect. */
  #emit(opcode: number, cells: readonly number[], { tag, immediate }: { tag?: number; immediate?: number } = {}): void {
    const draw = this.#draw;
    const form = this.#context.instructions[opcode];
    let mode = 0;
    const operands = cells.map((cell, i) => {
      const kind = draw.below(12);
      if (kind === 0) {
        mode |= 1 << (2 * i);
        return this.#value(TAG.u32, BigInt(cell));
      }
      if (kind === 1 && cell >= BASE) {
        mode |= 2 << (2 * i);
        return cell - BASE;
      }
      if (draw.chance(500)) return draw.below(256 ** form.operandBytes);
      return cell;
    });
    if (draw.chance(80)) mode |= draw.below(2 ** (8 * form.modeBytes));
    this.#out.push(opcode);
    this.#bytes(BigInt(mode), form.modeBytes);
    for (const operand of operands) this.#bytes(BigInt(operand), form.operandBytes);
    if (form.hasTag) this.#out.push(tag ?? draw.below(7));
    if (form.immediate) this.#bytes(BigInt(immediate ?? 0), form.immediate.bytes);
  }

  #binary(): void {
    const draw = this.#draw;
    const opcode = draw.below(22) + (draw.chance(4) ? 4 : 0);
    if (opcode >= 22 && opcode < 24) {
      this.#emit(opcode, [this.#value(draw.below(6) + 1, BigInt(draw.below(2))), this.#result()]);
      return;
    }
    const isField = opcode === 8 || opcode === 9;
    const isInteger = (opcode >= 6 && opcode < 8) || (opcode >= 16 && opcode < 28);
    const tag = isField ? TAG.field : isInteger ? draw.below(6) + 1 : draw.below(7);
    const shift =
      opcode >= 24 && draw.chance(2) ? BigInt(draw.below(140)) & ((1n << BigInt(BITS[tag])) - 1n) : undefined;
    const a = this.#value(tag, this.#number(tag));
    const b = this.#value(tag, shift ?? this.#number(tag));
    this.#emit(opcode, [a, b, this.#result()]);
  }

  #slice(tag: number, cells: number): number {
    const draw = this.#draw;
    const at = DATA + draw.below(40);
    for (let i = 0; i < cells; i++) if (tag !== TAG.field || draw.chance(2)) this.#set(at + i, tag, this.#number(tag));
    if (draw.chance(30)) this.#set(at + draw.below(Math.max(cells, 1)), draw.below(7), 1n);
    return at;
  }

  #point(): number[] {
    const draw = this.#draw;
    const { pointCells } = this.#context;
    const kind = draw.below(7);
    const { x, y } = kind < 3 ? GENERATOR : DOUBLED;
    const isNegative = kind === 1 || kind === 4;
    const isInfinite = kind === 6;
    const coordinates = isInfinite && draw.chance(2) ? [0n, 0n] : [x, isNegative ? FR_MODULUS - y : y];
    const cells = coordinates.map((value) => this.#value(TAG.field, draw.chance(20) ? this.#number(TAG.field) : value));
    return pointCells === 3 ? [...cells, this.#value(TAG.u1, isInfinite ? 1n : 0n)] : cells;
  }

  #call(): void {
    const draw = this.#draw;
    const gas = this.#value(TAG.u32, BigInt(draw.pick([0, 5000, 40_000, 200_000, 2_000_000, 0xffffffff])));
    const da = this.#value(TAG.u32, BigInt(draw.pick([0, 100, 2000, 100_000])));
    this.#emit(draw.chance(4) ? 58 : 57, [gas, da, this.#address(), this.#u32(5), DATA]);
    this.#emit(32, [this.#result()]);
    this.#emit(33, [this.#result()]);
    if (draw.chance(2)) this.#emit(34, [this.#u32(6), this.#u32(4), RESULTS + draw.below(8)]);
  }

  #leap(depth: number): void {
    const draw = this.#draw;
    const patch = (opcode: number, cells: number[]): number => {
      this.#emit(opcode, cells, { immediate: 0 });
      return this.#out.length - 4;
    };
    const land = (at: number, target = this.#out.length): void => {
      for (let i = 0; i < 4; i++) this.#out[at + i] = (target >>> (8 * (3 - i))) & 255;
    };
    const kind = draw.below(4);
    if (kind === 0) {
      const jump = patch(36, [this.#value(TAG.u1, BigInt(draw.below(2)))]);
      if (depth > 0) this.#snippet(depth - 1);
      land(jump);
    } else if (kind === 1) {
      const over = patch(35, []);
      const routine = this.#out.length;
      if (depth > 0) this.#snippet(depth - 1);
      this.#out.push(38);
      land(over);
      land(patch(37, []), routine);
    } else if (kind === 2) {
      const counter = 90;
      this.#set(counter, TAG.u32, BigInt(1 + draw.below(6)));
      const top = this.#out.length;
      if (depth > 0) this.#snippet(depth - 1);
      this.#set(91, TAG.u32, 1n);
      this.#out.push(2, 0, counter, 91, counter);
      this.#set(92, TAG.u32, 0n);
      this.#out.push(12, 0, 92, counter, 93);
      this.#out.push(36, 0, 0, 93);
      this.#bytes(BigInt(top), 4);
    } else if (draw.chance(15)) {
      land(patch(35, []), draw.below(this.#out.length + 40));
    }
  }

  #snippet(depth: number): void {
    const draw = this.#draw;
    const small = () => this.#value(TAG.field, BigInt(draw.below(6)));
    const snippets: readonly (() => void)[] = [
      () => this.#emit(28 + draw.below(2), [this.#value(draw.below(7), this.#number(draw.below(7))), this.#result()]),
      () => this.#emit(45 + draw.below(2), [this.#result(), this.#result()]),
      () => this.#emit(30, [this.#result()], { immediate: draw.chance(30) ? draw.below(256) : draw.below(12) }),
      () => this.#emit(31, [this.#u32(8), this.#u32(5), draw.chance(20) ? 65_530 : RESULTS + draw.below(10)]),
      () => this.#emit(34, [this.#u32(8), this.#u32(5), RESULTS + draw.below(10)]),
      () => this.#emit(32 + draw.below(2), [this.#result()]),
      () => this.#leap(depth),
      () => this.#leap(depth),
      () =>
        this.#emit(47, [
          draw.chance(8) ? this.#value(TAG.field, this.#context.balanceSlot) : small(),
          this.#address(),
          this.#result(),
        ]),
      () => this.#emit(48, [this.#field(), small()]),
      () =>
        this.#emit(49, [
          draw.chance(3) ? small() : this.#field(),
          this.#value(TAG.u64, draw.pick([0n, 1n, 70n, (1n << 42n) - 1n, 1n << 42n, (1n << 64n) - 1n])),
          this.#result(),
        ]),
      () => this.#emit(50, [this.#field()]),
      () =>
        this.#emit(51, [
          draw.chance(2) ? this.#value(TAG.field, BigInt(draw.pick([0x4242, 0x4243, 7, 0x200, 500]))) : this.#field(),
          this.#result(),
        ]),
      () => this.#emit(52, [draw.chance(2) ? small() : this.#field()]),
      () =>
        this.#emit(53, [
          small(),
          this.#value(TAG.u64, draw.pick([0n, 3n, (1n << 36n) - 1n, 1n << 36n])),
          this.#result(),
        ]),
      () =>
        this.#emit(54, [this.#address(), RESULTS + draw.below(RESULT_CELLS - 1)], {
          immediate: draw.chance(20) ? draw.below(256) : draw.below(4),
        }),
      () => this.#emit(55, [this.#u32(draw.chance(10) ? 1500 : 12), this.#slice(TAG.field, 4)]),
      () => this.#emit(56, [draw.chance(4) ? this.#field() : small(), this.#field()]),
      () => this.#call(),
      () => this.#call(),
      () => this.#emit(63, [this.#slice(TAG.field, 4), draw.chance(3) ? RESULTS : DATA + draw.below(40)]),
      () => this.#emit(64, [draw.chance(2) ? RESULTS : DATA, this.#slice(TAG.u32, 8), this.#slice(TAG.u32, 16)]),
      () => (draw.chance(2) ? this.#emit(65, [DATA + draw.below(40), this.#slice(TAG.u64, 25)]) : undefined),
      () => this.#emit(66, [...this.#point(), ...this.#point(), RESULTS + draw.below(RESULT_CELLS - 3)]),
      () => this.#emit(66, [...this.#point(), ...this.#point(), RESULTS + draw.below(RESULT_CELLS - 3)]),
      () => {
        const radix = draw.pick([2n, 2n, 3n, 10n, 16n, 255n, 256n, BigInt(draw.below(300))]);
        const limbs = draw.pick([0n, 1n, 8n, 32n, 77n, 254n, 300n, BigInt(draw.below(64))]);
        const value = draw.chance(2) ? this.#field() : this.#value(TAG.field, BigInt(draw.below(1000)));
        const asBits = this.#value(TAG.u1, radix === 2n && draw.chance(2) ? 1n : 0n);
        this.#emit(67, [value, this.#value(TAG.u32, radix), this.#value(TAG.u32, limbs), asBits, DATA]);
      },
      () => {
        const level = this.#value(TAG.u8, BigInt(draw.below(8)));
        this.#emit(
          62,
          [level, this.#slice(TAG.u8, 3), this.#slice(TAG.field, 2), this.#value(TAG.u32, BigInt(draw.below(3)))],
          { immediate: draw.below(4) },
        );
      },
    ];
    const chosen = draw.below(30);
    (snippets[chosen] ?? (() => this.#binary()))();
  }
}
