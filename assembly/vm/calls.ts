import { U32, cellToWord, copyCell } from "./cell";
import { requireField, requireKind } from "./checks";
import { OK } from "./faults";
import {
  ADDRESS, ADDRESS_WORD, CALLEE, CALLEE_BASE, CALLEE_RETURNED, CALLEE_SIZE, CALLER, CALL_PC, current, DATA_BASE, DATA_SIZE,
  forgetCallee, GAS_DA, GAS_L2, GIVEN_DA, GIVEN_L2, HALTED, INSTRUCTION_OF, IS_STATIC, newFrame, PROGRAM_OF, releaseFrame, resume,
  RETURNED, SENDER,
} from "./frame";
import { enterFrame, leaveFrame } from "./host";
import { readable } from "./pages";
import { instructionAt } from "./program";
import { gasDA, gasL2, setGas } from "./state";

/** How the last frame ended: outcome, data, pc and fault. */
export let endOutcome: u32 = 0;
export let endSize: u32 = 0;
export let endBase: u32 = 0;
export let endPc: u32 = 0;
export let endFault: u32 = 0;

/** Tags of l2Gas, daGas, address, argsSize. */
export function checkCall(operands: usize): u32 {
  let fault = requireKind(0, readable(load<u32>(operands)), U32);
  if (fault == OK) fault = requireKind(1, readable(load<u32>(operands, 4)), U32);
  if (fault == OK) fault = requireField(2, readable(load<u32>(operands, 8)));
  return fault == OK ? requireKind(3, readable(load<u32>(operands, 12)), U32) : fault;
}

/**
 * CALL and STATICCALL (docs/protocol/06-public-execution.md#611-nested-calls). Returns the next instruction: in the
 * callee, or after the call if there is none.
 */
export function startCall(operands: usize, instruction: usize, makesStatic: bool): usize {
  const caller = current;
  forgetCallee(caller);
  const l2 = min(load<u32>(readable(load<u32>(operands))), gasL2);
  const da = min(load<u32>(readable(load<u32>(operands, 4))), gasDA);
  store<u32>(caller, <u32>instruction, INSTRUCTION_OF);
  store<u32>(caller, gasL2 - l2, GAS_L2);
  store<u32>(caller, gasDA - da, GAS_DA);

  const callee = newFrame();
  store<u32>(callee, <u32>caller, CALLER);
  store<u32>(callee, l2, GIVEN_L2);
  store<u32>(callee, da, GIVEN_DA);
  store<u32>(callee, makesStatic ? 1 : load<u32>(caller, IS_STATIC), IS_STATIC);
  store<u32>(callee, load<u32>(operands, 16), DATA_BASE);
  store<u32>(callee, load<u32>(readable(load<u32>(operands, 12))), DATA_SIZE);
  store<u32>(callee, load<u32>(instruction, 12), CALL_PC);
  copyCell(callee + ADDRESS, readable(load<u32>(operands, 8)));
  copyCell(callee + SENDER, caller + ADDRESS);
  cellToWord(callee + ADDRESS_WORD, callee + ADDRESS);

  // The caller owns the callee from here on, because the host may throw.
  store<u32>(caller, <u32>callee, CALLEE);
  const program = enterFrame(callee);
  if (program == 0) {
    forgetCallee(caller);
    return resumeCaller(caller, HALTED, 0, 0);
  }
  store<u32>(caller, 0, CALLEE);
  store<u32>(callee, <u32>program, PROGRAM_OF);
  resume(callee);
  setGas(l2, da);
  return instructionAt(program, 0);
}

/** Records in the caller how its callee ended, and resumes the caller with the gas that it had kept. */
function resumeCaller(caller: usize, outcome: u32, size: u32, base: u32): usize {
  store<u32>(caller, size, CALLEE_SIZE);
  store<u32>(caller, base, CALLEE_BASE);
  store<u32>(caller, outcome == RETURNED ? 1 : 0, CALLEE_RETURNED);
  resume(caller);
  setGas(load<u32>(caller, GAS_L2), load<u32>(caller, GAS_DA));
  return load<u32>(<usize>load<u32>(caller, INSTRUCTION_OF), 8);
}

/**
 * Ends the running frame (docs/protocol/06-public-execution.md#610-end-of-a-frame) at `instruction`. Returns the next
 * instruction in the caller, or 0 if there is no caller and the run is over.
 */
export function endFrame(instruction: usize, outcome: u32, size: u32, base: u32, fault: u32): usize {
  endOutcome = outcome;
  endSize = size;
  endBase = base;
  endPc = load<u32>(instruction, 12);
  endFault = fault;
  const frame = current;
  const caller = <usize>load<u32>(frame, CALLER);
  if (caller == 0) return 0;
  leaveFrame(outcome);
  const l2 = gasL2;
  const da = gasDA;
  const next = resumeCaller(caller, outcome, size, base);
  if (outcome == HALTED) {
    releaseFrame(frame);
  } else {
    forgetCallee(frame);
    store<u32>(caller, <u32>frame, CALLEE);
    setGas(gasL2 + l2, gasDA + da);
  }
  return next;
}
