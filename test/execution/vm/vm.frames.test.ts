import { describe, expect, test } from "vitest";
import { CallRecords, DEFAULT_CALL_RECORD_CAPS } from "../../../src/execution/vm/call-records.ts";
import {
  DebugLogError,
  VmDeadlineError,
  VmInterruptedError,
  VmRequestError,
} from "../../../src/execution/vm/errors.ts";
import type { CallTarget } from "../../../src/execution/vm/host.ts";
import { MemoryHost } from "../../../src/execution/vm/memory-host.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { FR_ZERO, type Fr, fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { core, GLOBALS, words } from "../support/op-vectors.ts";
import { newHost, op, outputOf, returnCells, runCode, set, TAGS } from "./assemble.ts";

const vm = new Vm(V4);
const ALL = 0xffffffff;
const OTHER = 0x2002;

/** CALL of `address`, by default with all gas and no arguments. */
const call = (address: number, args = 0, argsAt = 0, gas = ALL): number[] => [
  ...set(20, TAGS.U32, gas),
  ...set(21, TAGS.FF, address),
  ...set(22, TAGS.U32, args),
  ...op("CALL", [20, 20, 21, 22, argsAt]),
];

function withOther(code: readonly number[], other: readonly number[]): MemoryHost {
  const host = newHost(vm, code);
  const bytecode = Uint8Array.from(other);
  host.setContract(fr(OTHER), {
    program: vm.load(`other ${Buffer.from(bytecode).toString("hex")}`, bytecode),
    classId: fr(2),
    deployer: FR_ZERO,
    initializationHash: FR_ZERO,
  });
  return host;
}

describe("call depth", () => {
  test("the depth of nested calls is limited only by gas", () => {
    const result = runCode(vm, call(0x1001), { gas: { l2: 300_000_000, da: 0 } });
    expect(result.ended).toBe("halted");
    expect(result.gasUsed.l2).toBe(300_000_000);
  });

  test("the depth of internal calls is limited only by gas", () => {
    const result = runCode(vm, op("INTERNALCALL", [], { immediate: 0 }), { gas: { l2: 50_000_000, da: 0 } });
    expect(result.haltMessage).toBe("Out of gas: total L2 used 50000004 of 50000000, total DA used 0 of 0");
  });
});

describe("gas", () => {
  const code = [...set(1, TAGS.U8, 1), ...op("ADD_8", [1, 1, 1]), ...returnCells(0, 0)];
  const exact = 27 + 12 + 27 + 9;

  test("a run with exactly the gas that it costs succeeds", () => {
    const result = runCode(vm, code, { gas: { l2: exact, da: 0 } });
    expect([result.ended, result.gasLeft.l2]).toEqual(["returned", 0]);
  });

  test.each(Array.from({ length: exact }, (_, l2) => l2))("a run with only %d gas, less than it costs, halts", (l2) => {
    const result = runCode(vm, code, { gas: { l2, da: 5 } });
    expect([result.ended, result.gasLeft]).toEqual(["halted", { l2: 0, da: 0 }]);
  });

  test("a run may have all of 2^32-1 gas", () => {
    expect(runCode(vm, code, { gas: { l2: ALL, da: ALL } }).gasLeft).toEqual({ l2: ALL - exact, da: ALL });
  });
});

