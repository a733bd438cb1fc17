import { toHex } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import type { Gas } from "./gas.ts";
import { type InstructionForm, opcodeName } from "./instruction-set.ts";
import { tagName } from "./tags.ts";

/** A halt as reported by the WebAssembly module. */
interface Halt {
  /** Fault number, see assembly/vm/faults.ts. */
  readonly fault: number;
  readonly pc: number;
  readonly detailA: number;
  readonly detailB: number;
  readonly contract: Fr;
  readonly bytecode: Uint8Array;
  readonly instructions: readonly InstructionForm[];
  /** Gas limit, gas used, and the further gas that the halting instruction needed. */
  readonly gasLimit: Gas;
  readonly gasUsed: Gas;
  readonly gasMissed: Gas;
}

const STATIC_EFFECTS: Record<string, string> = {
  SSTORE: "Cannot write to storage in static context",
  EMITNOTEHASH: "Cannot emit note hash in static context",
  EMITNULLIFIER: "Cannot emit nullifier in static context",
  SENDL2TOL1MSG: "Cannot send L2 to L1 message in static context",
};

function staticContext(_: Halt, name: string): string {
  const rule = "Static call cannot update the state.";
  if (name === "EMITPUBLICLOG") return `EmitPublicLog Exception: Error in EmitPublicLog: ${rule}`;
  return `${name}: ${rule} ${STATIC_EFFECTS[name]}`;
}

function outOfGas({ gasLimit, gasUsed, gasMissed }: Halt): string {
  const l2 = gasUsed.l2 + gasMissed.l2;
  const da = gasUsed.da + gasMissed.da;
  return `Out of gas: total L2 used ${l2} of ${gasLimit.l2}, total DA used ${da} of ${gasLimit.da}`;
}

const fetching = (pc: number, cause: string): string => `Instruction fetching error at pc ${pc}: ${cause}`;
const addressing = (cause: string): string => `Addressing error: ${cause}`;

const differ = ({ detailA, detailB }: Halt): string =>
  `Mismatched tags: Cannot perform operation between different types: ${tagName(detailA)} and ${tagName(detailB)}`;

/** The reference node's texts for failures differ by execution unit. */
function failed(name: string, cause: string): string {
  if (name === "SHL" || name === "SHR") return `${name} Exception: ALU Exception: ${name}, ${cause}`;
  if (name === "AND" || name === "OR" || name === "XOR") {
    return `Bitwise ${name} ${name === "AND" ? "Exeception" : "Exception"}: Bitwise Exception: ${name}, ${cause}`;
  }
  return `Alu ${name.toLowerCase()} operation failed: ALU Exception: ${name}, ${cause}`;
}

function tagsDiffer(halt: Halt, name: string): string {
  if (name === "SUB") return "Alu sub operation failed";
  const compares = name === "EQ" || name === "LT" || name === "LTE";
  return failed(name, compares ? "Tag mismatch between operands." : differ(halt));
}

function fieldOperand(_: Halt, name: string): string {
  if (name === "DIV") return failed(name, "Mismatched tags: Cannot perform integer division on a field element");
  const operation =
    name === "NOT" ? "Can't do unary bitwise operations on an FF" : "Bitwise operations not valid for FF";
  return failed(name, `InvalidOperationTag: ${operation}`);
}

/** Indexed by fault number. */
const MESSAGES: readonly ((halt: Halt, name: string) => string)[] = [
  () => "",
  // The maximum is u64, also for an empty bytecode.
  ({ pc, bytecode }) =>
    fetching(pc, `Invalid program counter ${pc}, max is ${BigInt.asUintN(64, BigInt(bytecode.length - 1))}`),
  ({ pc, bytecode }) => {
    const opcode = bytecode[pc];
    const hex = opcode.toString(16);
    return fetching(pc, `Opcode ${opcode} (0x${hex}) value is not in the range of valid opcodes (at PC ${pc}).`);
  },
  ({ pc, bytecode, instructions }) => {
    const { size } = instructions[bytecode[pc]];
    const left = bytecode.length - pc;
    const rule = `does not fit in bytecode (instruction size: ${size}, remaining: ${left})`;
    return fetching(pc, `Instruction at PC ${pc} ${rule}`);
  },
  ({ pc }) => fetching(pc, "Tag check failed"),
  ({ detailA }) => addressing(`Base address (mem[0]) is not a valid address (has tag ${tagName(detailA)})`),
  ({ detailA, detailB }) =>
    addressing(`Relative address out of range. Base address ${detailA}, relative offset ${detailB}`),
  ({ detailA, detailB }) =>
    addressing(
      `Address after indirection is not a valid address (address U32(${detailA})) has tag ${tagName(detailB)})`,
    ),
  outOfGas,
  ({ detailA, detailB }) =>
    `Input ${detailA} tag ${tagName(detailB >> 8)} does not match expected tag ${tagName(detailB & 0xff)}`,
  tagsDiffer,
  fieldOperand,
  (_, name) => failed(name, "Division by zero: Dividing numeric value by zero"),
  (_, name) => `${name}: memory slice out of range`,
  ({ detailA, detailB }, name) => `${name}: cell ${detailA} of a slice has tag ${tagName(detailB)}`,
  () => "Invalid environment variable enum value",
  () => "Internal return failed: Internal call stack is empty. Cannot pop.",
  staticContext,
  () => "SSTORE: Maximum number of data writes reached",
  () => "EMITNOTEHASH: Maximum number of note hashes reached",
  () => "EMITNULLIFIER: Maximum number of nullifiers reached",
  () => "", // duplicate nullifier: the host's answer names it
  () => "SENDL2TOL1MSG: Maximum number of L2 to L1 messages reached",
  () => "SENDL2TOL1MSG: recipient is not an Ethereum address",
  () => "EMITPUBLICLOG: Maximum number of public log fields reached",
  () => "GETCONTRACTINSTANCE: no such member",
  () => "ECADD: One of the points is not on the curve",
  () => "TORADIXBE: radix is not 2 to 256",
  () => "TORADIXBE: no limbs for a value that is not zero",
  () => "TORADIXBE: bits need radix 2",
  () => "TORADIXBE: the limbs cannot hold the value",
];

const DUPLICATE_NULLIFIER = 21;

/**
 * Human-readable reason of a halt (docs/protocol/06-public-execution.md#632-texts-of-halts). `nullifier` is the last
 * one that was refused as a duplicate.
 */
export function haltMessage(halt: Halt, nullifier: Fr): string {
  if (halt.fault === DUPLICATE_NULLIFIER) {
    const at = `(contract address: ${toHex(halt.contract)})`;
    return `EMITNULLIFIER: Attempted to emit duplicate nullifier ${toHex(nullifier)} ${at}.`;
  }
  return MESSAGES[halt.fault](halt, opcodeName(halt.instructions[halt.bytecode[halt.pc]]));
}
