import type { InstructionForm } from "../../../src/execution/vm/instruction-set.ts";
import { bytecode } from "../support/op-vectors.ts";

/** Numbers from a seed (xorshift32), the same on every machine. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) | 1;
  }

  u32(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  below(bound: number): number {
    return this.u32() % bound;
  }

  chance(outOf: number): boolean {
    return this.below(outOf) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  bytes(count: number): number[] {
    return Array.from({ length: count }, () => this.below(256));
  }
}

const [SET_8, SET_32, SET_FF] = [39, 41, 44];
const [JUMP, JUMPI, INTERNALCALL, RETURN, REVERT] = [35, 36, 37, 59, 61];
const U32_EDGES = [0, 1, 2, 31, 32, 255, 256, 65535, 0x7fffffff, 0xfffffff0, 0xfffffffe, 0xffffffff];
const [FF, U1, U32] = [0, 1, 4];
const CELLS = 16;

/** Opcodes of two operands and a result: the tags that they accept, and the tag of the result if it differs. */
const ANY_TAG = [0, 1, 2, 3, 4, 5];
const COMPARISONS = [10, 11, 12, 13, 14, 15];
const INTEGER_ONLY = [6, 7, 16, 17, 18, 19, 20, 21, 24, 25, 26, 27];
const FIELD_ONLY = [8, 9];
/** Instructions that access state, copy data or call a gadget. */
const REST = Array.from({ length: 38 }, (_, i) => 30 + i);

function bigEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
}

interface Code {
  readonly draw: Draw;
  readonly instructions: readonly InstructionForm[];
}

/** An instruction with the given operands; the others are small random numbers. */
function instruction(code: Code, opcode: number, length: number, cells: readonly number[] = []): number[] {
  const { draw, instructions } = code;
  const { modeBytes, operandBytes, operands, hasTag, immediate } = instructions[opcode];
  const mode = draw.chance(100) ? draw.bytes(modeBytes) : bigEndian(0, modeBytes);
  const out = [opcode, ...mode];
  for (let i = 0; i < operands.length; i++) {
    const cell = draw.chance(300) ? draw.below(256 ** operandBytes) : (cells[i] ?? draw.below(CELLS));
    out.push(...bigEndian(cell, operandBytes));
  }
  if (hasTag) out.push(draw.chance(200) ? draw.below(256) : draw.below(7));
  if (immediate === undefined) return out;
  if (opcode === JUMP || opcode === JUMPI || opcode === INTERNALCALL) {
    return [...out, ...bigEndian(draw.below(length), 4)];
  }
  if (opcode === SET_32) return [...out, ...bigEndian(draw.chance(2) ? draw.pick(U32_EDGES) : draw.below(40), 4)];
  if (opcode === SET_FF || draw.chance(3)) return [...out, ...draw.bytes(immediate.bytes)];
  return [...out, ...bigEndian(draw.below(13), immediate.bytes)];
}

/** Mostly straight code that tracks tags, so that most instructions get valid operands, with an occasional jump. */
class Structured {
  readonly #code: Code;
  readonly #draw: Draw;
  readonly #tags: number[] = [];
  readonly #out: number[] = [];

  constructor(code: Code) {
    this.#code = code;
    this.#draw = code.draw;
  }

  write(): Uint8Array {
    const draw = this.#draw;
    for (let cell = 0; cell < CELLS; cell++) {
      this.#tags[cell] = cell === 0 ? U32 : draw.below(7);
      this.#out.push(SET_8, 0, cell, this.#tags[cell], draw.chance(2) ? draw.below(12) : draw.below(256));
    }
    const length = 100 + draw.below(400);
    while (this.#out.length < length) this.#add(length);
    this.#out.push(
      SET_8,
      0,
      1,
      U32,
      draw.below(20),
      ...instruction(this.#code, draw.chance(3) ? REVERT : RETURN, 1, [1, 2]),
    );
    return Uint8Array.from(this.#out);
  }

  #add(length: number): void {
    const draw = this.#draw;
    const kind = draw.below(20);
    if (kind < 4) this.#binary(draw.pick(ANY_TAG), () => true);
    else if (kind < 6) this.#binary(draw.pick(COMPARISONS), () => true, U1);
    else if (kind < 10) this.#binary(draw.pick(INTEGER_ONLY), (tag) => tag !== FF);
    else if (kind < 11) this.#binary(draw.pick(FIELD_ONLY), (tag) => tag === FF);
    else if (kind < 13) this.#set();
    else if (kind < 17) this.#unary();
    else if (kind < 18 && draw.chance(4)) this.#leap(length);
    else if (kind < 19) this.#addressed();
    else if (draw.chance(2)) this.#slice();
    else if (draw.chance(12)) this.#out.push(...instruction(this.#code, draw.pick(REST), length));
  }

  #cellWith(fits: (tag: number) => boolean): number | undefined {
    const cells = this.#tags.flatMap((tag, cell) => (fits(tag) ? [cell] : []));
    return cells.length > 0 ? this.#draw.pick(cells) : undefined;
  }

