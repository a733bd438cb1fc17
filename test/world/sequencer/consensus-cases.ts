import { readFileSync } from "node:fs";

/** Consensus vectors of one category. */
export function consensusCases<T>(category: string): (T & { name: string })[] {
  const file = new URL("../../fixtures/vectors/consensus.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { cases: (T & { name: string; category: string })[] };
  return cases.filter((item) => item.category === category);
}
