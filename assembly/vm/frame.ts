import { allocate, release } from "./allocate";
import { CELL_BITS } from "./cell";
import { readableIn, releasePages, usePages } from "./pages";

/**
 * A frame:
 *
 *     0 caller | 4 program | 8 next instruction | 12 page table 20
 *    32 L2 gas left | 36 DA gas left | 40 L2 gas given | 44 DA gas given
 *    48 internal call stack: instructions of the INTERNALCALLs | 52 its entries in use | 56 its capacity
 *    60 static 0 or 1 | 64 first calldata cell: address in the caller's memory | 68 calldata cells
 *    72 calldata of a run's own frame: flat cells, 0 in nested frames
 *    76 last callee | 80 size of its data | 84 address of its data | 88 whether it returned
 *    92 pc of the call that created this frame
 *    96 own address, field cell | 128 sender, field cell | 160 own address, word
 *
 * A callee that returned or reverted is kept with its memory until its caller calls again or ends, because returndata
 * are read from there. All numbers are u32.
 */
export const FRAME: usize = 192;

export const CALLER: usize = 0;
export const PROGRAM_OF: usize = 4;
export const INSTRUCTION_OF: usize = 8;
export const PAGES: usize = 12;
export const GAS_L2: usize = 32;
export const GAS_DA: usize = 36;
export const GIVEN_L2: usize = 40;
export const GIVEN_DA: usize = 44;
export const STACK: usize = 48;
export const STACK_USED: usize = 52;
export const STACK_CAPACITY: usize = 56;
export const IS_STATIC: usize = 60;
export const DATA_BASE: usize = 64;
export const DATA_SIZE: usize = 68;
export const FLAT_DATA: usize = 72;
export const CALLEE: usize = 76;
export const CALLEE_SIZE: usize = 80;
export const CALLEE_BASE: usize = 84;
export const CALLEE_RETURNED: usize = 88;
export const CALL_PC: usize = 92;
export const ADDRESS: usize = 96;
export const SENDER: usize = 128;
export const ADDRESS_WORD: usize = 160;

/** Outcomes of a frame. */
export const RETURNED: u32 = 0;
export const REVERTED: u32 = 1;
export const HALTED: u32 = 2;

/** The running frame, 0 between runs. */
export let current: usize = 0;

/** Makes `frame` the running one. */
export function resume(frame: usize): void {
  current = frame;
  if (frame != 0) usePages(frame + PAGES);
}

/** Allocates a zeroed frame with an empty memory. */
export function newFrame(): usize {
  const frame = allocate(FRAME);
  memory.fill(frame, 0, FRAME);
  return frame;
}

export function releaseFrame(frame: usize): void {
  forgetCallee(frame);
  releasePages(frame + PAGES);
  const capacity = <usize>load<u32>(frame, STACK_CAPACITY);
  if (capacity > 0) release(load<u32>(frame, STACK), capacity << 2);
  release(frame, FRAME);
}

/** Frees the last callee, if it is kept. A kept callee has no callee of its own. */
export function forgetCallee(frame: usize): void {
  const callee = <usize>load<u32>(frame, CALLEE);
  if (callee == 0) return;
  store<u32>(frame, 0, CALLEE);
  releaseFrame(callee);
}

/** Pushes an INTERNALCALL. */
export function pushInternal(frame: usize, instruction: usize): void {
  const used = load<u32>(frame, STACK_USED);
  const capacity = load<u32>(frame, STACK_CAPACITY);
  if (used == capacity) growStack(frame, capacity);
  store<u32>(<usize>load<u32>(frame, STACK) + (<usize>used << 2), <u32>instruction);
  store<u32>(frame, used + 1, STACK_USED);
}

function growStack(frame: usize, capacity: u32): void {
  const longer = capacity == 0 ? 16 : capacity << 1;
  const stack = allocate(<usize>longer << 2);
  const old = <usize>load<u32>(frame, STACK);
  if (capacity > 0) {
    memory.copy(stack, old, <usize>capacity << 2);
    release(old, <usize>capacity << 2);
  }
  store<u32>(frame, <u32>stack, STACK);
  store<u32>(frame, longer, STACK_CAPACITY);
}

/** Pops the INTERNALCALL to return from; 0 if there is none. */
export function popInternal(frame: usize): usize {
  const used = load<u32>(frame, STACK_USED);
  if (used == 0) return 0;
  store<u32>(frame, used - 1, STACK_USED);
  return load<u32>(<usize>load<u32>(frame, STACK) + (<usize>(used - 1) << 2));
}

/** Cell `i` of a frame's calldata, i below its size. Reads beyond the end of the caller's memory wrap to its start. */
export function calldataCell(frame: usize, i: u32): usize {
  const flat = <usize>load<u32>(frame, FLAT_DATA);
  if (flat != 0) return flat + (<usize>i << CELL_BITS);
  return readableIn(<usize>load<u32>(frame, CALLER) + PAGES, load<u32>(frame, DATA_BASE) + i);
}
