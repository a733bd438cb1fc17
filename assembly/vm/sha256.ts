import { CELL, putSmall, U32 } from "./cell";
import { gather, requireRange } from "./checks";
import { OK } from "./faults";
import { writable } from "./pages";

/** Fractional parts of the cube roots of the first 64 primes (FIPS 180-4 section 4.2.2). */
const K = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

const STATE = memory.data(256, 32);
const INPUT = memory.data(512, 32);
/** Message schedule: 64 u32. */
const SCHEDULE = memory.data(256, 8);

function expand(): void {
  for (let t: usize = 0; t < 16; t++) store<u32>(SCHEDULE + (t << 2), load<u32>(INPUT + t * CELL));
  for (let t: usize = 64; t < 256; t += 4) {
    const at = SCHEDULE + t;
    const a = load<u32>(at - 60);
    const b = load<u32>(at - 8);
    const s0 = rotr<u32>(a, 7) ^ rotr<u32>(a, 18) ^ (a >> 3);
    const s1 = rotr<u32>(b, 17) ^ rotr<u32>(b, 19) ^ (b >> 10);
    store<u32>(at, load<u32>(at - 64) + s0 + load<u32>(at - 28) + s1);
  }
}

@inline
function add(i: usize, value: u32): void {
  const at = STATE + i * CELL;
  store<u32>(at, load<u32>(at) + value);
}

/** One block of SHA-256 (FIPS 180-4 section 6.2.2) on STATE, 8 cells, and INPUT, 16 cells. */
function compress(): void {
  expand();
  let a = load<u32>(STATE);
  let b = load<u32>(STATE, CELL);
  let c = load<u32>(STATE, 2 * CELL);
  let d = load<u32>(STATE, 3 * CELL);
  let e = load<u32>(STATE, 4 * CELL);
  let f = load<u32>(STATE, 5 * CELL);
  let g = load<u32>(STATE, 6 * CELL);
  let h = load<u32>(STATE, 7 * CELL);
  for (let t: usize = 0; t < 256; t += 4) {
    const s1 = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + load<u32>(K + t) + load<u32>(SCHEDULE + t);
    const s0 = rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  add(0, a);
  add(1, b);
  add(2, c);
  add(3, d);
  add(4, e);
  add(5, f);
  add(6, g);
  add(7, h);
}

/** SHA256COMPRESSION: output, state, inputs (docs/protocol/06-public-execution.md#618-hashes-and-points). */
export function sha256Compression(operands: usize): u32 {
  const out = load<u32>(operands);
  const state = load<u32>(operands, 4);
  const input = load<u32>(operands, 8);
  let fault = requireRange(state, 8) | requireRange(input, 16) | requireRange(out, 8);
  if (fault == OK) fault = gather(STATE, state, 8, U32);
  if (fault == OK) fault = gather(INPUT, input, 16, U32);
  if (fault != OK) return fault;
  compress();
  for (let i: u32 = 0; i < 8; i++) putSmall(writable(out + i), load<u32>(STATE + <usize>i * CELL), U32);
  return OK;
}
