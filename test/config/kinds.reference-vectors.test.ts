import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { boolean, type Kind, oneOf } from "../../src/config/kinds/kinds.ts";
import { bigInteger, decimal, fraction, integer, integerAnyBase } from "../../src/config/kinds/number-kinds.ts";

interface Case {
  id: string;
  category: string;
  input: { kind: string; raw: string; default: unknown; values?: string[] };
  expected: { value?: unknown; error?: string };
}

const cases: Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "fixtures", "vectors", "options.json"), "utf8"),
).cases.filter(({ category }: Case) => category === "config-parse");

const KINDS: Record<string, Kind<unknown>> = {
  number: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  float: decimal(),
  percentage: fraction,
  bigint: bigInteger,
  optionalNumber: integerAnyBase(0, Number.MAX_SAFE_INTEGER),
  enum: oneOf(["tally", "empire", "none"]),
  boolean,
} as Record<string, Kind<unknown>>;

/** Texts that are refused here, while the reference reads them as another value or as the default. */
const REFUSED: Record<string, string[]> = {
  number: ["1.7", "0x10", "1e3", "abc", "9007199254740993"],
  float: ["abc"],
  percentage: ["abc"],
  optionalNumber: ["1.9", "abc"],
  boolean: ["True", "yes"],
};

test.each(cases)(
  "$input.kind $input.raw is parsed as in the reference, or refused",
  ({ input: { kind, raw }, expected }) => {
    // An empty text counts as unset and is never parsed.
    if (raw === "") return;
    const value = KINDS[kind].parse(raw);
    const shown = typeof value === "bigint" ? `bigint:${value}` : value;
    if (expected.error !== undefined || REFUSED[kind]?.includes(raw)) expect(value).toBeUndefined();
    else expect(shown).toEqual(expected.value);
  },
);
