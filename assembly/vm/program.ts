import { allocate } from "./allocate";
import { castCell, TAG_FF, TAGS } from "./cell";
import { CUT_SHORT, INVALID_OPCODE, INVALID_PC, INVALID_TAG } from "./faults";
import {
  baseGas, endsRun, FAULT, handlerOf, hasTag, immediateBytes, modeBytes, operandBytes, operandCount, OPCODES, SET, sizeOf,
} from "./instruction-set";
import { reduceCell } from "./field-cells";

/**
 * A program: its bytecode and the instructions decoded so far.
 *
 *   0 bytecode | 4 length | 8 index: by pc the instruction, u32, 0 when not decoded | 12 newest block of instructions
 *   16 instructions used in that block
 *
 * A jump may target any byte offset. So instructions are decoded when first reached, up to the next one that does not
 * fall through. A block starts with the address of the previous block, followed by BLOCK instructions.
 *
 * An instruction:
 *
 *   0 handler u8 | 1 tag, immediate byte or fault u8 | 2 mode u16, bits of absent operands cleared
 *   4 L2 gas with addressing u32 | 8 instruction after it u32 | 12 pc u32 | 16 largest relative offset u32
 *   20 operands, u32 each, up to 7
 *   48 jump target or message size u32 | 52 instruction at the jump target u32, 0 when not looked up
 *
 * SET has its constant as a cell at 32.
 */
const PROGRAM: usize = 20;
const INSTRUCTION: usize = 64;
const BLOCK: u32 = 63;
const BLOCK_BYTES: usize = 4096;

export const OPERANDS: usize = 20;
export const CONSTANT: usize = 32;

/** The instruction at a pc beyond the end; written again for each such fetch. */
const BEYOND = memory.data(64, 32);

/** `bytecode` is a block of allocate(max(length, 1)); the program takes ownership of it. */
export function newProgram(bytecode: usize, length: u32): usize {
  const program = allocate(PROGRAM);
  const bytes = <usize>(length + 1) << 2;
  const index = allocate(bytes);
  memory.fill(index, 0, bytes);
  store<u32>(program, <u32>bytecode);
  store<u32>(program, length, 4);
  store<u32>(program, <u32>index, 8);
  store<u32>(program, 0, 12);
  store<u32>(program, BLOCK, 16);
  programBytes += length + <u32>bytes;
  return program;
}

/** Bytes used by all programs. */
export let programBytes: u32 = 0;

/** The instruction at `pc`. */
export function instructionAt(program: usize, pc: u32): usize {
  if (pc >= load<u32>(program, 4)) {
    memory.fill(BEYOND, 0, INSTRUCTION);
    return asFault(BEYOND, pc, INVALID_PC);
  }
  const found = <usize>load<u32>(<usize>load<u32>(program, 8) + (<usize>pc << 2));
  return found != 0 ? found : decodeRun(program, pc);
}

/** The target instruction of a jump. It is cached in the jump unless it lies beyond the end. */
@inline
export function jumpTarget(program: usize, jump: usize): usize {
  const known = <usize>load<u32>(jump, 52);
  return known != 0 ? known : lookUpTarget(program, jump);
}

function lookUpTarget(program: usize, jump: usize): usize {
  const target = instructionAt(program, load<u32>(jump, 48));
  if (target != BEYOND) store<u32>(jump, <u32>target, 52);
  return target;
}

function newInstruction(program: usize): usize {
  let used = load<u32>(program, 16);
  let block = <usize>load<u32>(program, 12);
  if (used == BLOCK) {
    const added = allocate(BLOCK_BYTES);
    store<u32>(added, <u32>block);
    block = added;
    store<u32>(program, <u32>block, 12);
    programBytes += <u32>BLOCK_BYTES;
    used = 0;
  }
  store<u32>(program, used + 1, 16);
  const at = block + INSTRUCTION * (<usize>used + 1);
  memory.fill(at, 0, INSTRUCTION);
  return at;
}

