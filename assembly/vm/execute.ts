import { arithmetic, compare, complementWide, divideField, wide } from "./alu";
import { checkCall, endFrame, startCall } from "./calls";
import {
  areSmall, bitwiseGas, castCell, copyCell, kindOf, maskOf, putSmall, sameTag, tagOf, U1, U32, widthOf,
} from "./cell";
import { requireKind } from "./checks";
import { copyCalldata, copyReturndata } from "./data";
import { readVariable } from "./environment";
import {
  DIVISION_BY_ZERO, INTERNAL_STACK_EMPTY, OK, OPERAND_TAGS_DIFFER, OUT_OF_GAS, setDetails,
} from "./faults";
import {
  CALLEE_RETURNED, CALLEE_SIZE, current, HALTED, INSTRUCTION_OF, popInternal, PROGRAM_OF, pushInternal, RETURNED, REVERTED,
} from "./frame";
import { addPoints } from "./grumpkin";
import * as op from "./instruction-set";
import { keccakF1600 } from "./keccak";
import { RESOLVED, resolve } from "./operands";
import { readable, writable } from "./pages";
import { poseidon2Permutation } from "./poseidon2";
import { CONSTANT, jumpTarget, OPERANDS } from "./program";
import { toRadix } from "./radix";
import { sha256Compression } from "./sha256";
import { gasL2, missGas, setGasL2 } from "./state";
import {
  debugLog, emitNoteHash, emitNullifier, emitPublicLog, getContractInstance, l1ToL2MessageExists, loadStorage, noteHashExists,
  nullifierExists, sendMessage, storeStorage,
} from "./world";

@inline
function operand(operands: usize, i: usize): usize {
  return readable(load<u32>(operands + (i << 2)));
}

@inline
function after(instruction: usize): usize {
  return load<u32>(instruction, 8);
}

/** Fuel left after an instruction whose time grows with its gas: 64 gas take about as long as one short instruction. */
@inline
function burn(fuel: u32, gas: u32): u32 {
  return fuel - min(fuel, gas >> 6);
}

/**
 * Runs up to `fuel` instructions of the current frame and the frames it calls, fewer if they copy much. Returns false
 * when the run has ended.
 *
 * In the switch, `continue` runs `instruction` next, and `break` runs the one after it, or halts the frame with `fault`
 * when that is set. Integers of up to 64 bits are computed inline, everything else in functions.
 */