describe("a host that throws", () => {
  class Fault extends Error {}
  const throws = (): never => {
    throw new Fault();
  };
  const cases: [keyof MemoryHost, number[]][] = [
    ["storageRead", [...set(1, TAGS.FF, 1), ...op("SLOAD", [1, 1, 2])]],
    ["storageWrite", [...set(1, TAGS.FF, 1), ...op("SSTORE", [1, 1])]],
    ["nullifierExists", [...set(1, TAGS.FF, 1), ...op("NULLIFIEREXISTS", [1, 2])]],
    ["emitNullifier", [...set(1, TAGS.FF, 1), ...op("EMITNULLIFIER", [1])]],
    ["emitNoteHash", [...set(1, TAGS.FF, 1), ...op("EMITNOTEHASH", [1])]],
    ["emitPublicLog", [...set(1, TAGS.U32, 3), ...op("EMITPUBLICLOG", [1, 5])]],
    ["contractInstance", [...set(1, TAGS.FF, 1), ...op("GETCONTRACTINSTANCE", [1, 2])]],
    ["beginCall", call(0x1001)],
    ["revertCall", call(0x1001)],
    ["callTarget", []],
  ];

  test.each(cases)("a host that throws in %s ends the run with its error and leaves the VM usable", (method, code) => {
    const host = newHost(vm, code);
    Object.assign(host, { [method]: throws });
    expect(() => runCode(vm, code, { host, gas: { l2: 500_000, da: 1000 } })).toThrow(Fault);
    expect(outputOf(vm, [...set(1, TAGS.U8, 3), ...returnCells(1, 1)])).toEqual([3n]);
  });

  test("a host that throws in a nested call ends the run, however many frames are open", () => {
    class Late extends MemoryHost {
      #left = 5;
      override callTarget(address: Fr): CallTarget {
        return this.#left-- > 0 ? super.callTarget(address) : throws();
      }
    }
    const host = new Late(core, fr(1));
    const program = vm.load("late", Uint8Array.from(call(0x1001)));
    host.setContract(fr(0x1001), { program, classId: fr(1), deployer: FR_ZERO, initializationHash: FR_ZERO });
    for (let i = 0; i < 3; i++) {
      expect(() => runCode(vm, [], { host })).toThrow(Fault);
      expect(outputOf(vm, [...set(1, TAGS.U8, 3), ...returnCells(1, 1)])).toEqual([3n]);
    }
  });

  test("a host cannot start a run inside a run", () => {
    const code = [...set(1, TAGS.FF, 1), ...op("SLOAD", [1, 1, 2])];
    const host = newHost(vm, code);
    Object.assign(host, { storageRead: () => runCode(vm, code) });
    expect(() => runCode(vm, code, { host })).toThrow(VmRequestError);
  });
});

test("a deadline ends a loop", () => {
  const loop = op("JUMP_32", [], { immediate: 0 });
  expect(() => runCode(vm, loop, { options: { deadline: Date.now() + 20 } })).toThrow(VmDeadlineError);
  expect(runCode(vm, loop, { gas: { l2: 900, da: 0 } }).ended).toBe("halted");
});

describe("an interrupted run", () => {
  test("an interrupted run is aborted, and the next run works as usual", () => {
    const loop = op("JUMP_32", [], { immediate: 0 });
    let asked = 0;
    const interrupted = () => ++asked === 3;
    expect(() => runCode(vm, loop, { options: { interrupted } })).toThrow(VmInterruptedError);
    expect(runCode(vm, loop, { gas: { l2: 900, da: 0 } }).ended).toBe("halted");
  });

  test("an interruption is polled for after each large copy, although a copy is one instruction", () => {
    const copies = [
      ...set(1, TAGS.U32, 1 << 20),
      ...set(2, TAGS.U32, 0),
      ...Array.from({ length: 10 }, () => op("CALLDATACOPY", [1, 2, 100])).flat(),
      ...returnCells(1, 0),
    ];
    let asked = 0;
    const interrupted = () => {
      asked++;
      return false;
    };
    const gas = { l2: 40_000_000, da: 0 };
    expect(runCode(vm, copies, { gas, options: { interrupted } }).ended).toBe("returned");
    expect(asked).toBe(10);
  });
});

describe("a request", () => {
  const good = {
    address: fr(1),
    sender: fr(1),
    calldata: new Uint8Array(0),
    isStatic: false,
    gas: { l2: 1, da: 1 },
    transactionFee: FR_ZERO,
    globals: GLOBALS,
  };
  test.each([
    ["address", { address: new Uint8Array(31) }],
    ["sender", { sender: new Uint8Array(32).fill(255) }],
    ["calldata", { calldata: new Uint8Array(33) }],
    ["calldata[1]", { calldata: new Uint8Array(64).fill(255, 32) }],
    ["gas.l2", { gas: { l2: 2 ** 32, da: 0 } }],
    ["gas.da", { gas: { l2: 0, da: -1 } }],
    ["timestamp", { globals: { ...GLOBALS, timestamp: 1n << 64n } }],
    ["feePerL2Gas", { globals: { ...GLOBALS, feePerL2Gas: 1n << 128n } }],
    ["blockNumber", { globals: { ...GLOBALS, blockNumber: 1.5 } }],
  ])("a run request with a wrong %s is refused", (field, wrong) => {
    expect(() => vm.run({ ...good, ...wrong }, newHost(vm, []))).toThrow(expect.objectContaining({ field }));
  });
});

