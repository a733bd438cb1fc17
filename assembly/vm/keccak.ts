import { CELL, putSmall, U64 } from "./cell";
import { gather, requireRange } from "./checks";
import { OK } from "./faults";
import { writable } from "./pages";

/** Round constants (FIPS 202 section 3.2.5). */
const ROUND_CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
  0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
  0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
  0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
  0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]);

const STATE = memory.data(800, 32);

@inline
function lane(i: usize): u64 {
  return load<u64>(STATE + i * CELL);
}

@inline
function setLane(i: usize, value: u64): void {
  store<u64>(STATE + i * CELL, value);
}

/** Keccak-f[1600] (FIPS 202 section 3.3) on STATE; lane (x, y) is cell x + 5 y. */
function permute(): void {
  let a0 = lane(0);
  let a1 = lane(1);
  let a2 = lane(2);
  let a3 = lane(3);
  let a4 = lane(4);
  let a5 = lane(5);
  let a6 = lane(6);
  let a7 = lane(7);
  let a8 = lane(8);
  let a9 = lane(9);
  let a10 = lane(10);
  let a11 = lane(11);
  let a12 = lane(12);
  let a13 = lane(13);
  let a14 = lane(14);
  let a15 = lane(15);
  let a16 = lane(16);
  let a17 = lane(17);
  let a18 = lane(18);
  let a19 = lane(19);
  let a20 = lane(20);
  let a21 = lane(21);
  let a22 = lane(22);
  let a23 = lane(23);
  let a24 = lane(24);
  for (let round: usize = 0; round < 192; round += 8) {
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
    const d0 = c4 ^ rotl<u64>(c1, 1);
    const d1 = c0 ^ rotl<u64>(c2, 1);
    const d2 = c1 ^ rotl<u64>(c3, 1);
    const d3 = c2 ^ rotl<u64>(c4, 1);
    const d4 = c3 ^ rotl<u64>(c0, 1);
    const b0 = a0 ^ d0;
    const b1 = rotl<u64>(a6 ^ d1, 44);
    const b2 = rotl<u64>(a12 ^ d2, 43);
    const b3 = rotl<u64>(a18 ^ d3, 21);
    const b4 = rotl<u64>(a24 ^ d4, 14);
    const b5 = rotl<u64>(a3 ^ d3, 28);
    const b6 = rotl<u64>(a9 ^ d4, 20);
    const b7 = rotl<u64>(a10 ^ d0, 3);
    const b8 = rotl<u64>(a16 ^ d1, 45);
    const b9 = rotl<u64>(a22 ^ d2, 61);
    const b10 = rotl<u64>(a1 ^ d1, 1);
    const b11 = rotl<u64>(a7 ^ d2, 6);
    const b12 = rotl<u64>(a13 ^ d3, 25);
    const b13 = rotl<u64>(a19 ^ d4, 8);
    const b14 = rotl<u64>(a20 ^ d0, 18);
    const b15 = rotl<u64>(a4 ^ d4, 27);
    const b16 = rotl<u64>(a5 ^ d0, 36);
    const b17 = rotl<u64>(a11 ^ d1, 10);
    const b18 = rotl<u64>(a17 ^ d2, 15);
    const b19 = rotl<u64>(a23 ^ d3, 56);
    const b20 = rotl<u64>(a2 ^ d2, 62);
    const b21 = rotl<u64>(a8 ^ d3, 55);
    const b22 = rotl<u64>(a14 ^ d4, 39);
    const b23 = rotl<u64>(a15 ^ d0, 41);
    const b24 = rotl<u64>(a21 ^ d1, 2);
    a0 = b0 ^ (~b1 & b2) ^ load<u64>(ROUND_CONSTANTS + round);
    a1 = b1 ^ (~b2 & b3);
    a2 = b2 ^ (~b3 & b4);
    a3 = b3 ^ (~b4 & b0);
    a4 = b4 ^ (~b0 & b1);
    a5 = b5 ^ (~b6 & b7);
    a6 = b6 ^ (~b7 & b8);
    a7 = b7 ^ (~b8 & b9);
    a8 = b8 ^ (~b9 & b5);
    a9 = b9 ^ (~b5 & b6);
    a10 = b10 ^ (~b11 & b12);
    a11 = b11 ^ (~b12 & b13);
    a12 = b12 ^ (~b13 & b14);
    a13 = b13 ^ (~b14 & b10);
    a14 = b14 ^ (~b10 & b11);
    a15 = b15 ^ (~b16 & b17);
    a16 = b16 ^ (~b17 & b18);
    a17 = b17 ^ (~b18 & b19);
    a18 = b18 ^ (~b19 & b15);
    a19 = b19 ^ (~b15 & b16);
    a20 = b20 ^ (~b21 & b22);
    a21 = b21 ^ (~b22 & b23);
    a22 = b22 ^ (~b23 & b24);
    a23 = b23 ^ (~b24 & b20);
    a24 = b24 ^ (~b20 & b21);
  }
  setLane(0, a0);
  setLane(1, a1);
  setLane(2, a2);
  setLane(3, a3);
  setLane(4, a4);
  setLane(5, a5);
  setLane(6, a6);
  setLane(7, a7);
  setLane(8, a8);
  setLane(9, a9);
  setLane(10, a10);
  setLane(11, a11);
  setLane(12, a12);
  setLane(13, a13);
  setLane(14, a14);
  setLane(15, a15);
  setLane(16, a16);
  setLane(17, a17);
  setLane(18, a18);
  setLane(19, a19);
  setLane(20, a20);
  setLane(21, a21);
  setLane(22, a22);
  setLane(23, a23);
  setLane(24, a24);
}

/** KECCAKF1600: output, input (docs/protocol/06-public-execution.md#618-hashes-and-points). */
export function keccakF1600(operands: usize): u32 {
  const out = load<u32>(operands);
  const input = load<u32>(operands, 4);
  let fault = requireRange(input, 25) | requireRange(out, 25);
  if (fault == OK) fault = gather(STATE, input, 25, U64);
  if (fault != OK) return fault;
  permute();
  for (let i: u32 = 0; i < 25; i++) putSmall(writable(out + i), lane(i), U64);
  return OK;
}
