import { CELL, cellToWord, copyCell, U128, U32, U64, wordToCell } from "./cell";
import {
  ADDRESS, ADDRESS_WORD, CALLER, calldataCell, current, DATA_SIZE, FLAT_DATA, GIVEN_DA, GIVEN_L2, IS_STATIC, newFrame, PAGES,
  PROGRAM_OF, releaseFrame, resume, SENDER, STACK, INSTRUCTION_OF,
} from "./frame";
import { readableIn } from "./pages";
import { instructionAt } from "./program";
import { ENVIRONMENT, setCollectsDebugLogs, setGas } from "./state";

/**
 * The host fills this in before a run:
 *
 *   0 address | 32 sender | 64 transaction fee | 96 chain id | 128 version       words
 *   160 block number | 192 timestamp | 224 fee per L2 gas | 256 fee per DA gas    words
 */
export const REQUEST = memory.data(288, 32);

function setVariable(which: usize, kind: u32): void {
  const cell = ENVIRONMENT + (which - 2) * CELL;
  wordToCell(cell, REQUEST + which * CELL);
  if (kind != 0) store<u8>(cell, kind, 31);
}

/**
 * Creates the run's own frame and makes it current. `calldata` has `count` words, which are converted to cells in
 * place.
 */
export function prepare(calldata: usize, count: u32, isStatic: u32, l2: u32, da: u32, debugLogs: bool): usize {
  for (let i: usize = 0; i < <usize>count; i++) wordToCell(calldata + i * CELL, calldata + i * CELL);
  for (let which: usize = 2; which < 5; which++) setVariable(which, 0);
  setVariable(5, U32);
  setVariable(6, U64);
  setVariable(7, U128);
  setVariable(8, U128);
  setCollectsDebugLogs(debugLogs);
  const frame = newFrame();
  store<u32>(frame, <u32>calldata, FLAT_DATA);
  store<u32>(frame, count, DATA_SIZE);
  store<u32>(frame, isStatic, IS_STATIC);
  store<u32>(frame, l2, GIVEN_L2);
  store<u32>(frame, da, GIVEN_DA);
  wordToCell(frame + ADDRESS, REQUEST);
  wordToCell(frame + SENDER, REQUEST + CELL);
  cellToWord(frame + ADDRESS_WORD, frame + ADDRESS);
  setGas(l2, da);
  resume(frame);
  return frame;
}

/** Sets the current frame to the start of `program`. */
export function start(program: usize): void {
  store<u32>(current, <u32>program, PROGRAM_OF);
  store<u32>(current, <u32>instructionAt(program, 0), INSTRUCTION_OF);
}

/** Frees all frames. */
export function finish(): void {
  let frame = current;
  resume(0);
  while (frame != 0) {
    const caller = <usize>load<u32>(frame, CALLER);
    releaseFrame(frame);
    frame = caller;
  }
}

/** Writes `count` cells of a frame's memory as words; addresses wrap. */
export function memoryToWords(frame: usize, address: u32, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) cellToWord(out + <usize>i * CELL, readableIn(frame + PAGES, address + i));
}

/** Writes the first `count` fields of a frame's calldata, at most its size, as words. */
export function calldataToWords(frame: usize, count: u32, out: usize): void {
  for (let i: u32 = 0; i < count; i++) cellToWord(out + <usize>i * CELL, calldataCell(frame, i));
}

/** Copies the bytes of a memory cell of a frame. */
export function peek(frame: usize, address: u32, out: usize): void {
  copyCell(out, readableIn(frame + PAGES, address));
}

/** pc of the INTERNALCALL at `depth` of a frame's internal call stack, outermost first. */
export function internalCallPc(frame: usize, depth: u32): u32 {
  return load<u32>(<usize>load<u32>(<usize>load<u32>(frame, STACK) + (<usize>depth << 2)), 12);
}
