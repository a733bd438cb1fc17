import type { InstructionForm } from "./instruction-set.ts";
import { TAG_NAMES, tagName } from "./tags.ts";

/** A decoded instruction (docs/protocol/06-public-execution.md#62-encoding-of-instructions). */
export interface Instruction {
  readonly pc: number;
  readonly form: InstructionForm;
  /** Addressing mode. Bit 2 i: operand i is indirect; bit 2 i + 1: it is relative. */
  readonly mode: number;
  readonly offsets: readonly number[];
  readonly tag?: number;
  readonly immediate?: bigint;
}

/** Why there is no instruction at a pc. */
export type Undecoded = "beyond the end" | "no opcode" | "cut short" | "no tag";

function unsigned(bytes: Uint8Array, at: number, length: number): bigint {
  let value = 0n;
  for (let i = 0; i < length; i++) value = (value << 8n) | BigInt(bytes[at + i]);
  return value;
}

/** The instruction at `pc`, or why a fetch there fails. */
export function decodeInstruction(
  instructions: readonly InstructionForm[],
  bytecode: Uint8Array,
  pc: number,
): Instruction | Undecoded {
  if (pc >= bytecode.length) return "beyond the end";
  const form = instructions[bytecode[pc]];
  if (form === undefined) return "no opcode";
  if (form.size > bytecode.length - pc) return "cut short";
  let at = pc + 1;
  const take = (length: number): bigint => {
    at += length;
    return unsigned(bytecode, at - length, length);
  };
  const mode = Number(take(form.modeBytes));
  const offsets = form.operands.map(() => Number(take(form.operandBytes)));
  const tag = form.hasTag ? Number(take(1)) : undefined;
  if (tag !== undefined && tag >= TAG_NAMES.length) return "no tag";
  const immediate = form.immediate === undefined ? undefined : take(form.immediate.bytes);
  return { pc, form, mode, offsets, tag, immediate };
}

/** An operand as text, for example `dst=[base+3]`; an indirect operand has another pair of brackets. */
function operandText(name: string, offset: number, bits: number): string {
  const direct = `[${(bits & 2) !== 0 ? "base+" : ""}${offset}]`;
  return `${name}=${(bits & 1) !== 0 ? `[${direct}]` : direct}`;
}

function immediateText(form: InstructionForm, value: bigint): string {
  const bytes = form.immediate?.bytes ?? 0;
  return `${form.immediate?.name}=${bytes > 6 ? `0x${value.toString(16)}` : value}`;
}

/** An instruction as text: its name and operands, without the pc. */
export function instructionText({ form, mode, offsets, tag, immediate }: Instruction): string {
  const parts = [form.name, ...form.operands.map(({ name }, i) => operandText(name, offsets[i], mode >> (2 * i)))];
  if (tag !== undefined) parts.push(`tag=${tagName(tag)}`);
  if (immediate !== undefined) parts.push(immediateText(form, immediate));
  return parts.join(" ");
}

/**
 * Yields pc and text of each instruction, from the first byte on. A byte at which no instruction can be decoded gets a
 * line with the reason, and decoding continues at the next byte. Jumps may also target other offsets than those listed.
 */
export function* disassemble(
  instructions: readonly InstructionForm[],
  bytecode: Uint8Array,
): Generator<{ pc: number; text: string }> {
  let pc = 0;
  while (pc < bytecode.length) {
    const found = decodeInstruction(instructions, bytecode, pc);
    if (typeof found === "string") {
      yield { pc, text: `.byte 0x${bytecode[pc].toString(16).padStart(2, "0")} (${found})` };
      pc++;
    } else {
      yield { pc, text: instructionText(found) };
      pc += found.form.size;
    }
  }
}
