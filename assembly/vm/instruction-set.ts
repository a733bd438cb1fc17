/**
 * The instruction set (docs/protocol/06-public-execution.md#63-instruction-set). Variants of an opcode share the
 * handler number of the first variant. What differs between generations is set by `setRules`.
 */
export const ADD: u32 = 0;
export const SUB: u32 = 2;
export const MUL: u32 = 4;
export const DIV: u32 = 6;
export const FDIV: u32 = 8;
export const EQ: u32 = 10;
export const LT: u32 = 12;
export const LTE: u32 = 14;
export const AND: u32 = 16;
export const OR: u32 = 18;
export const XOR: u32 = 20;
export const NOT: u32 = 22;
export const SHL: u32 = 24;
export const SHR: u32 = 26;
export const CAST: u32 = 28;
export const GETENVVAR: u32 = 30;
export const CALLDATACOPY: u32 = 31;
export const SUCCESSCOPY: u32 = 32;
export const RETURNDATASIZE: u32 = 33;
export const RETURNDATACOPY: u32 = 34;
export const JUMP: u32 = 35;
export const JUMPI: u32 = 36;
export const INTERNALCALL: u32 = 37;
export const INTERNALRETURN: u32 = 38;
export const SET: u32 = 39;
export const MOV: u32 = 45;
export const SLOAD: u32 = 47;
export const SSTORE: u32 = 48;
export const NOTEHASHEXISTS: u32 = 49;
export const EMITNOTEHASH: u32 = 50;
export const NULLIFIEREXISTS: u32 = 51;
export const EMITNULLIFIER: u32 = 52;
export const L1TOL2MSGEXISTS: u32 = 53;
export const GETCONTRACTINSTANCE: u32 = 54;
export const EMITPUBLICLOG: u32 = 55;
export const SENDL2TOL1MSG: u32 = 56;
export const CALL: u32 = 57;
export const STATICCALL: u32 = 58;
export const RETURN: u32 = 59;
export const REVERT: u32 = 60;
export const DEBUGLOG: u32 = 62;
export const POSEIDON2: u32 = 63;
export const SHA256COMPRESSION: u32 = 64;
export const KECCAKF1600: u32 = 65;
export const ECADD: u32 = 66;
export const TORADIXBE: u32 = 67;
/** Handler of a failed fetch; not an opcode. */
export const FAULT: u32 = 68;

export const OPCODES: u32 = 68;

/** Cells of a point: x, y and, if there are three, whether it is infinite. With two, (0, 0) is the infinite point. */
export let pointCells: u32 = 0;
/** L2 gas of a copied word of calldata or returndata. */
export let copiedWordGas: u64 = 0;
/** Number of members of an instance. */
export let instanceMembers: u32 = 0;

/** Must be called once, before a program is decoded. */
export function setRules(cells: u32, pointAdditionGas: u32, wordGas: u32, members: u32): void {
  pointCells = cells;
  copiedWordGas = wordGas;
  instanceMembers = members;
  store<u8>(ENCODING + <usize>(ECADD * 6), 2 * cells + 1, 2);
  store<u16>(BASE_GAS + (<usize>ECADD << 1), pointAdditionGas);
}

/**
 * By opcode: handler, bytes of the mode, number of memory operands, bytes of each, whether a tag follows, bytes of the
 * immediate after that.
 */
