import { ELEMENT } from "../field/modulus";
import { permute } from "../poseidon2/permutation";
import { CELL } from "./cell";
import { gather, requireRange } from "./checks";
import { OK } from "./faults";
import { cellToElement, elementToCell } from "./field-cells";
import { writable } from "./pages";

const CELLS = memory.data(128, 32);
const STATE = memory.data(288, 8);

/** POSEIDON2: input, output (sheet 05 section 6). */
export function poseidon2Permutation(operands: usize): u32 {
  const input = load<u32>(operands);
  const out = load<u32>(operands, 4);
  let fault = requireRange(input, 4) | requireRange(out, 4);
  if (fault == OK) fault = gather(CELLS, input, 4, 0);
  if (fault != OK) return fault;
  for (let i: usize = 0; i < 4; i++) cellToElement(STATE + i * ELEMENT, CELLS + i * CELL);
  permute(STATE);
  for (let i: u32 = 0; i < 4; i++) elementToCell(writable(out + i), STATE + <usize>i * ELEMENT);
  return OK;
}
