import { assemblyFunction, at, column, squareColumn, type Term, upTo } from "./columns.ts";

const LIMBS = 9;

const packedLoads = (name: string): string[] =>
  upTo(LIMBS).map((i) => `const ${name}${i} = packed(v128.load(${name}${at(i, 16)}));`);

/** Sums the terms of each column and stores it to COLUMNS. */
function columns(terms: (k: number) => string[]): string[] {
  return upTo(2 * LIMBS - 1).flatMap((k) => {
    const [first, ...others] = terms(k);
    return [
      `${k === 0 ? "let c" : "c"} = ${first};`,
      ...others.map((term) => `c = add(c, ${term});`),
      `v128.store(COLUMNS, c${at(k, 16)});`,
    ];
  });
}

/** `product(a, b)` to COLUMNS: a 144 | b 144. A column sums at most nine products below 2^60. */
export function product(): string {
  return assemblyFunction([], "product(a: usize, b: usize): void", [
    ...packedLoads("a"),
    ...packedLoads("b"),
    ...columns((k) => column(k, LIMBS).map(({ i, j }) => `times(a${i}, b${j})`)),
  ]);
}

/** `squareProduct(a)` to COLUMNS: a 144. Mixed products from doubled limbs d_i. */
export function squareProduct(): string {
  const term = ({ i, j }: Term): string => `times(${i < j ? "d" : "a"}${i}, a${j})`;
  return assemblyFunction([], "squareProduct(a: usize): void", [
    ...packedLoads("a"),
    ...upTo(LIMBS - 1).map((i) => `const d${i} = i64x2.shl(a${i}, 1);`),
    ...columns((k) => squareColumn(k, LIMBS).map(term)),
  ]);
}

/**
 * `reduced(out, addend, adds)`: Montgomery reduction of COLUMNS plus an addend if `adds`. Column k takes the q_i p_j
 * with
 * i + j = k; q_k makes column k < n vanish.
 */
export function reduction(): string {
  const lines = upTo(LIMBS - 1).map((i) => `const p${i + 1} = i32x4.splat(<i32>P${i + 1});`);
  for (const k of upTo(2 * LIMBS - 1)) {
    lines.push(k === 0 ? "let c = v128.load(COLUMNS);" : `c = add(c, v128.load(COLUMNS${at(k, 16)}));`);
    for (const { i, j } of column(k, LIMBS)) if (i < k && j > 0) lines.push(`c = add(c, times(q${i}, p${j}));`);
    if (k < LIMBS) {
      lines.push(`const r${k} = quotient(c);`, `const q${k} = packed(r${k});`, `c = carry(c, r${k});`);
    } else {
      const place = at(k - LIMBS, 16);
      lines.push(
        `if (adds) c = add(c, v128.load(addend${place}));`,
        `v128.store(out, v128.and(c, i64x2.splat(MASK))${place});`,
        "c = i64x2.shr_u(c, <i32>LIMB_BITS);",
      );
    }
  }
  const top = at(LIMBS - 1, 16);
  lines.push(`if (adds) c = add(c, v128.load(addend${top}));`, `v128.store(out, c${top});`);
  return assemblyFunction(["@inline"], "reduced(out: usize, addend: usize, adds: bool): void", lines);
}