const ENCODING = memory.data<u8>([
  0, 1, 3, 1, 0, 0,   0, 1, 3, 2, 0, 0,   2, 1, 3, 1, 0, 0,   2, 1, 3, 2, 0, 0,
  4, 1, 3, 1, 0, 0,   4, 1, 3, 2, 0, 0,   6, 1, 3, 1, 0, 0,   6, 1, 3, 2, 0, 0,
  8, 1, 3, 1, 0, 0,   8, 1, 3, 2, 0, 0,   10, 1, 3, 1, 0, 0,  10, 1, 3, 2, 0, 0,
  12, 1, 3, 1, 0, 0,  12, 1, 3, 2, 0, 0,  14, 1, 3, 1, 0, 0,  14, 1, 3, 2, 0, 0,
  16, 1, 3, 1, 0, 0,  16, 1, 3, 2, 0, 0,  18, 1, 3, 1, 0, 0,  18, 1, 3, 2, 0, 0,
  20, 1, 3, 1, 0, 0,  20, 1, 3, 2, 0, 0,  22, 1, 2, 1, 0, 0,  22, 1, 2, 2, 0, 0,
  24, 1, 3, 1, 0, 0,  24, 1, 3, 2, 0, 0,  26, 1, 3, 1, 0, 0,  26, 1, 3, 2, 0, 0,
  28, 1, 2, 1, 1, 0,  28, 1, 2, 2, 1, 0,
  30, 1, 1, 2, 0, 1,  // GETENVVAR
  31, 1, 3, 2, 0, 0,  32, 1, 1, 2, 0, 0,  33, 1, 1, 2, 0, 0,  34, 1, 3, 2, 0, 0,
  35, 0, 0, 0, 0, 4,  36, 1, 1, 2, 0, 4,  37, 0, 0, 0, 0, 4,  38, 0, 0, 0, 0, 0,
  39, 1, 1, 1, 1, 1,  39, 1, 1, 2, 1, 2,  39, 1, 1, 2, 1, 4,
  39, 1, 1, 2, 1, 8,  39, 1, 1, 2, 1, 16, 39, 1, 1, 2, 1, 32,
  45, 1, 2, 1, 0, 0,  45, 1, 2, 2, 0, 0,
  47, 1, 3, 2, 0, 0,  48, 1, 2, 2, 0, 0,  49, 1, 3, 2, 0, 0,  50, 1, 1, 2, 0, 0,
  51, 1, 2, 2, 0, 0,  52, 1, 1, 2, 0, 0,  53, 1, 3, 2, 0, 0,  54, 1, 2, 2, 0, 1,
  55, 1, 2, 2, 0, 0,  56, 1, 2, 2, 0, 0,
  57, 2, 5, 2, 0, 0,  58, 2, 5, 2, 0, 0,  59, 1, 2, 2, 0, 0,
  60, 1, 2, 1, 0, 0,  60, 1, 2, 2, 0, 0,
  62, 1, 4, 2, 0, 2,  // DEBUGLOG
  63, 1, 2, 2, 0, 0,  64, 1, 3, 2, 0, 0,  65, 1, 2, 2, 0, 0,
  66, 2, 0, 2, 0, 0,  // ECADD, its operands set by setRules
  67, 2, 5, 2, 0, 0,
]);

/** By opcode: L2 gas, excluding addressing and dynamic gas. */
const BASE_GAS = memory.data<u16>([
  12, 12, 12, 12, 27, 27, 27, 27, 225, 225, 12, 12, 42, 42, 42, 42, // ADD to LTE
  12, 12, 12, 12, 12, 12, 12, 12, 18, 18, 18, 18, 27, 27, // AND to CAST
  12, 18, 12, 12, 18, 9, 9, 9, 9, // GETENVVAR to INTERNALRETURN
  27, 27, 27, 27, 27, 27, 12, 12, // SET, MOV
  1290, 33140, 504, 19275, 903, 30800, 540, 6108, 15, 5239, // SLOAD to SENDL2TOL1MSG
  9936, 9936, 9, 9, 9, 9, // CALL to DEBUGLOG
  360, 12288, 58176, 0, 24, // gadgets; ECADD is set by setRules
]);

@inline
function encoding(opcode: u32, field: usize): u32 {
  return load<u8>(ENCODING + <usize>(opcode * 6) + field);
}

export function handlerOf(opcode: u32): u32 {
  return encoding(opcode, 0);
}

export function modeBytes(opcode: u32): u32 {
  return encoding(opcode, 1);
}

export function operandCount(opcode: u32): u32 {
  return encoding(opcode, 2);
}

export function operandBytes(opcode: u32): u32 {
  return encoding(opcode, 3);
}

export function hasTag(opcode: u32): u32 {
  return encoding(opcode, 4);
}

export function immediateBytes(opcode: u32): u32 {
  return encoding(opcode, 5);
}

export function baseGas(opcode: u32): u32 {
  return load<u16>(BASE_GAS + (<usize>opcode << 1));
}

/** DA gas, excluding dynamic gas. */
export function baseDA(handler: u32): u32 {
  if (handler == EMITPUBLICLOG) return 64;
  return handler == EMITNOTEHASH || handler == EMITNULLIFIER || handler == SENDL2TOL1MSG ? 32 : 0;
}

/** Bytes of an instruction. */
export function sizeOf(opcode: u32): u32 {
  return (
    1 + modeBytes(opcode) + operandCount(opcode) * operandBytes(opcode) + hasTag(opcode) + immediateBytes(opcode)
  );
}

/** Whether execution never continues at the following instruction. */
export function endsRun(handler: u32): bool {
  return (
    handler == JUMP ||
    handler == INTERNALRETURN ||
    handler == RETURN ||
    handler == REVERT ||
    handler == FAULT
  );
}
