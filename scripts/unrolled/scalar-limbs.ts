import { assemblyFunction, at, column, squareColumn, type Term, upTo } from "./columns.ts";

/**
 * How a quotient limb q of column c is chosen and what c carries with q p_0 added, as expressions of AssemblyScript.
 */
export interface MontgomeryStep {
  quotient(c: string): string;
  carry(c: string, q: string): string;
}

const sum = (terms: readonly string[]): string => terms.join(" + ");
const loads = (name: string, n: number): string[] =>
  upTo(n).map((i) => `const ${name}${i} = load<u64>(${name}${at(i, 8)});`);

/**
 * Montgomery multiplication by columns with limbs in u64 of memory: column k of a b + q p, where q_k makes column k < n
 * vanish and columns n to 2n - 1 are the result. `terms` gives the products of column k of a b.
 */
function montgomery(n: number, step: MontgomeryStep, terms: (k: number) => string[], adds: boolean): string[] {
  const quotients = (k: number): string[] =>
    column(k, n)
      .filter(({ i, j }) => i < k && j > 0)
      .map(({ i, j }) => `q${i} * P${j}`);
  const lines = [`let c: u64 = ${sum(terms(0))};`];
  for (const k of upTo(2 * n - 1)) {
    if (k > 0) lines.push(`c += ${sum(terms(k))};`, `c += ${sum(quotients(k))};`);
    if (k < n) {
      lines.push(`const q${k} = ${step.quotient("c")};`, `c = ${step.carry("c", `q${k}`)};`);
    } else {
      if (adds) lines.push(`if (adds) c += load<u64>(addend${at(k - n, 8)});`);
      lines.push(`store<u64>(out, c & MASK${at(k - n, 8)});`, "c >>= LIMB_BITS;");
    }
  }
  if (adds) lines.push(`if (adds) c += load<u64>(addend${at(n - 1, 8)});`);
  lines.push(`store<u64>(out, c${at(n - 1, 8)});`);
  return lines;
}

/** `product(out, a, b, addend, adds)`: a b / R, plus an addend if `adds`. */
export function productWithAddend(n: number, step: MontgomeryStep): string {
  return assemblyFunction(["@inline"], "product(out: usize, a: usize, b: usize, addend: usize, adds: bool): void", [
    ...loads("a", n),
    ...loads("b", n),
    ...montgomery(n, step, (k) => column(k, n).map(({ i, j }) => `a${i} * b${j}`), true),
  ]);
}

/** `product(out, a, b)`: a b / R. */
export function product(n: number, step: MontgomeryStep): string {
  return assemblyFunction([], "product(out: usize, a: usize, b: usize): void", [
    ...loads("a", n),
    ...loads("b", n),
    ...montgomery(n, step, (k) => column(k, n).map(({ i, j }) => `a${i} * b${j}`), false),
  ]);
}

/** `squareProduct(out, a)`: a a / R, mixed products from doubled limbs d_i. */
export function squareProduct(n: number, step: MontgomeryStep): string {
  const term = ({ i, j }: Term): string => `${i < j ? "d" : "a"}${i} * a${j}`;
  return assemblyFunction(["@inline"], "squareProduct(out: usize, a: usize): void", [
    ...loads("a", n),
    ...upTo(n - 1).map((i) => `const d${i} = a${i} << 1;`),
    ...montgomery(n, step, (k) => squareColumn(k, n).map(term), false),
  ]);
}
