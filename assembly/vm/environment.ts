import { CELL, copyCell, putSmall, U1, U32 } from "./cell";
import { INVALID_VARIABLE, OK } from "./faults";
import { ADDRESS, current, IS_STATIC, SENDER } from "./frame";
import { writable } from "./pages";
import { ENVIRONMENT, gasDA, gasL2 } from "./state";

/**
 * GETENVVAR (docs/protocol/06-public-execution.md#67-environment) into the cell at `address`. Gas is already charged.
 */
export function readVariable(which: u32, address: u32): u32 {
  if (which > 11) return INVALID_VARIABLE;
  const out = writable(address);
  const frame = current;
  if (which == 0) copyCell(out, frame + ADDRESS);
  else if (which == 1) copyCell(out, frame + SENDER);
  else if (which < 9) copyCell(out, ENVIRONMENT + <usize>(which - 2) * CELL);
  else if (which == 9) putSmall(out, load<u32>(frame, IS_STATIC), U1);
  else putSmall(out, which == 10 ? gasL2 : gasDA, U32);
  return OK;
}
