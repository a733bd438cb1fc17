import { toHex } from "../../../src/protocol/bytes.ts";
import type { GivenTx, TxCase } from "./avm-vectors.ts";

/**
 * Random transactions over few values, so that calls, phases and the private part conflict: the same slots and
 * nullifiers, limits nearly reached, exhausted gas, calls that revert or halt. Contracts are short programs without
 * jumps.
 */

type Chance = () => number;

/** A generator of numbers in [0, 1), determined by the seed. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TAG = { field: 0, u1: 1, u32: 4, u64: 5 } as const;
const ADDRESSES = [0x1001, 0x1002, 0x1003, 0x1004, 5];
/** The first address is in the contract directory but not deployed, the second is unknown. */
const UNDEPLOYED = [0x1008, 0x1009];
const FEE_PAYER = 0xfee;
/** FeeJuice's slot of the fee payer's balance. */
const NULLIFIERS = ["0x4242", "0x4243", "0x4244", "0x4245", "0x7", "0x200"];
const RESULTS_AT = 200;

const hex = (value: number, bytes: number) => value.toString(16).padStart(bytes * 2, "0");
const a16 = (cell: number) => hex(cell, 2);

/** Assembles programs; all operands are direct. */
class Assembler {
  code = "";
  #next = 1;
  #results = 0;

  /** Sets a new cell to a value of at most 4 bytes or a field. Returns its address. */
  value(value: number | string, tag: number = TAG.field): number {
    const cell = this.#next++;
    this.code +=
      typeof value === "string"
        ? `2c00${a16(cell)}${hex(tag, 1)}${value.slice(2).padStart(64, "0")}`
        : `2900${a16(cell)}${hex(tag, 1)}${hex(value, 4)}`;
    return cell;
  }

  /** Address of the next of the cells that are returned. */
  result(): number {
    return RESULTS_AT + this.#results++;
  }

  get results(): number {
    return this.#results;
  }

  op(opcode: number, ...cells: number[]): void {
    this.code += `${hex(opcode, 1)}00${cells.map(a16).join("")}`;
  }
}

class Generator {
  readonly #chance: Chance;
  readonly #balanceSlot: string;

  constructor(seed: number, balanceSlot: string) {
    this.#chance = chance(seed);
    this.#balanceSlot = balanceSlot;
  }

