import type { VmRules } from "../../protocol/generations/execution.ts";

/**
 * The instruction set for disassembly and messages (docs/protocol/06-public-execution.md#63-instruction-set);
 * assembly/vm/instruction-set.ts has the interpreter's own tables. A row: name, bytes of the mode, bytes of a memory
 * operand, memory operands, tag and immediate. `>` marks an operand that is written: `*n` means n cells, `*name` as
 * many cells as the value of that operand.
 */
type Row = readonly [name: string, modeBytes: number, operandBytes: number, operands: string, rest?: string];

function widths(name: string, operands: string, rest?: string): Row[] {
  return [
    [`${name}_8`, 1, 1, operands, rest],
    [`${name}_16`, 1, 2, operands, rest],
  ];
}

const BINARY = ["ADD", "SUB", "MUL", "DIV", "FDIV", "EQ", "LT", "LTE", "AND", "OR", "XOR"];

const rows = (points: string): readonly Row[] => [
  ...BINARY.flatMap((name) => widths(name, "a b >dst")),
  ...widths("NOT", "src >dst"),
  ...widths("SHL", "a b >dst"),
  ...widths("SHR", "a b >dst"),
  ...widths("CAST", "src >dst", "tag"),
  ["GETENVVAR_16", 1, 2, ">dst", "which/1"],
  ["CALLDATACOPY", 1, 2, "size start >dst*size"],
  ["SUCCESSCOPY", 1, 2, ">dst"],
  ["RETURNDATASIZE", 1, 2, ">dst"],
  ["RETURNDATACOPY", 1, 2, "size start >dst*size"],
  ["JUMP_32", 0, 0, "", "target/4"],
  ["JUMPI_32", 1, 2, "condition", "target/4"],
  ["INTERNALCALL", 0, 0, "", "target/4"],
  ["INTERNALRETURN", 0, 0, ""],
  ["SET_8", 1, 1, ">dst", "tag value/1"],
  ["SET_16", 1, 2, ">dst", "tag value/2"],
  ["SET_32", 1, 2, ">dst", "tag value/4"],
  ["SET_64", 1, 2, ">dst", "tag value/8"],
  ["SET_128", 1, 2, ">dst", "tag value/16"],
  ["SET_FF", 1, 2, ">dst", "tag value/32"],
  ...widths("MOV", "src >dst"),
  ["SLOAD", 1, 2, "slot contract >dst"],
  ["SSTORE", 1, 2, "value slot"],
  ["NOTEHASHEXISTS", 1, 2, "noteHash leafIndex >dst"],
  ["EMITNOTEHASH", 1, 2, "noteHash"],
  ["NULLIFIEREXISTS", 1, 2, "nullifier >dst"],
  ["EMITNULLIFIER", 1, 2, "nullifier"],
  ["L1TOL2MSGEXISTS", 1, 2, "hash leafIndex >dst"],
  ["GETCONTRACTINSTANCE", 1, 2, "address >dst*2", "member/1"],
  ["EMITPUBLICLOG", 1, 2, "size data"],
  ["SENDL2TOL1MSG", 1, 2, "recipient content"],
  ["CALL", 2, 2, "l2Gas daGas address argsSize args"],
  ["STATICCALL", 2, 2, "l2Gas daGas address argsSize args"],
  ["RETURN", 1, 2, "size data"],
  ...widths("REVERT", "size data"),
  ["DEBUGLOG", 1, 2, "level message fields fieldsSize", "messageSize/2"],
  ["POSEIDON2", 1, 2, "input >output*4"],
  ["SHA256COMPRESSION", 1, 2, ">output*8 state inputs"],
  ["KECCAKF1600", 1, 2, ">output*25 input"],
  ["ECADD", 2, 2, points],
  ["TORADIXBE", 2, 2, "value radix limbs bits >dst*limbs"],
];

interface OperandForm {
  readonly name: string;
  /**
   * Number of cells written: fixed, or the value of the operand with this index. Absent if the operand is only read.
   */
  readonly writes?: { readonly cells: number } | { readonly operand: number };
}

export interface InstructionForm {
  readonly name: string;
  readonly modeBytes: number;
  readonly operandBytes: number;
  readonly operands: readonly OperandForm[];
  readonly hasTag: boolean;
  readonly immediate?: { readonly name: string; readonly bytes: number };
  /** Bytes of the whole instruction. */
  readonly size: number;
}

function writes(text: string | undefined, names: readonly string[]): OperandForm["writes"] {
  if (text === undefined) return { cells: 1 };
  const operand = names.indexOf(text);
  return operand < 0 ? { cells: Number(text) } : { operand };
}

function form([name, modeBytes, operandBytes, operandText, rest = ""]: Row): InstructionForm {
  const parts = operandText.split(" ").filter((part) => part !== "");
  const names = parts.map((part) => part.replace(/^>|\*.*$/g, ""));
  const operands = parts.map((part, i) =>
    part.startsWith(">") ? { name: names[i], writes: writes(part.split("*")[1], names) } : { name: names[i] },
  );
  const fields = rest.split(" ");
  const hasTag = fields[0] === "tag";
  const [immediateName, immediateBytes] = (fields[hasTag ? 1 : 0] ?? "").split("/");
  const immediate = immediateName ? { name: immediateName, bytes: Number(immediateBytes) } : undefined;
  const size = 1 + modeBytes + operands.length * operandBytes + (hasTag ? 1 : 0) + (immediate?.bytes ?? 0);
  return { name, modeBytes, operandBytes, operands, hasTag, immediate, size };
}

/** By the cells of a point. */
const SETS: Readonly<Record<VmRules["pointCells"], readonly InstructionForm[]>> = {
  2: rows("x1 y1 x2 y2 >dst*2").map(form),
  3: rows("x1 y1 infinite1 x2 y2 infinite2 >dst*3").map(form),
};

/** The instructions of a generation by opcode, 0 to 67; there are no others. */
export function instructionsOf({ pointCells }: VmRules): readonly InstructionForm[] {
  return SETS[pointCells];
}

/** Name of an opcode without the width suffix. */
export function opcodeName(instruction: InstructionForm | undefined): string {
  return (instruction?.name ?? "").replace(/_(8|16|32|64|128|FF)$/, "");
}