export function execute(fuel: u32): bool {
  let instruction = <usize>load<u32>(current, INSTRUCTION_OF);
  let gas = gasL2;
  while (true) {
    if (fuel == 0) {
      store<u32>(current, <u32>instruction, INSTRUCTION_OF);
      setGasL2(gas);
      return true;
    }
    fuel--;

    let fault: u32 = OUT_OF_GAS;
    const cost = load<u32>(instruction, 4);
    if (gas >= cost) {
      gas -= cost;
      fault = OK;
      let operands = instruction + OPERANDS;
      const mode = <u32>load<u16>(instruction, 2);
      if (mode != 0) {
        fault = resolve(instruction, mode);
        operands = RESOLVED;
      }
      const handler = <u32>load<u8>(instruction);
      if (fault == OK) {
        switch (handler) {
          case op.ADD:
          case op.SUB:
          case op.MUL: {
            const a = operand(operands, 0);
            const b = operand(operands, 1);
            const kind = kindOf(a);
            if (areSmall(kind, kindOf(b))) {
              const x = load<u64>(a);
              const y = load<u64>(b);
              const result = handler == op.ADD ? x + y : handler == op.SUB ? x - y : x * y;
              putSmall(writable(load<u32>(operands, 8)), result & maskOf(kind), kind);
              instruction = after(instruction);
              continue;
            }
            fault = arithmetic(handler, operands);
            break;
          }
          case op.DIV: {
            const a = operand(operands, 0);
            const b = operand(operands, 1);
            const kind = kindOf(a);
            if (areSmall(kind, kindOf(b))) {
              const y = load<u64>(b);
              if (y == 0) {
                fault = DIVISION_BY_ZERO;
                break;
              }
              putSmall(writable(load<u32>(operands, 8)), load<u64>(a) / y, kind);
              instruction = after(instruction);
              continue;
            }
            fault = wide(handler, operands);
            break;
          }
          case op.FDIV: {
            fault = divideField(operands);
            break;
          }
          case op.EQ: {
            const a = operand(operands, 0);
            const b = operand(operands, 1);
            if (!sameTag(kindOf(a), kindOf(b))) {
              setDetails(tagOf(a), tagOf(b));
              fault = OPERAND_TAGS_DIFFER;
              break;
            }
            const difference = v128.or(
              v128.xor(v128.load(a), v128.load(b)),
              v128.xor(v128.load(a, 16), v128.load(b, 16)),
            );
            putSmall(writable(load<u32>(operands, 8)), v128.any_true(difference) ? 0 : 1, U1);
            instruction = after(instruction);
            continue;
          }
          case op.LT:
          case op.LTE: {
            const a = operand(operands, 0);
            const b = operand(operands, 1);
            if (areSmall(kindOf(a), kindOf(b))) {
              const x = load<u64>(a);
              const y = load<u64>(b);
              putSmall(writable(load<u32>(operands, 8)), u64(handler == op.LT ? x < y : x <= y), U1);
              instruction = after(instruction);
              continue;
            }
            fault = compare(operands, handler == op.LTE);
            break;
          }
          case op.AND:
          case op.OR:
          case op.XOR: {
            const a = operand(operands, 0);
            const b = operand(operands, 1);
            const kind = kindOf(a);
            const dynamic = bitwiseGas(kind);
            if (gas < dynamic) {
              missGas(dynamic, 0);
              fault = OUT_OF_GAS;
              break;
            }
            gas -= dynamic;
            if (areSmall(kind, kindOf(b))) {
              const x = load<u64>(a);
              const y = load<u64>(b);
              const result = handler == op.AND ? x & y : handler == op.OR ? x | y : x ^ y;
              putSmall(writable(load<u32>(operands, 8)), result, kind);
              instruction = after(instruction);
              continue;
            }
            fault = wide(handler, operands);
            break;
          }
          case op.NOT: {
            const a = operand(operands, 0);
            const kind = kindOf(a);
            if (areSmall(kind, kind)) {
              putSmall(writable(load<u32>(operands, 4)), load<u64>(a) ^ maskOf(kind), kind);
              instruction = after(instruction);
              continue;
            }
            fault = complementWide(operands);
            break;
          }
          case op.SHL:
          case op.SHR: {
            const a = operand(operands, 0);
            const b = operand(operands, 1);
            const kind = kindOf(a);
            if (areSmall(kind, kindOf(b))) {
              const x = load<u64>(a);
              const amount = load<u64>(b);
              const result: u64 =
                amount >= <u64>widthOf(kind) ? 0 : handler == op.SHL ? (x << amount) & maskOf(kind) : x >> amount;
              putSmall(writable(load<u32>(operands, 8)), result, kind);
              instruction = after(instruction);
              continue;
            }
            fault = wide(handler, operands);
            break;
          }
          case op.CAST: {
            castCell(writable(load<u32>(operands, 4)), operand(operands, 0), load<u8>(instruction, 1));
            instruction = after(instruction);
            continue;
          }
          case op.GETENVVAR: {
            setGasL2(gas);
            fault = readVariable(load<u8>(instruction, 1), load<u32>(operands));
            break;
          }
          case op.CALLDATACOPY:
          case op.RETURNDATACOPY: {
            setGasL2(gas);
            fault = handler == op.CALLDATACOPY ? copyCalldata(operands) : copyReturndata(operands);
            fuel = burn(fuel, gas - gasL2);
            gas = gasL2;
            break;
          }
          case op.SUCCESSCOPY: {
            putSmall(writable(load<u32>(operands)), load<u32>(current, CALLEE_RETURNED), U1);
            instruction = after(instruction);
            continue;
          }
          case op.RETURNDATASIZE: {
            putSmall(writable(load<u32>(operands)), load<u32>(current, CALLEE_SIZE), U32);
            instruction = after(instruction);
            continue;
          }
          case op.JUMP: {
            instruction = jumpTarget(load<u32>(current, PROGRAM_OF), instruction);
            continue;
          }
          case op.JUMPI: {
            const condition = operand(operands, 0);
            if (kindOf(condition) != U1) {
              fault = requireKind(0, condition, U1);
              break;
            }
            instruction =
              load<u8>(condition) != 0
                ? jumpTarget(load<u32>(current, PROGRAM_OF), instruction)
                : after(instruction);
            continue;
          }
          case op.INTERNALCALL: {
            pushInternal(current, instruction);
            instruction = jumpTarget(load<u32>(current, PROGRAM_OF), instruction);
            continue;
          }
          case op.INTERNALRETURN: {
            const call = popInternal(current);
            if (call == 0) {
              fault = INTERNAL_STACK_EMPTY;
              break;
            }
            instruction = after(call);
            continue;
          }
          case op.SET: {
            copyCell(writable(load<u32>(operands)), instruction + CONSTANT);
            instruction = after(instruction);
            continue;
          }
          case op.MOV: {
            const source = operand(operands, 0);
            copyCell(writable(load<u32>(operands, 4)), source);
            instruction = after(instruction);
            continue;
          }
          case op.SLOAD: {
            fault = loadStorage(operands);
            break;
          }
          case op.SSTORE: {
            fault = storeStorage(operands);
            break;
          }
          case op.NOTEHASHEXISTS: {
            fault = noteHashExists(operands);
            break;
          }
          case op.EMITNOTEHASH: {
            fault = emitNoteHash(operands);
            break;
          }
          case op.NULLIFIEREXISTS: {
            fault = nullifierExists(operands);
            break;
          }
          case op.EMITNULLIFIER: {
            fault = emitNullifier(operands);
            break;
          }
          case op.L1TOL2MSGEXISTS: {
            fault = l1ToL2MessageExists(operands);
            break;
          }
          case op.GETCONTRACTINSTANCE: {
            fault = getContractInstance(operands, load<u8>(instruction, 1));
            break;
          }
          case op.EMITPUBLICLOG: {
            setGasL2(gas);
            fault = emitPublicLog(operands);
            gas = gasL2;
            break;
          }
          case op.SENDL2TOL1MSG: {
            fault = sendMessage(operands);
            break;
          }
          case op.CALL:
          case op.STATICCALL: {
            fault = checkCall(operands);
            if (fault != OK) break;
            setGasL2(gas);
            instruction = startCall(operands, instruction, handler == op.STATICCALL);
            gas = gasL2;
            continue;
          }
          case op.RETURN:
          case op.REVERT: {
            const size = operand(operands, 0);
            fault = requireKind(0, size, U32);
            if (fault != OK) break;
            setGasL2(gas);
            const outcome = handler == op.RETURN ? RETURNED : REVERTED;
            instruction = endFrame(instruction, outcome, load<u32>(size), load<u32>(operands, 4), OK);
            if (instruction == 0) return false;
            gas = gasL2;
            continue;
          }
          case op.DEBUGLOG: {
            debugLog(operands, load<u32>(instruction, 48));
            instruction = after(instruction);
            continue;
          }
          case op.POSEIDON2: {
            fault = poseidon2Permutation(operands);
            break;
          }
          case op.SHA256COMPRESSION: {
            fault = sha256Compression(operands);
            break;
          }
          case op.KECCAKF1600: {
            fault = keccakF1600(operands);
            break;
          }
          case op.ECADD: {
            fault = addPoints(operands);
            break;
          }
          case op.TORADIXBE: {
            setGasL2(gas);
            fault = toRadix(operands);
            fuel = burn(fuel, gas - gasL2);
            gas = gasL2;
            break;
          }
          default: {
            fault = load<u8>(instruction, 1);
            break;
          }
        }
        if (fault == OK) {
          instruction = after(instruction);
          continue;
        }
      }
    } else {
      // Operands that cannot be resolved are told of before the gas.
      const mode = <u32>load<u16>(instruction, 2);
      const unresolved = mode == 0 ? OK : resolve(instruction, mode);
      if (unresolved != OK) fault = unresolved;
      else missGas(cost, op.baseDA(load<u8>(instruction)));
    }

    setGasL2(gas);
    instruction = endFrame(instruction, HALTED, 0, 0, fault);
    if (instruction == 0) return false;
    gas = gasL2;
  }
}
