import { CARRIED_BIAS, CARRY_BIAS, HALF, LOW_BITS, start } from "./arithmetic";

/** Number of low and of high parts that each column collects; two products that are split together count once. */
const LOWS = memory.data(88, 8);
const HIGHS = memory.data(96, 8);

/** Number of low parts that `product` and `squareProduct` add to columns 0 to 8. */
const PRODUCT = memory.data<u8>([1, 1, 2, 2, 3, 3, 2, 2, 1]);
const SQUARE = memory.data<u8>([1, 1, 1, 1, 2, 2, 1, 1, 1]);

/** Counts `n` low parts for a column and as many high parts for the next. */
function count(column: usize, n: u64): void {
  const low = LOWS + (column << 3);
  const high = HIGHS + (column << 3);
  store<u64>(low, load<u64>(low) + n);
  store<u64>(high, load<u64>(high, 8) + n, 8);
}

/**
 * Column starts of a kind of sum: the exponent bits that its terms and its reduction bring along, negated, and what
 * `digit` and `carried` need.
 *
 *   -> out 10 x 16
 *
 * `products` of two elements, `squares` (15 products of digits each), `sums` by sumOfThree; reduced by `rows` (5 or 6),
 * onto an addend when `adds`.
 */
export function storeStarts(out: usize, products: u64, squares: u64, sums: u64, rows: usize, adds: bool): void {
  memory.fill(LOWS, 0, 88);
  memory.fill(HIGHS, 0, 96);
  for (let k: usize = 0; k < 9; k++) count(k, products * load<u8>(PRODUCT + k) + squares * load<u8>(SQUARE + k));
  for (let i: usize = 0; i < 5; i++) {
    // sumOfThree adds a_i a_i to every column that contains an a_i, and the differences besides.
    for (let j: usize = 0; j < 5; j++) count(i + j, 2 * sums);
    for (let j = i + 1; j < 5; j++) count(i + j, 3 * sums);
  }
  const cleared = rows - 1;
  for (let j: usize = 0; j < 5; j++) count(cleared + j, (cleared + 1) >> 1);
  for (let j: usize = 1; j < 5; j++) count(cleared + j, 1);
  const carry = HIGHS + (rows << 3);
  store<u64>(carry, load<u64>(carry) + 1);
  for (let k: usize = 0; k < 10; k++) {
    let s = start(load<u64>(LOWS + (k << 3)), load<u64>(HIGHS + (k << 3)));
    s += k < rows + 4 ? CARRY_BIAS + HALF : LOW_BITS;
    if (k > 0) s -= CARRIED_BIAS;
    if (k == cleared) s -= 1;
    if (adds && k > cleared) s -= LOW_BITS;
    v128.store(out + (k << 4), i64x2.splat(s));
  }
}