function asFault(at: usize, pc: u32, fault: u32): usize {
  store<u8>(at, FAULT);
  store<u8>(at, fault, 1);
  store<u32>(at, pc, 12);
  return at;
}

/**
 * Decodes from `pc` on and links instructions that fall through. A sequence that runs off the end is followed by a
 * fault.
 */
function decodeRun(program: usize, pc: u32): usize {
  const length = load<u32>(program, 4);
  const bytecode = <usize>load<u32>(program);
  const index = <usize>load<u32>(program, 8);
  const first = decode(program, pc);
  let last = first;
  store<u32>(index + (<usize>pc << 2), <u32>first);
  while (!endsRun(load<u8>(last))) {
    pc += sizeOf(load<u8>(bytecode + pc));
    if (pc >= length) {
      store<u32>(last, <u32>asFault(newInstruction(program), pc, INVALID_PC), 8);
      break;
    }
    const entry = index + (<usize>pc << 2);
    const known = load<u32>(entry);
    if (known != 0) {
      store<u32>(last, known, 8);
      break;
    }
    const next = decode(program, pc);
    store<u32>(entry, <u32>next);
    store<u32>(last, <u32>next, 8);
    last = next;
  }
  return first;
}

function decode(program: usize, pc: u32): usize {
  const at = newInstruction(program);
  const source = <usize>load<u32>(program) + pc;
  const left = load<u32>(program, 4) - pc;
  const opcode = <u32>load<u8>(source);
  if (opcode >= OPCODES) return asFault(at, pc, INVALID_OPCODE);
  if (sizeOf(opcode) > left) return asFault(at, pc, CUT_SHORT);

  let cursor = source + 1;
  const modes = modeBytes(opcode);
  const mode = modes == 2 ? bigEndian(cursor, 2) & 0x3fff : modes == 1 ? load<u8>(cursor) : 0;
  cursor += modes;
  const operands = operandCount(opcode);
  const width = operandBytes(opcode);
  let largest: u32 = 0;
  for (let i: u32 = 0; i < operands; i++) {
    const offset = bigEndian(cursor, width);
    store<u32>(at + (<usize>i << 2), offset, OPERANDS);
    if (((mode >> (2 * i)) & 2) != 0) largest = max(largest, offset);
    cursor += width;
  }
  const handler = handlerOf(opcode);
  if (hasTag(opcode)) {
    const tag = load<u8>(cursor++);
    if (tag >= TAGS) return asFault(at, pc, INVALID_TAG);
    store<u8>(at, tag, 1);
  }
  const immediate = immediateBytes(opcode);
  if (handler == SET) {
    decodeConstant(at + CONSTANT, cursor, immediate, load<u8>(at, 1));
  } else {
    if (immediate == 1) store<u8>(at, load<u8>(cursor), 1);
    else if (immediate != 0) store<u32>(at, bigEndian(cursor, immediate), 48);
  }
  store<u8>(at, handler);
  store<u32>(at, largest, 16);
  store<u16>(at, mode & ((1 << (2 * operands)) - 1), 2);
  // Mode bits of absent operands also cost gas.
  const resolution = 3 * popcnt<u32>(mode) + ((mode & 0x2aaa) != 0 ? 3 : 0);
  store<u32>(at, baseGas(opcode) + resolution, 4);
  store<u32>(at, pc, 12);
  return at;
}

/** 0 to 4 bytes. */
function bigEndian(source: usize, bytes: u32): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < <usize>bytes; i++) value = (value << 8) | load<u8>(source + i);
  return value;
}

/** The immediate of SET, truncated to its tag; 32 bytes are reduced mod p first. */
function decodeConstant(cell: usize, source: usize, bytes: u32, tag: u32): void {
  for (let i: usize = 0; i < 32; i++) {
    store<u8>(cell + i, i < <usize>bytes ? load<u8>(source + <usize>bytes - 1 - i) : 0);
  }
  if (bytes == 32) reduceCell(cell);
  if (tag != TAG_FF) castCell(cell, cell, tag);
}
