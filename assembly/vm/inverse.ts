/**
 * Inverses mod p by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular inversion",
 * 2019), 30 steps at a time on the lowest limbs. The values are not secret, so the time may depend on them.
 *
 * Numbers are nine limbs of 30 bits in i64, lowest first; the top one carries the sign. f and g are the numbers whose
 * gcd is computed, d and e satisfy f = d x and g = e x mod p for the input x.
 */
const LIMBS: usize = 9;
const BITS: i64 = 30;
const MASK: i64 = 0x3fffffff;
const TOP: usize = 64;

/** p in limbs of 30 bits, and 1/p mod 2^30. */
const P = memory.data<i64>([
  0x30000001, 0x0f87d64f, 0x1b970914, 0x0cfa121e, 0x01585d28, 0x0116da06, 0x1a029b85, 0x139cb84c, 0x3064,
]);
const INVERSE_OF_P: i64 = 0x10000001;

const F = memory.data(72, 8);
const G = memory.data(72, 8);
const D = memory.data(72, 8);
const E = memory.data(72, 8);
/** Matrix of 30 steps: u, v, q, r. */
const STEPS = memory.data(32, 8);

function split(out: usize, cell: usize): void {
  const w0 = load<u64>(cell);
  const w1 = load<u64>(cell, 8);
  const w2 = load<u64>(cell, 16);
  const w3 = load<u64>(cell, 24);
  const m = <u64>MASK;
  store<u64>(out, w0 & m);
  store<u64>(out, (w0 >> 30) & m, 8);
  store<u64>(out, ((w0 >> 60) | (w1 << 4)) & m, 16);
  store<u64>(out, (w1 >> 26) & m, 24);
  store<u64>(out, ((w1 >> 56) | (w2 << 8)) & m, 32);
  store<u64>(out, (w2 >> 22) & m, 40);
  store<u64>(out, ((w2 >> 52) | (w3 << 12)) & m, 48);
  store<u64>(out, (w3 >> 18) & m, 56);
  store<u64>(out, w3 >> 48, 64);
}

function join(cell: usize, n: usize): void {
  const l2 = load<u64>(n, 16);
  const l4 = load<u64>(n, 32);
  const l6 = load<u64>(n, 48);
  store<u64>(cell, load<u64>(n) | (load<u64>(n, 8) << 30) | (l2 << 60));
  store<u64>(cell, (l2 >> 4) | (load<u64>(n, 24) << 26) | (l4 << 56), 8);
  store<u64>(cell, (l4 >> 8) | (load<u64>(n, 40) << 22) | (l6 << 52), 16);
  store<u64>(cell, (l6 >> 12) | (load<u64>(n, 56) << 18) | (load<u64>(n, 64) << 48), 24);
}

/**
 * Runs thirty division steps on the lowest bits of f and g, and stores their matrix in STEPS. Returns eta, the paper's
 * -delta.
 */
function takeSteps(eta: i32, f: u32, g: u32): i32 {
  let u: u32 = 1;
  let v: u32 = 0;
  let q: u32 = 0;
  let r: u32 = 1;
  let left: i32 = 30;
  while (true) {
    const zeros = ctz<u32>(g | (0xffffffff << left));
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    eta -= <i32>zeros;
    left -= <i32>zeros;
    if (left == 0) break;
    if (eta < 0) {
      eta = -eta;
      const oldF = f;
      f = g;
      g = 0 - oldF;
      const oldU = u;
      u = q;
      q = 0 - oldU;
      const oldV = v;
      v = r;
      r = 0 - oldV;
    }
    // Clears up to six low bits of g at once: f (f^2 - 2) is -1/f mod 64.
    const limit = min(min(eta + 1, left), 6);
    const w = (f * g * (f * f - 2)) & ((1 << limit) - 1);
    g += f * w;
    q += u * w;
    r += v * w;
  }
  store<i64>(STEPS, <i64>(<i32>u));
  store<i64>(STEPS, <i64>(<i32>v), 8);
  store<i64>(STEPS, <i64>(<i32>q), 16);
  store<i64>(STEPS, <i64>(<i32>r), 24);
  return eta;
}

