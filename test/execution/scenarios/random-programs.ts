import { toHex } from "../../../src/protocol/bytes.ts";
import { INSTANCE_UPDATED } from "../../../src/protocol/contracts/contract-events.ts";
import { FR_MODULUS } from "../../../src/protocol/field.ts";
import { BASE, BITS, DATA, ProgramWriter, RESULT_CELLS, RESULTS, TAG, U32_EDGES } from "./program-writer.ts";

/** Cells that only `#many` and `#update` write. */
const COUNTED = 900;
const EVENT = 1000;
const GENERATOR = { x: 1n, y: 17631683881184975370165255887551781615748388533673675138860n };
const DOUBLED = {
  x: 0x06ce1b0827aafa85ddeb49cdaa36306d19a74caa311e13d46d8bc688cdbffffen,
  y: 0x1c122f81a3a14964909ede0ba2a6855fc93faf6fa1a788bf467be7e7a43f80acn,
};
const UPDATED = BigInt(toHex(INSTANCE_UPDATED));
/** Pairs of a radix and limbs that hold every field. */
const WHOLE_FIELD = [
  [2n, 254n],
  [16n, 64n],
  [256n, 32n],
] as const;

/** Writes a program of snippets, each of which sets its operands to what the instruction takes. */
export class RandomProgram extends ProgramWriter {
  write(snippets: number): Uint8Array {
    const draw = this.draw;
    this.set(0, TAG.u32, BigInt(BASE));
    for (let i = 0; i < snippets; i++) this.#snippet(3);
    const end = draw.below(this.isCareful ? 15 : 20);
    if (end < 19) {
      const size = this.value(TAG.u32, draw.chance(12) ? BigInt(draw.pick(U32_EDGES) % 2000) : BigInt(RESULT_CELLS));
      this.emit(end < 13 ? 59 : draw.chance(2) ? 61 : 60, [size, RESULTS]);
    }
    return Uint8Array.from(this.out);
  }