describe("debug logs", () => {
  const text = Buffer.from("a message");
  const log = (level: number, levelTag: number, size: number, sizeTag: number): number[] => [
    ...set(1, levelTag, level),
    ...set(2, sizeTag, size),
    ...[...text].flatMap((character, i) => set(10 + i, TAGS.FF, character + 256)),
    ...set(30, TAGS.U64, 8),
    ...op("DEBUGLOG", [1, 10, 30, 2], { immediate: text.length }),
    ...returnCells(0, 0),
  ];

  test("debug logs reach the host when collected, survive reverts, and cost the same if not collected", () => {
    const code = [...log(4, TAGS.U8, 2, TAGS.U32).slice(0, -15), ...op("REVERT_8", [1, 2])];
    const host = newHost(vm, code);
    const collected = runCode(vm, code, { host, options: { collectDebugLogs: true } });
    expect(host.debugLogs.map(({ level, message, fields }) => [level, message, words(fields)])).toEqual([
      [4, text.toString(), ["0x8", "0x0"]],
    ]);
    expect(runCode(vm, code).gasUsed).toEqual(collected.gasUsed);
  });

  test.each([
    ["a level of another tag", log(4, TAGS.U32, 2, TAGS.U32)],
    ["a size of another tag", log(4, TAGS.U8, 2, TAGS.U16)],
    ["a level above 7", log(8, TAGS.U8, 2, TAGS.U32)],
    ["more reads than the transaction may make", log(4, TAGS.U8, 124_990, TAGS.U32)],
    ["2^32-1 fields", log(4, TAGS.U8, ALL, TAGS.U32)],
  ])("a debug log with %s ends the run only if debug logs are collected", (_, code) => {
    expect(() => runCode(vm, code, { options: { collectDebugLogs: true } })).toThrow(DebugLogError);
    expect(runCode(vm, code).ended).toBe("returned");
  });
});

describe("call records", () => {
  test("a call record contains what each frame was given and how it ended", () => {
    // The callee is two internal calls deep when it reverts with what it was called with.
    const callee = [
      ...op("INTERNALCALL", [], { immediate: 5 }),
      ...op("INTERNALCALL", [], { immediate: 10 }),
      ...set(1, TAGS.U32, 2),
      ...set(2, TAGS.U32, 0),
      ...op("CALLDATACOPY", [1, 2, 3]),
      ...op("REVERT_8", [1, 3]),
    ];
    const code = [...set(5, TAGS.FF, 8), ...set(6, TAGS.U8, 9), ...call(OTHER, 2, 5), ...returnCells(1, 5)];
    const calls = new CallRecords();
    const host = withOther(code, callee);
    const result = runCode(vm, code, { host, options: { calls }, calldata: [3n] });
    expect(result.ended).toBe("returned");
    const [root] = calls.roots;
    const [nested] = root.nested;
    expect([words(root.calldata), words(root.output), root.reverted, root.haltMessage]).toEqual([
      ["0x3"],
      ["0x8"],
      false,
      undefined,
    ]);
    expect([words(nested.calldata), words(nested.output), nested.reverted]).toEqual([
      ["0x8", "0x9"],
      ["0x8", "0x9"],
      true,
    ]);
    expect(nested.exitPcs).toEqual([0, 5, callee.length - 4]);
    expect(nested.callerPc).toBe(5 * 37);
    expect(nested.haltMessage).toBe("Assertion failed: ");
    expect(root.exitPcs).toEqual([result.pc]);
    expect(nested.gasLimit.l2).toBeLessThan(root.gasLimit.l2);
  });

  test("a call record contains the reason when there was no program to run", () => {
    const calls = new CallRecords();
    runCode(vm, [...call(0x77), ...returnCells(0, 0)], { options: { calls } });
    expect(calls.roots[0].nested[0].haltMessage).toMatch(/^Contract 0x0+77 is not deployed$/);
  });

  test("call records omit frames beyond the caps and keep the others intact", () => {
    const calls = new CallRecords({ ...DEFAULT_CALL_RECORD_CAPS, depth: 3 });
    runCode(vm, call(0x1001), { options: { calls }, gas: { l2: 200_000, da: 0 } });
    const depth = (nested: readonly { nested: readonly unknown[] }[]): number =>
      nested.length === 0 ? 0 : 1 + depth(nested[0].nested as typeof nested);
    expect(depth(calls.roots)).toBe(3);
    expect(calls.roots[0].reverted).toBe(true);
    const wide = new CallRecords({ ...DEFAULT_CALL_RECORD_CAPS, items: 4 });
    const code = [...Array.from({ length: 6 }, () => call(0x77, 0, 0, 10)).flat()];
    runCode(vm, [...code, ...returnCells(0, 0)], { options: { calls: wide }, gas: { l2: 900_000, da: 0 } });
    expect(wide.roots[0].nested.length).toBe(3);
  });
});