/** (d, e) = STEPS (d, e) / 2^30 mod p; both stay above -2 p and below p. */
function applyToMultiples(): void {
  const u = load<i64>(STEPS);
  const v = load<i64>(STEPS, 8);
  const q = load<i64>(STEPS, 16);
  const r = load<i64>(STEPS, 24);
  const signD = load<i64>(D, TOP) >> 63;
  const signE = load<i64>(E, TOP) >> 63;
  let md = (u & signD) + (v & signE);
  let me = (q & signD) + (r & signE);
  const d0 = load<i64>(D);
  const e0 = load<i64>(E);
  let cd = u * d0 + v * e0;
  let ce = q * d0 + r * e0;
  md -= (INVERSE_OF_P * cd + md) & MASK;
  me -= (INVERSE_OF_P * ce + me) & MASK;
  cd = (cd + load<i64>(P) * md) >> BITS;
  ce = (ce + load<i64>(P) * me) >> BITS;
  for (let i: usize = 8; i < LIMBS << 3; i += 8) {
    const d = load<i64>(D + i);
    const e = load<i64>(E + i);
    const p = load<i64>(P + i);
    cd += u * d + v * e + p * md;
    ce += q * d + r * e + p * me;
    store<i64>(D + i - 8, cd & MASK);
    store<i64>(E + i - 8, ce & MASK);
    cd >>= BITS;
    ce >>= BITS;
  }
  store<i64>(D, cd, TOP);
  store<i64>(E, ce, TOP);
}

/** (f, g) = STEPS (f, g) / 2^30, `bytes` of limbs each. */
function applyToNumbers(bytes: usize): void {
  const u = load<i64>(STEPS);
  const v = load<i64>(STEPS, 8);
  const q = load<i64>(STEPS, 16);
  const r = load<i64>(STEPS, 24);
  const f0 = load<i64>(F);
  const g0 = load<i64>(G);
  let cf = (u * f0 + v * g0) >> BITS;
  let cg = (q * f0 + r * g0) >> BITS;
  for (let i: usize = 8; i < bytes; i += 8) {
    const f = load<i64>(F + i);
    const g = load<i64>(G + i);
    cf += u * f + v * g;
    cg += q * f + r * g;
    store<i64>(F + i - 8, cf & MASK);
    store<i64>(G + i - 8, cg & MASK);
    cf >>= BITS;
    cg >>= BITS;
  }
  store<i64>(F + bytes - 8, cf);
  store<i64>(G + bytes - 8, cg);
}

function isZero(bytes: usize): bool {
  let all: i64 = 0;
  for (let i: usize = 0; i < bytes; i += 8) all |= load<i64>(G + i);
  return all == 0;
}

@inline
function isOnlySign(limb: i64): bool {
  return (limb ^ (limb >> 63)) == 0;
}

/** Drops the top limb of f and g if it holds only the sign. Returns the remaining length in bytes. */
function shorten(bytes: usize): usize {
  if (bytes <= 8) return bytes;
  const f = load<i64>(F + bytes - 8);
  const g = load<i64>(G + bytes - 8);
  if (!isOnlySign(f) || !isOnlySign(g)) return bytes;
  const below = bytes - 16;
  store<i64>(F + below, load<i64>(F + below) | (f << BITS));
  store<i64>(G + below, load<i64>(G + below) | (g << BITS));
  return bytes - 8;
}

/** Reduces d, negated when `negative`, to 0 .. p-1. */
function normalize(negative: bool): void {
  for (let pass = 0; pass < 3; pass++) {
    const adds = load<i64>(D, TOP) < 0;
    const turns = pass == 1 && negative;
    let c: i64 = 0;
    for (let i: usize = 0; i < LIMBS << 3; i += 8) {
      let limb = load<i64>(D + i);
      if (turns) limb = -limb;
      else if (adds) limb += load<i64>(P + i);
      c += limb;
      store<i64>(D + i, i < TOP ? c & MASK : c);
      c >>= BITS;
    }
  }
}

/** out = 1 / cell, field cells; the input is not zero. `out` may be `cell`. */
export function invertCell(out: usize, cell: usize): void {
  memory.copy(F, P, LIMBS << 3);
  split(G, cell);
  memory.fill(D, 0, LIMBS << 3);
  memory.fill(E, 0, LIMBS << 3);
  store<i64>(E, 1);
  let eta: i32 = -1;
  let bytes = LIMBS << 3;
  do {
    eta = takeSteps(eta, <u32>load<u64>(F), <u32>load<u64>(G));
    applyToMultiples();
    applyToNumbers(bytes);
    bytes = shorten(bytes);
  } while (!isZero(bytes));
  normalize(load<i64>(F + bytes - 8) < 0);
  join(out, D);
}
