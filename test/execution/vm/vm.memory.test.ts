import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VmMemoryError } from "../../../src/execution/vm/errors.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { op, outputOf, returnCells, runCode, set, TAGS } from "./assemble.ts";

const vm = new Vm(V4);
const LAST = 0xffffffff;
/** Addresses near the ends of pages, of the directory's smallest and largest reach, and of memory. */
const address = fc.oneof(
  fc.integer({ min: 100, max: LAST }),
  fc.integer({ min: 100, max: 2000 }),
  fc.constantFrom(
    ...[256, 512, 65536, 1 << 18, 1 << 19, 2 ** 31, 2 ** 32].flatMap((edge) => [edge - 1, edge - 16, edge - 17]),
  ),
  fc.constantFrom(256, 512, 65536, 1 << 18, 1 << 19, 2 ** 31),
);

/** Cells 1 to 9 are scratch. */
const store = (at: number, value: number): number[] => [
  ...set(1, TAGS.U32, at),
  ...set(2, TAGS.U64, value),
  ...op("MOV_8", [2, 1], { mode: 0b0100 }),
];

describe("memory", () => {
  test("VM memory holds what was last written to each of 2^32 cells, and zero elsewhere", () => {
    const access = fc.record({ at: address, value: fc.nat(), writes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(access, { minLength: 1, maxLength: 60 }), (accesses) => {
        const model = new Map<number, number>();
        const expected: bigint[] = [];
        const code: number[] = [];
        for (const { at, value, writes } of accesses) {
          if (writes) {
            code.push(...store(at, value));
            model.set(at, value);
          } else {
            code.push(...set(1, TAGS.U32, at), ...op("MOV_16", [1, 50_000 + expected.length], { mode: 0b0001 }));
            expected.push(BigInt(model.get(at) ?? 0));
          }
        }
        fc.pre(accesses.every(({ at }) => at < 50_000 || at > 60_000));
        expect(outputOf(vm, [...code, ...returnCells(expected.length, 50_000)])).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test("VM memory is zero again in the next run and in every frame", () => {
    const written = Array.from({ length: 200 }, (_, i) => store(100 + i * 37, i + 1)).flat();
    runCode(vm, [...written, ...returnCells(0, 0)]);
    expect(outputOf(vm, returnCells(4000, 100)).every((value) => value === 0n)).toBe(true);
  });

  test("relative operands are resolved before indirect ones, with cell 0 as their base", () => {
    const cells = fc.record({ base: fc.integer({ min: 0, max: 3000 }), offset: fc.integer({ min: 20, max: 250 }) });
    fc.assert(
      fc.property(cells, address, fc.nat(), ({ base, offset }, target, value) => {
        fc.pre(target > 4000 && target < 2 ** 32 - 1);
        const code = [
          ...store(base + offset, 0),
          ...set(1, TAGS.U32, base + offset),
          ...set(2, TAGS.U32, target),
          ...op("MOV_8", [2, 1], { mode: 0b0100 }),
          ...set(0, TAGS.U32, base),
          ...set(3, TAGS.U64, value),
          // Cell base + offset holds the target's address.
          ...op("MOV_8", [3, offset], { mode: 0b1100 }),
          ...op("MOV_8", [2, 4], { mode: 0b0001 }),
          ...returnCells(1, 4),
        ];
        expect(outputOf(vm, code)).toEqual([BigInt(value)]);
      }),
    );
  });

  test("an address operand halts the frame only when a relative address is beyond the end of memory", () => {
    for (const [base, offset, ended] of [
      [LAST - 5, 5, "returned"],
      [LAST - 5, 6, "halted"],
      [LAST, 0, "returned"],
      [LAST, 1, "halted"],
    ] as const) {
      const code = [...set(0, TAGS.U32, base), ...op("MOV_8", [offset, 3], { mode: 0b0010 }), ...returnCells(0, 0)];
      expect([base, offset, runCode(vm, code).ended]).toEqual([base, offset, ended]);
    }
  });

  test("return data beyond the end of memory is read as if memory wrapped around", () => {
    const code = [...store(LAST, 7), ...set(0, TAGS.U8, 9), ...set(1, TAGS.U32, 2), ...set(2, TAGS.U32, LAST)];
    expect(outputOf(vm, [...code, ...op("RETURN", [1, 2], { mode: 0b0100 })])).toEqual([7n, 9n]);
  });
});

describe("sizes near the limits", () => {
  const copy = (size: number, out: number): number[] => [
    ...set(1, TAGS.U32, size),
    ...set(2, TAGS.U32, 0),
    ...set(3, TAGS.U32, out),
    ...op("CALLDATACOPY", [1, 2, 3], { mode: 0b010000 }),
  ];

  test("VM memory clears a billion cells that were never written without allocating memory for them", () => {
    const small = new Vm(V4, { memoryBytes: 8 << 20 });
    const code = [...copy(1_300_000_000, 100), ...op("MOV_8", [100, 4]), ...returnCells(1, 4)];
    expect(outputOf(small, code, { calldata: [5n], gas: { l2: LAST, da: 0 } })).toEqual([5n]);
  });

  test("VM memory clears cells that were written", () => {
    const code = [...store(5000, 3), ...store(1 << 20, 4), ...copy(2_000_000, 100)];
    const read = [...set(1, TAGS.U32, 1 << 20), ...op("MOV_16", [1, 5001], { mode: 0b0001 })];
    expect(outputOf(vm, [...code, ...read, ...returnCells(2, 5000)])).toEqual([0n, 0n]);
  });

  test("a copy halts when it passes the end of memory, not when it ends there", () => {
    expect(runCode(vm, [...copy(10, LAST - 9), ...returnCells(0, 0)]).ended).toBe("returned");
    expect(runCode(vm, [...copy(10, LAST - 8), ...returnCells(0, 0)]).ended).toBe("halted");
  });

  test("a run that writes more than the VM's memory limit fails with an error, and the VM stays usable", () => {
    const small = new Vm(V4, { memoryBytes: 16 << 20 });
    const code = [
      ...set(1, TAGS.FF, 0),
      ...set(2, TAGS.U32, 2),
      ...set(3, TAGS.U32, 100_000_000),
      ...set(4, TAGS.U1, 0),
      ...op("TORADIXBE", [1, 2, 3, 4, 10]),
    ];
    expect(() => runCode(small, code)).toThrow(VmMemoryError);
    expect(outputOf(small, [...set(1, TAGS.U8, 3), ...returnCells(1, 1)])).toEqual([3n]);
  });

  test("the VM has memory for all that a transaction's gas can write: a page for every 36 gas", () => {
    // MOV through a pointer that advances by more than a page.
    const head = [...set(1, TAGS.U32, 1 << 19), ...set(2, TAGS.U32, 4099), ...set(3, TAGS.U8, 1)];
    const body = [...op("MOV_8", [3, 1], { mode: 0b0100 }), ...op("ADD_8", [1, 2, 1])];
    const code = [...head, ...Array.from({ length: 50 }, () => body).flat()];
    code.push(...op("JUMP_32", [], { immediate: head.length }));
    const result = runCode(vm, code, { gas: { l2: 6_540_000, da: 0 } });
    expect(result.haltMessage).toMatch(/^Out of gas/);
  });
});