  #target(tag: number): number {
    const cell = 1 + this.#draw.below(CELLS - 1);
    this.#tags[cell] = tag;
    return cell;
  }

  #binary(opcode: number, fits: (tag: number) => boolean, result?: number): void {
    const a = this.#cellWith(fits);
    if (a === undefined) return;
    const tag = this.#tags[a];
    const b = this.#cellWith((other) => other === tag) ?? a;
    this.#out.push(...instruction(this.#code, opcode, 1, [a, b, this.#target(result ?? tag)]));
  }

  #set(): void {
    const draw = this.#draw;
    const tag = draw.below(7);
    const code = instruction(this.#code, SET_8 + 1 + draw.below(5), 1, [this.#target(tag)]);
    code[4] = draw.chance(200) ? draw.below(256) : tag;
    this.#out.push(...code);
  }

  /** MOV, CAST, NOT. */
  #unary(): void {
    const draw = this.#draw;
    const kind = draw.below(3);
    const source = draw.below(CELLS);
    const tag = this.#tags[source];
    if (kind === 0) this.#out.push(...instruction(this.#code, 45 + draw.below(2), 1, [source, this.#target(tag)]));
    else if (kind === 1 && tag !== FF)
      this.#out.push(...instruction(this.#code, 22 + draw.below(2), 1, [source, this.#target(tag)]));
    else {
      const wanted = draw.below(7);
      const code = instruction(this.#code, 28 + draw.below(2), 1, [source, this.#target(wanted)]);
      code[code.length - 1] = wanted;
      this.#out.push(...code);
    }
  }

  #leap(length: number): void {
    const condition = this.#cellWith((tag) => tag === U1);
    const opcode = this.#draw.pick([JUMP, JUMPI, JUMPI, INTERNALCALL]);
    this.#out.push(...instruction(this.#code, opcode, length, [condition ?? 0]));
  }

  /** MOV with an indirect and a relative operand; pointer and base are set just before. */
  #addressed(): void {
    const draw = this.#draw;
    const pointer = 1 + draw.below(CELLS - 1);
    this.#tags[pointer] = U32;
    this.#out.push(SET_8, 0, pointer, U32, 20 + draw.below(200), SET_8, 0, 0, U32, draw.below(40));
    this.#out.push(45, draw.pick([4, 8, 1, 2]), draw.pick([pointer, 0]), pointer);
  }

  /** Sets operands of instructions on slices: fields from cell 100, words from cell 200, lanes from cell 300. */
  #slice(): void {
    const draw = this.#draw;
    const size = draw.below(12);
    this.#out.push(SET_8, 0, 2, U32, size, SET_8, 0, 3, U32, draw.below(8));
    this.#tags[2] = U32;
    this.#tags[3] = U32;
    const field = this.#cellWith((tag) => tag === FF) ?? 4;
    const code = draw.pick([
      [63, [100, 101 + draw.below(8)]],
      [31, [2, 3, 100]],
      [34, [2, 3, 100]],
      [33, [4]],
      [32, [4]],
      [30, [4]],
      [47, [field, 100, 5]],
      [48, [field, 100]],
      [49, [field, 5, 6]],
      [50, [field]],
      [51, [field, 6]],
      [52, [field]],
      [54, [field, 7]],
      [55, [2, 100]],
      [67, [field, 2, 3, 6, 120]],
      [57, [2, 3, field, 2, 100]],
    ] as const);
    this.#out.push(...instruction(this.#code, code[0], 1, code[1]));
    for (const cell of [4, 5, 6, 7, 8]) {
      this.#tags[cell] = draw.below(7);
      this.#out.push(SET_8, 0, cell, this.#tags[cell], draw.below(256));
    }
  }
}

const COMPILED = ["AvmTest", "Token", "FeeJuice"].map((name) => bytecode({ ref: name }));

/** A piece of compiled code with some bytes replaced. */
function mutated(draw: Draw): Uint8Array {
  const source = draw.pick(COMPILED);
  const from = draw.below(source.length - 600);
  const out = source.slice(from, from + 600);
  for (let i = draw.below(12); i > 0; i--) out[draw.below(out.length)] = draw.below(256);
  return out;
}

export interface Generated {
  readonly bytecode: Uint8Array;
  readonly gas: { readonly l2: number; readonly da: number };
}

/** Program number `seed`. */
export function generate(seed: number, instructions: readonly InstructionForm[]): Generated {
  const draw = new Draw(seed);
  const kind = draw.below(10);
  const bytecode =
    kind < 6
      ? new Structured({ draw, instructions }).write()
      : kind < 8
        ? mutated(draw)
        : Uint8Array.from(draw.bytes(draw.below(300)));
  const gas = draw.chance(6) ? { l2: draw.below(2000), da: draw.below(200) } : { l2: draw.below(120_000), da: 2000 };
  return { bytecode, gas };
}
