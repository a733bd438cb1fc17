import { instructionsOf } from "../../../src/execution/vm/instruction-set.ts";
import { MemoryHost } from "../../../src/execution/vm/memory-host.ts";
import type { RunOptions, RunResult } from "../../../src/execution/vm/run.ts";
import type { Vm } from "../../../src/execution/vm/vm.ts";
import { concat } from "../../../src/protocol/bytes.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { core, GLOBALS } from "../support/op-vectors.ts";

export const TAGS = { FF: 0, U1: 1, U8: 2, U16: 3, U32: 4, U64: 5, U128: 6 } as const;
export const WIDTHS = [0n, 1n, 8n, 16n, 32n, 64n, 128n];

/** Instructions of all generations; those of one name differ in their number of operands. */
const FORMS = [V4, V5].map(({ execution }) => instructionsOf(execution.vm));
const OPCODES = new Map(FORMS[0].map(({ name }, opcode) => [name, opcode]));

export function bigEndian(value: bigint | number, bytes: number): number[] {
  let rest = BigInt(value);
  const out = Array<number>(bytes);
  for (let i = bytes - 1; i >= 0; i--) {
    out[i] = Number(rest & 255n);
    rest >>= 8n;
  }
  return out;
}

export interface Extra {
  readonly mode?: number;
  readonly tag?: number;
  readonly immediate?: bigint | number;
}

/** The bytes of an instruction. */
export function op(
  name: string,
  operands: readonly number[] = [],
  { mode = 0, tag = 0, immediate = 0 }: Extra = {},
): number[] {
  const opcode = OPCODES.get(name);
  if (opcode === undefined) throw new Error(`no instruction ${name}`);
  const form = FORMS.map((forms) => forms[opcode]).find((one) => one.operands.length === operands.length);
  if (form === undefined) throw new Error(`${name} has other than ${operands.length} operands`);
  return [
    opcode,
    ...bigEndian(mode, form.modeBytes),
    ...operands.flatMap((operand) => bigEndian(operand, form.operandBytes)),
    ...(form.hasTag ? [tag] : []),
    ...(form.immediate ? bigEndian(immediate, form.immediate.bytes) : []),
  ];
}

export const set = (cell: number, tag: number, value: bigint | number): number[] =>
  op("SET_FF", [cell], { tag, immediate: value });

/** Code that returns `size` cells from `at`. It uses cell 60,000. */
export const returnCells = (size: number, at: number): number[] => [
  ...op("SET_32", [60_000], { tag: TAGS.U32, immediate: size }),
  ...op("RETURN", [60_000, at]),
];

const ADDRESS = fr(0x1001);
const FULL_GAS = { l2: 4_000_000_000, da: 200_000 };

export function newHost(vm: Vm, code: readonly number[]): MemoryHost {
  const host = new MemoryHost(core, fr(0x4242));
  const bytecode = Uint8Array.from(code);
  const program = vm.load(Buffer.from(bytecode).toString("hex"), bytecode);
  host.setContract(ADDRESS, { program, classId: fr(1), deployer: FR_ZERO, initializationHash: FR_ZERO });
  return host;
}

export interface Given {
  readonly calldata?: readonly bigint[];
  readonly gas?: { l2: number; da: number };
  readonly isStatic?: boolean;
  readonly options?: RunOptions;
  readonly host?: MemoryHost;
}

export function runCode(vm: Vm, code: readonly number[], given: Given = {}): RunResult {
  const request = {
    address: ADDRESS,
    sender: fr(7),
    calldata: concat(...(given.calldata ?? []).map((value) => fr(value))),
    isStatic: given.isStatic ?? false,
    gas: given.gas ?? FULL_GAS,
    transactionFee: FR_ZERO,
    globals: GLOBALS,
  };
  return vm.run(request, given.host ?? newHost(vm, code), { maxOutputFields: 5000, ...given.options });
}

/** Output as numbers; fails unless the code returns. */
export function outputOf(vm: Vm, code: readonly number[], given: Given = {}): bigint[] {
  const result = runCode(vm, code, given);
  if (result.ended !== "returned") throw new Error(`${result.ended} at pc ${result.pc}: ${result.haltMessage}`);
  return Array.from({ length: result.output.length / 32 }, (_, i) =>
    BigInt(`0x${Buffer.from(result.output.subarray(i * 32, i * 32 + 32)).toString("hex")}`),
  );
}
