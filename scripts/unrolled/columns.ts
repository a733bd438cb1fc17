/**
 * The column rule of product scanning (Comba, "Exponentiation cryptosystems on the IBM PC", 1990): column k of a
 * product
 * of two numbers of n digits is the sum of a_i b_j over i + j = k with 0 <= i, j < n.
 */

/** A product of digit i of the first factor and digit j of the second. */
export interface Term {
  i: number;
  j: number;
}

/** Terms of column k of a product of n digits by n digits, i ascending. */
export function column(k: number, n: number): Term[] {
  const terms: Term[] = [];
  for (let i = Math.max(0, k - n + 1); i <= Math.min(k, n - 1); i++) terms.push({ i, j: k - i });
  return terms;
}

/** Terms of column k of a square: those with i < j count twice, i = j once. */
export function squareColumn(k: number, n: number): Term[] {
  return column(k, n).filter(({ i, j }) => i <= j);
}

/** Numbers 0 to n - 1. */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

/** The last arguments of a load or store: nothing for the first element. */
export function at(index: number, stride: number): string {
  return index === 0 ? "" : `, ${index * stride}`;
}

/** A function of AssemblyScript. */
export function assemblyFunction(decorators: string[], head: string, body: string[]): string {
  return [...decorators, `export function ${head} {`, ...body.map((line) => `  ${line}`), "}", ""].join("\n");
}
