import { assemblyFunction, at, column, squareColumn, type Term, upTo } from "./columns.ts";

/** Five digits of 51 bits. A product has a low part, of its own column, and a high part, of the next one. */
const DIGITS = 5;
const TOP = DIGITS - 1;

/** One or two products that are split into parts together. */
type Split = [string, string] | [string, string, string, string];

const ONES = ["const h = highOnes();", "const l = bothOnes();"];
const loads = (name: string): string[] =>
  upTo(DIGITS).map((i) => `const ${name}${i} = v128.load(${name}${at(i, 16)});`);
const low = (split: Split): string => `${split.length === 2 ? "low" : "lowOfTwo"}(${split.join(", ")}, h, l)`;
const high = (split: Split): string => `${split.length === 2 ? "high" : "highOfTwo"}(${split.join(", ")}, h)`;
const added = (value: string): string => `t = add(t, ${value});`;

/** Splits neighbouring terms together where `fits` says that the sum of both is small enough. */
function splits(terms: readonly Term[], fits: (a: Term, b: Term) => boolean, names: (t: Term) => [string, string]) {
  const result: Split[] = [];
  for (let n = 0; n < terms.length; n++) {
    const [term, next] = [terms[n], terms[n + 1]];
    if (next !== undefined && fits(term, next)) {
      result.push([...names(term), ...names(next)]);
      n++;
    } else result.push(names(term));
  }
  return result;
}

/** Stores columns 0 to 9, each the column of `starts`, the high parts of the column below and its own low parts. */
function columns(ofColumn: (k: number) => Split[]): string[] {
  return upTo(2 * DIGITS).flatMap((k) => [
    `${k === 0 ? "let t" : "t"} = v128.load(starts${at(k, 16)});`,
    ...(k === 0
      ? []
      : ofColumn(k - 1)
          .map(high)
          .map(added)),
    ...ofColumn(k).map(low).map(added),
    `v128.store(COLUMNS, t${at(k, 16)});`,
  ]);
}

/**
 * `product(starts, a, b)` to COLUMNS: starts 10 x 16 | a 80 | b 80. Digits of a may be up to 2^51 beside balanced ones
 * of
 * b, but a_4 up to 2^52, so that its products are split alone.
 */
export function product(): string {
  const fits = (first: Term, second: Term): boolean => first.i !== TOP && second.i !== TOP;
  return assemblyFunction([], "product(starts: usize, a: usize, b: usize): void", [
    ...loads("a"),
    ...loads("b"),
    ...ONES,
    ...columns((k) => splits(column(k, DIGITS), fits, ({ i, j }) => [`a${i}`, `b${j}`])),
  ]);
}

/**
 * `squareProduct(starts, a)` to COLUMNS: starts 10 x 16 | a 80. Mixed products from doubled digits d_i, so that digits
 * must be balanced; a doubled digit times the top one leaves room for no other doubled product.
 */
export function squareProduct(): string {
  const fits = (first: Term, second: Term): boolean => first.j !== TOP || second.i === second.j;
  return assemblyFunction([], "squareProduct(starts: usize, a: usize): void", [
    ...loads("a"),
    ...upTo(TOP).map((i) => `const d${i} = f64x2.add(a${i}, a${i});`),
    ...ONES,
    ...columns((k) => splits(squareColumn(k, DIGITS), fits, ({ i, j }) => [i < j ? `d${i}` : `a${i}`, `a${j}`])),
  ]);
}

/**
 * Body of a reduction that folds the n lowest columns (assembly/lanes/reduction.ts): digit u_i of column i, times digit
 * j
 * of the i-th constant of FOLD, goes to column n + j. `last` is where column n + 5 starts.
 */
