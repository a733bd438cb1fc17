/**
 * The peer of bench/core-poseidon2.ts: Poseidon2 (docs/protocol/01-fields-and-hashing.md#15-poseidon2-permutation and
 * docs/protocol/01-fields-and-hashing.md#17-hash-of-fields) on bigint, as simple as possible. The constants are derived
 * from the Grain generator, as in the core.
 */
const P = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
const FULL_ROUNDS = 8;
const PARTIAL_ROUNDS = 56;

function* grainBits(): Generator<bigint, never> {
  const seed: [bigint, number][] = [
    [1n, 2],
    [0n, 4],
    [254n, 12],
    [4n, 12],
    [BigInt(FULL_ROUNDS), 10],
    [BigInt(PARTIAL_ROUNDS), 10],
    [(1n << 30n) - 1n, 30],
  ];
  const bits = seed.flatMap(([value, width]) => [...value.toString(2).padStart(width, "0")].map(BigInt));
  const step = () => {
    const bit = bits[62] ^ bits[51] ^ bits[38] ^ bits[23] ^ bits[13] ^ bits[0];
    bits.shift();
    bits.push(bit);
    return bit;
  };
  for (let i = 0; i < 160; i++) step();
  for (;;) {
    const keep = step();
    const bit = step();
    if (keep === 1n) yield bit;
  }
}

const bits = grainBits();
function draw(): bigint {
  let value = 0n;
  for (let i = 0; i < 254; i++) value = (value << 1n) | bits.next().value;
  return value;
}
function constant(): bigint {
  for (;;) {
    const value = draw();
    if (value < P) return value;
  }
}
const row = () => [constant(), constant(), constant(), constant()];
const ROUNDS = Array.from({ length: FULL_ROUNDS + PARTIAL_ROUNDS }, (_, round) =>
  round >= 4 && round < 60 ? [constant()] : row(),
);
for (let i = 0; i < 16; i++) draw();
const DIAGONAL = [draw(), draw(), draw(), draw()].map((d) => (d - 1n) % P);

function external([a, b, c, d]: bigint[]): bigint[] {
  return [
    (5n * a + 7n * b + c + 3n * d) % P,
    (4n * a + 6n * b + c + d) % P,
    (a + 3n * b + 5n * c + 7n * d) % P,
    (a + b + 4n * c + 6n * d) % P,
  ];
}

function internal(state: bigint[]): bigint[] {
  const sum = state.reduce((a, b) => a + b);
  return state.map((x, i) => (DIAGONAL[i] * x + sum) % P);
}

function power5(x: bigint): bigint {
  const square = (x * x) % P;
  return (((square * square) % P) * x) % P;
}

export function bigintPermute(input: bigint[]): bigint[] {
  let state = external(input);
  for (const constants of ROUNDS) {
    const added = state.map((x, i) => x + (constants[i] ?? 0n));
    state =
      constants.length === 4 ? external(added.map(power5)) : internal([power5(added[0]), added[1], added[2], added[3]]);
  }
  return state;
}

/** `H` of two fields. */
export function bigintHashPair(left: bigint, right: bigint): bigint {
  return bigintPermute([left, right, 0n, 2n << 64n])[0];
}
