import { readFileSync } from "node:fs";

/** Cases of one category of vectors/consensus.json. */
export function consensusCases<Input, Expected>(
  category: string,
): { name: string; input: Input; expected: Expected }[] {
  const file = new URL("../../fixtures/vectors/consensus.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as {
    cases: { id: string; category: string; name: string; input: Input; expected: Expected }[];
  };
  const found = cases.filter((c) => c.category === category);
  if (found.length === 0) throw new Error(`no vectors of ${category}`);
  return found.map(({ id, name, input, expected }) => ({ name: `${id}: ${name}`, input, expected }));
}