  #binary(): void {
    const draw = this.draw;
    const opcode = draw.below(22) + (draw.chance(4) ? 4 : 0);
    if (opcode >= 22 && opcode < 24) {
      this.emit(opcode, [this.value(draw.below(6) + 1, BigInt(draw.below(2))), this.result()]);
      return;
    }
    const isField = opcode === 8 || opcode === 9;
    const isInteger = (opcode >= 6 && opcode < 8) || (opcode >= 16 && opcode < 28);
    const tag = isField ? TAG.field : isInteger ? draw.below(6) + 1 : draw.below(7);
    const shift =
      opcode >= 24 && draw.chance(2) ? BigInt(draw.below(140)) & ((1n << BigInt(BITS[tag])) - 1n) : undefined;
    const a = this.value(tag, this.number(tag));
    const number = shift ?? this.number(tag);
    const b = this.value(tag, this.isCareful && number === 0n ? 1n : number);
    this.emit(opcode, [a, b, this.result()]);
  }

  #point(): number[] {
    const draw = this.draw;
    const { pointCells } = this.context;
    const kind = draw.below(7);
    const { x, y } = kind < 3 ? GENERATOR : DOUBLED;
    const isNegative = kind === 1 || kind === 4;
    const isInfinite = kind === 6;
    const coordinates =
      isInfinite && (this.isCareful || draw.chance(2)) ? [0n, 0n] : [x, isNegative ? FR_MODULUS - y : y];
    const cells = coordinates.map((value) => this.value(TAG.field, this.slips(20) ? this.number(TAG.field) : value));
    return pointCells === 3 ? [...cells, this.value(TAG.u1, isInfinite ? 1n : 0n)] : cells;
  }

  #call(): void {
    const draw = this.draw;
    const gas = this.value(TAG.u32, BigInt(draw.pick([0, 5000, 40_000, 200_000, 2_000_000, 0xffffffff])));
    const da = this.value(TAG.u32, BigInt(draw.pick([0, 100, 2000, 100_000])));
    this.emit(draw.chance(4) ? 58 : 57, [gas, da, this.address(), this.u32(5), DATA]);
    this.emit(32, [this.result()]);
    this.emit(33, [this.result()]);
    if (draw.chance(2)) this.emit(34, [this.u32(6), this.u32(4), RESULTS + draw.below(8)]);
  }

  #leap(depth: number): void {
    const draw = this.draw;
    const patch = (opcode: number, cells: number[]): number => {
      this.emit(opcode, cells, { immediate: 0 });
      return this.out.length - 4;
    };
    const land = (at: number, target = this.out.length): void => {
      for (let i = 0; i < 4; i++) this.out[at + i] = (target >>> (8 * (3 - i))) & 255;
    };
    const kind = draw.below(4);
    if (kind === 0) {
      const jump = patch(36, [this.value(TAG.u1, BigInt(draw.below(2)))]);
      if (depth > 0) this.#snippet(depth - 1);
      land(jump);
    } else if (kind === 1) {
      const over = patch(35, []);
      const routine = this.out.length;
      if (depth > 0) this.#snippet(depth - 1);
      this.out.push(38);
      land(over);
      land(patch(37, []), routine);
    } else if (kind === 2) {
      const counter = 90;
      this.set(counter, TAG.u32, BigInt(1 + draw.below(6)));
      const top = this.out.length;
      if (depth > 0) this.#snippet(depth - 1);
      this.set(91, TAG.u32, 1n);
      this.out.push(2, 0, counter, 91, counter);
      this.set(92, TAG.u32, 0n);
      this.out.push(12, 0, 92, counter, 93);
      this.out.push(36, 0, 0, 93);
      this.bytes(BigInt(top), 4);
    } else if (this.slips(15)) {
      land(patch(35, []), draw.below(this.out.length + 40));
    }
  }

  /** One effect again and again, up to its limit. */
  #many(): void {
    const draw = this.draw;
    const [value, one, count, more, size] = [0, 1, 2, 3, 4].map((i) => COUNTED + i);
    this.set(value, TAG.field, BigInt(draw.below(3) === 0 ? draw.below(70) : draw.u32()));
    this.set(one, TAG.field, 1n);
    this.set(count, TAG.u32, BigInt(draw.pick([2, 9, 30, 63, 64, 65])));
    const kind = draw.below(5);
    if (kind === 4) this.set(size, TAG.u32, BigInt(draw.pick([0, 62, 400, 2046, 4094, 4095])));
    const top = this.out.length;
    const effects = [
      () => this.emit(48, [value, value]),
      () => this.emit(50, [value]),
      () => this.emit(52, [value]),
      () => this.emit(56, [value, value]),
      () => this.emit(55, [size, 5000]),
    ];
    effects[kind]();
    this.emit(1, [value, one, value]);
    this.set(more, TAG.u32, 1n);
    this.emit(3, [count, more, count]);
    this.set(more, TAG.u32, 0n);
    this.emit(13, [more, count, more]);
    this.emit(36, [more], { immediate: top });
  }

  /** The event by which the instance registry updates a contract, which no transaction of the block sees. */
  #update(): void {
    const address = this.address();
    this.set(EVENT, TAG.field, UPDATED);
    this.out.push(46, 0, 0, address, EVENT >> 8, (EVENT & 255) + 1);
    for (let i = 2; i < 5; i++) this.set(EVENT + i, TAG.field, BigInt(this.draw.below(6)));
    this.emit(55, [this.value(TAG.u32, 5n), EVENT]);
    this.emit(54, [address, this.result()], { immediate: 1 });
    const gas = this.value(TAG.u32, 50_000n);
    this.emit(57, [gas, gas, address, this.value(TAG.u32, 0n), DATA]);
  }

  #snippet(depth: number): void {
    const draw = this.draw;
    const { instanceMembers } = this.context;
    const small = () => this.value(TAG.field, BigInt(draw.below(6)));
    const snippets: readonly (() => void)[] = [
      () => this.emit(28 + draw.below(2), [this.value(draw.below(7), this.number(draw.below(7))), this.result()]),
      () => this.emit(45 + draw.below(2), [this.result(), this.result()]),
      () => this.emit(30, [this.result()], { immediate: this.slips(30) ? draw.below(256) : draw.below(11) }),
      () => this.emit(31, [this.u32(8), this.u32(5), draw.chance(20) ? 65_530 : RESULTS + draw.below(10)]),
      () => this.emit(34, [this.u32(8), this.u32(5), RESULTS + draw.below(10)]),
      () => this.emit(32 + draw.below(2), [this.result()]),
      () => this.#leap(depth),
      () => this.#leap(depth),
      () =>
        this.emit(47, [
          draw.chance(8) ? this.value(TAG.field, this.context.balanceSlot) : small(),
          this.address(),
          this.result(),
        ]),
      () => this.emit(48, [this.field(), small()]),
      () =>
        this.emit(49, [
          draw.chance(3) ? small() : this.field(),
          this.value(TAG.u64, draw.pick([0n, 1n, 70n, (1n << 42n) - 1n, 1n << 42n, (1n << 64n) - 1n])),
          this.result(),
        ]),
      () => this.emit(50, [this.field()]),
      () =>
        this.emit(51, [
          draw.chance(2) ? this.value(TAG.field, BigInt(draw.pick([0x4242, 0x4243, 7, 0x200, 500]))) : this.field(),
          this.result(),
        ]),
      () => this.emit(52, [draw.chance(this.isCareful ? 9 : 2) ? small() : this.field()]),
      () =>
        this.emit(53, [small(), this.value(TAG.u64, draw.pick([0n, 3n, (1n << 36n) - 1n, 1n << 36n])), this.result()]),
      () =>
        this.emit(54, [this.address(), RESULTS + draw.below(RESULT_CELLS - 1)], {
          immediate: this.slips(20) ? draw.below(256) : draw.below(instanceMembers),
        }),
      () => this.emit(55, [this.u32(this.isCareful ? 5 : draw.chance(10) ? 1500 : 12), this.slice(TAG.field, 4)]),
      () => this.emit(56, [this.slips(4) ? this.field() : small(), this.field()]),
      () => this.#call(),
      () => this.#call(),
      () => this.emit(63, [this.slice(TAG.field, 4), draw.chance(3) ? RESULTS : DATA + draw.below(40)]),
      () => this.emit(64, [draw.chance(2) ? RESULTS : DATA, this.slice(TAG.u32, 8), this.slice(TAG.u32, 16)]),
      () => (draw.chance(2) ? this.emit(65, [DATA + draw.below(40), this.slice(TAG.u64, 25)]) : undefined),
      () => this.emit(66, [...this.#point(), ...this.#point(), RESULTS + draw.below(RESULT_CELLS - 3)]),
      () => this.emit(66, [...this.#point(), ...this.#point(), RESULTS + draw.below(RESULT_CELLS - 3)]),
      () => {
        const [radix, limbs] = this.isCareful
          ? draw.pick(WHOLE_FIELD)
          : [
              draw.pick([2n, 2n, 3n, 10n, 16n, 255n, 256n, BigInt(draw.below(300))]),
              draw.pick([0n, 1n, 8n, 32n, 77n, 254n, 300n, BigInt(draw.below(64))]),
            ];
        const value = draw.chance(2) ? this.field() : this.value(TAG.field, BigInt(draw.below(1000)));
        const asBits = this.value(TAG.u1, radix === 2n && draw.chance(2) ? 1n : 0n);
        this.emit(67, [value, this.value(TAG.u32, radix), this.value(TAG.u32, limbs), asBits, DATA]);
      },
      () => {
        const level = this.value(TAG.u8, BigInt(draw.below(8)));
        this.emit(
          62,
          [level, this.slice(TAG.u8, 3), this.slice(TAG.field, 2), this.value(TAG.u32, BigInt(draw.below(3)))],
          { immediate: draw.below(4) },
        );
      },
      () => (draw.chance(3) ? this.#many() : undefined),
      () => (draw.chance(3) ? this.#update() : undefined),
    ];
    const chosen = draw.below(33);
    (snippets[chosen] ?? (() => this.#binary()))();
  }
}
