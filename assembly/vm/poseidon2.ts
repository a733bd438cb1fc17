import { absorbWords } from "../poseidon2/sponge";
import { CELL, cellToWord, wordToCell } from "./cell";
import { gather, requireRange } from "./checks";
import { OK } from "./faults";
import { writable } from "./pages";

const STATE = memory.data(128, 32);

/** POSEIDON2: input, output (docs/protocol/06-public-execution.md#618-hashes-and-points). */
export function poseidon2Permutation(operands: usize): u32 {
  const input = load<u32>(operands);
  const out = load<u32>(operands, 4);
  let fault = requireRange(input, 4) | requireRange(out, 4);
  if (fault == OK) fault = gather(STATE, input, 4, 0);
  if (fault != OK) return fault;
  for (let at = STATE; at < STATE + 128; at += CELL) cellToWord(at, at);
  absorbWords(STATE, 0, 0);
  for (let i: u32 = 0; i < 4; i++) wordToCell(writable(out + i), STATE + <usize>i * CELL);
  return OK;
}