  below(n: number): number {
    return Math.floor(this.#chance() * n);
  }
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }
  maybe(probability: number): boolean {
    return this.#chance() < probability;
  }
  times<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, i) => make(i));
  }

  program(): string {
    const asm = new Assembler();
    const actions = 1 + this.below(9);
    for (let i = 0; i < actions; i++) this.#action(asm);
    const size = asm.value(asm.results, TAG.u32);
    const end = this.#chance();
    if (end < 0.72) asm.op(59, size, RESULTS_AT);
    else if (end < 0.9) asm.op(61, size, RESULTS_AT);
    else if (end < 0.95) asm.code += "ff";
    return asm.code;
  }

  #slot(asm: Assembler): number {
    return this.maybe(0.15) ? asm.value(this.#balanceSlot) : asm.value(this.below(4));
  }

  #action(asm: Assembler): void {
    const kind = this.below(14);
    if (kind <= 2) asm.op(48, asm.value(this.below(5)), this.#slot(asm));
    else if (kind === 3) asm.op(47, this.#slot(asm), asm.value(this.pick(ADDRESSES)), asm.result());
    else if (kind === 4) asm.op(50, asm.value(this.below(50)));
    else if (kind === 5) asm.op(52, asm.value(this.below(6)));
    else if (kind === 6) asm.op(51, asm.value(this.pick(NULLIFIERS)), asm.result());
    else if (kind === 7) asm.op(49, asm.value(this.below(3)), asm.value(this.below(70), TAG.u64), asm.result());
    else if (kind === 8) asm.op(55, asm.value(this.below(12), TAG.u32), 300);
    else if (kind === 9) asm.op(56, asm.value(this.below(9)), asm.value(this.below(9)));
    else if (kind === 10) {
      const dst = asm.result();
      asm.result();
      asm.code += `3600${a16(asm.value(this.pick([...ADDRESSES, ...UNDEPLOYED, 9, 0])))}${a16(dst)}${hex(this.below(3), 1)}`;
    } else if (kind === 11) asm.code += `1e00${a16(asm.result())}${hex(this.pick([0, 1, 2, 5, 9, 10, 11]), 1)}`;
    else this.#call(asm);
  }

  #call(asm: Assembler): void {
    const gas = asm.value(this.pick([20_000, 60_000, 200_000, 2_000_000]), TAG.u32);
    const da = asm.value(this.pick([0, 100, 2000, 100_000]), TAG.u32);
    const address = asm.value(this.pick(this.maybe(0.1) ? UNDEPLOYED : ADDRESSES));
    const size = asm.value(this.below(3), TAG.u32);
    asm.code += `${this.maybe(0.2) ? "3a" : "39"}0000${[gas, da, address, size, 300].map(a16).join("")}`;
    asm.op(32, asm.result());
    asm.op(33, asm.result());
  }

  #calls(most: number): NonNullable<TxCase["tx"]["app"]> {
    return this.times(most, () => ({
      address: `0x${(this.maybe(0.05) ? this.pick(UNDEPLOYED) : this.pick(ADDRESSES)).toString(16)}`,
      calldata: this.times(3, () => `0x${this.below(1000).toString(16)}`),
      isStatic: this.maybe(0.1),
    }));
  }

  #part(isFirst: boolean, many: boolean): TxCase["tx"]["nonRevertible"] {
    const count = (usual: number, nearLimit: number) =>
      many && this.maybe(0.5) ? nearLimit - this.below(4) : this.below(usual);
    const own = (i: number) => `0x${((isFirst ? 0x10000 : 0x20000) + i).toString(16)}`;
    const nullifiers = Array.from({ length: count(3, isFirst ? 62 : 4) }, (_, i) =>
      this.maybe(0.03) ? this.pick(NULLIFIERS) : own(i),
    );
    return {
      nullifiers: isFirst ? ["0x4242", ...nullifiers] : nullifiers,
      noteHashes: Array.from({ length: count(3, isFirst ? 62 : 5) }, (_, i) => own(i + 0x100)),
      l2ToL1Msgs: Array.from({ length: count(2, isFirst ? 7 : 4) }, (_, i) => ({
        contract: "0x99",
        recipient: `0x${(i + 1).toString(16)}`,
        content: `0x${this.below(9).toString(16)}`,
      })),
    };
  }

  tx(seed: number): GivenTx {
    const contracts = [...ADDRESSES, UNDEPLOYED[0]].map((address, i) => ({
      address: `0x${address.toString(16)}`,
      classId: `0x${(0xc000 + i).toString(16)}`,
      bytecode: this.program(),
      deployer: `0x${(0xd000 + i).toString(16)}`,
      initHash: `0x${(0xe000 + i).toString(16)}`,
      ...((address === 5 || address === UNDEPLOYED[0]) && { noNullifier: true }),
    }));
    const teardown = this.maybe(0.5) ? this.#calls(1)[0] : undefined;
    const many = this.maybe(0.2);
    const setup = this.maybe(0.35) ? this.#calls(2) : [];
    const app = this.#calls(3);
    const none = setup.length + app.length === 0 && teardown === undefined;
    const teardownGasLimits = { da: this.pick([0, 500, 98_304]), l2: this.pick([30_000, 300_000, 817_500]) };
    const used = { da: 96, l2: 540_000 };
    if (teardown !== undefined) {
      used.da += teardownGasLimits.da;
      used.l2 += teardownGasLimits.l2;
    }
    return {
      group: "generated",
      name: `seed ${seed}`,
      contracts,
      pre: {
        nullifiers: this.maybe(0.3) ? ["0x200"] : [],
        ...(this.maybe(0.95) && { feePayerBalance: this.pick(["0xffffffffff", "0xffffffffff", "0x3c0000"]) }),
      },
      tx: {
        setup,
        app: none ? [{ address: "0x1001" }] : app,
        ...(teardown && { teardown, teardownGasLimits }),
        nonRevertible: this.#part(true, many),
        revertible: this.#part(false, many),
        gasLimits: {
          da: used.da + this.pick([0, 64, 300, 100_000, 100_000]),
          l2: used.l2 + this.pick([20_000, 90_000, 400_000, 3_000_000, 6_000_000]),
        },
        gasUsedByPrivate: used,
        feePayer: this.maybe(0.03) ? "0x0" : `0x${FEE_PAYER.toString(16)}`,
        maxFeesPerGas: { da: this.pick([3, 10]), l2: this.pick([5, 10]) },
        maxPriorityFeesPerGas: { da: this.below(3), l2: this.below(3) },
      },
    };
  }
}

/** The transaction of a seed. `balanceSlot` is FeeJuice's slot of the payer's balance. */
export function generatedTx(seed: number, balanceSlot: Uint8Array): GivenTx {
  return new Generator(seed, toHex(balanceSlot)).tx(seed);
}