function folded(n: number, columns: string, last: string, addend: string): string[] {
  const loaded = (k: number): string => `v128.load(${columns}${at(k, 16)})`;
  const lines = [
    ...ONES,
    "const mask = digitMask();",
    "const unit = unitBits();",
    "const ones = digitOnes();",
    ...upTo(n).flatMap((i) => [
      `const t${i} = ${i === 0 ? loaded(0) : `add(${loaded(i)}, carried(t${i - 1}))`};`,
      `const u${i} = digit(t${i}, mask, unit, ones);`,
    ]),
  ];
  for (const j of upTo(DIGITS)) {
    const ofDigit = splits(
      upTo(n).map((i) => ({ i, j })),
      () => true,
      ({ i }) => [`u${i}`, `c${i}${j}`],
    );
    lines.push(...upTo(n).map((i) => `const c${i}${j} = v128.load(FOLD${at((DIGITS - n + i) * DIGITS + j, 16)});`));
    lines.push(
      j === 0 ? `let t = add(${loaded(n)}, carried(t${n - 1}));` : `t = ${loaded(n + j)};`,
      ...ofDigit.map(low).map(added),
      j === 0 ? `takeLowest(${columns} + ${n * 16}, t);` : `v128.store(${columns}, t${at(n + j, 16)});`,
      `t = ${j === TOP ? last : loaded(n + j + 1)};`,
      ...ofDigit.map(high).map(added),
      `v128.store(${columns}, t${at(n + j + 1, 16)});`,
    );
  }
  return [...lines, `finish(out, ${columns} + ${n * 16}, ${addend});`];
}

/** `foldFour(out)`: COLUMNS / 2^255. */
export function foldFour(): string {
  return assemblyFunction(
    ["@inline"],
    "foldFour(out: usize): void",
    folded(4, "COLUMNS", "v128.load(COLUMNS, 144)", "0, false"),
  );
}

/** `foldFive(out, columns, addend, adds)`: the columns / 2^306, plus an addend if `adds`. */
export function foldFive(): string {
  return assemblyFunction(
    ["@inline"],
    "foldFive(out: usize, columns: usize, addend: usize, adds: bool): void",
    folded(5, "columns", "i64x2.splat(LAST_START - (adds ? LOW_BITS : 0))", "addend, adds"),
  );
}

/** Places of a wide element beyond its five digits: the differences of digits i < j, in order. */
const DIFFERENCES: Term[] = upTo(DIGITS).flatMap((i) =>
  upTo(DIGITS)
    .filter((j) => j > i)
    .map((j) => ({ i, j })),
);

/**
 * Columns of the sum of three elements times three factors, by Karatsuba's method: a_i b_j + a_j b_i is a_i b_i + a_j
 * b_j
 * + (a_i - a_j) (b_j - b_i), so 15 products of digits do for 25. Column k takes the a_i b_i of all i that are part of
 * an
 * i + j = k: a running sum over k. A column with two pairs i, j is stored in between to keep registers free.
 */
export function sumOfThree(): string {
  const factors = (place: number): string =>
    upTo(3)
      .map((n) => `v128.load(factors${at(place + n * (DIGITS + DIFFERENCES.length), 16)})`)
      .join(", ");
  const places = (k: number): number[] => DIFFERENCES.flatMap(({ i, j }, n) => (i + j === k ? [DIGITS + n] : []));
  const products = (place: number): string => `differenceProducts(${place}, ${factors(place)}, h, l)`;
  const squares = (n: number): string => `v128.load(SQUARES${at(n, 16)})`;
  const lines = [...ONES];
  for (const n of upTo(DIGITS)) {
    const parts = `digitProducts(${n}, ${factors(n)}, h, l)`;
    lines.push(`v128.store(SQUARES, ${n === 0 ? parts : `add(highs(${n - 1}), ${parts})`}${at(n, 16)});`);
  }
  lines.push(`v128.store(SQUARES, highs(${TOP})${at(DIGITS, 16)});`);
  for (const k of upTo(2 * DIGITS)) {
    if (k === 0) lines.push(`let sum = ${squares(0)};`);
    else if (k <= DIGITS) lines.push(`sum = add(sum, ${squares(k)});`);
    if (k >= DIGITS) lines.push(`sum = i64x2.sub(sum, ${squares(k - DIGITS)});`);
    lines.push(`${k === 0 ? "let t" : "t"} = add(v128.load(starts${at(k, 16)}), sum);`);
    lines.push(...places(k - 1).map((place) => added(`highs(${place})`)));
    for (const [n, place] of places(k).entries()) {
      if (n > 0) lines.push(`v128.store(columns, t${at(k, 16)});`, `t = v128.load(columns${at(k, 16)});`);
      lines.push(added(products(place)));
    }
    lines.push(`v128.store(columns, t${at(k, 16)});`);
  }
  return assemblyFunction([], "sumOfThree(columns: usize, starts: usize, factors: usize): void", lines);
}
