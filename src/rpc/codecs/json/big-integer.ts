import { type Codec, rejected } from "./codec.ts";
import { named } from "./json-schema.ts";

/** Longer text is rejected before it is parsed: the cost of parsing grows faster than the number of digits. */
const MAX_TEXT_LENGTH = 100;

/** A whole number sent as a number, or as decimal or 0x hex text; undefined for anything else. */
export function readBigInteger(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== "string" || value.length > MAX_TEXT_LENGTH) return undefined;
  return /^(-?[0-9]+|0x[0-9a-fA-F]+)$/.test(value) ? BigInt(value) : undefined;
}

/** An amount: a big integer of at least 0. */
export const amount: Codec<bigint> = {
  schema: named(
    "AmountInput",
    "An amount of at least 0 in a token's smallest unit: a number, or decimal or 0x hex text.",
    {
      anyOf: [
        { type: "integer", minimum: 0 },
        { type: "string", pattern: "^([0-9]+|0x[0-9a-fA-F]+)$" },
      ],
    },
  ),
  read(value, path, issues) {
    const read = readBigInteger(value);
    if (read === undefined) return rejected(issues, path, value === undefined ? "Required" : "Invalid input");
    return read < 0n ? rejected(issues, path, "Number must be greater than or equal to 0") : read;
  },
};
