import { type Codec, type Issue, type Path, rejected, wrongType } from "./codec.ts";
import type { JsonSchema } from "./json-schema.ts";

function checkLeast(value: number, least: number, path: Path, issues: Issue[]): void {
  if (value < least) issues.push({ text: `Number must be greater than or equal to ${least}`, path });
}

function checkMost(value: number, most: number, path: Path, issues: Issue[]): void {
  if (value > most) issues.push({ text: `Number must be less than or equal to ${most}`, path });
}

function boundsSchema({ above, least, most }: { above?: number; least?: number; most?: number }): JsonSchema {
  return {
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(least === undefined ? {} : { minimum: least }),
    ...(most === undefined ? {} : { maximum: most }),
  };
}

/** Schema of `integer`. */
export function integerSchema(bounds: { least?: number; most?: number }): JsonSchema {
  const text = { type: "string", description: "The same number as text, decimal or 0x hex." };
  return { anyOf: [{ type: "integer", ...boundsSchema(bounds) }, text] };
}

/**
 * An integer sent as a number or as text that parses as one (decimal, 0x hex, exponent; blank text is 0). Used for
 * block, checkpoint, epoch and slot numbers and u32 counters (docs/protocol/05-rpc.md#510-values-of-the-release).
 */
export function integer({ least, most }: { least?: number; most?: number } = {}): Codec<number> {
  return {
    schema: integerSchema({ least, most }),
    read(value, path, issues) {
      if (typeof value !== "number" && typeof value !== "string") return rejected(issues, path, "Invalid input");
      const number = Number(value);
      if (Number.isNaN(number)) return wrongType(issues, path, "number", Number.NaN);
      if (!Number.isInteger(number)) issues.push({ text: "Expected integer, received float", path });
      if (least !== undefined) checkLeast(number, least, path, issues);
      if (most !== undefined) checkMost(number, most, path, issues);
      return number;
    },
  };
}

/** A whole number, as a JSON number only. */
export function wholeNumber(bounds: { least?: number; most?: number } = {}): Codec<number> {
  const number = plainNumber(bounds);
  return {
    schema: integerSchema(bounds),
    read(value, path, issues) {
      const read = number.read(value, path, issues);
      if (Number.isFinite(read) && !Number.isInteger(read)) {
        issues.push({ text: "Expected integer, received float", path });
      }
      return read;
    },
  };
}

/** A JSON number only; fractions are allowed. `above` is an exclusive bound. */
export function plainNumber(bounds: { above?: number; least?: number; most?: number } = {}): Codec<number> {
  const { above, least, most } = bounds;
  return {
    schema: { type: "number", ...boundsSchema(bounds) },
    read(value, path, issues) {
      if (typeof value !== "number") return wrongType(issues, path, "number", value);
      if (above !== undefined && value <= above) issues.push({ text: `Number must be greater than ${above}`, path });
      if (least !== undefined) checkLeast(value, least, path, issues);
      if (most !== undefined) checkMost(value, most, path, issues);
      return value;
    },
  };
}

/** One of the given numbers. */
export function oneOf<const N extends number>(values: readonly N[]): Codec<N> {
  const names = values.join(" | ");
  return {
    schema: { enum: values },
    read(value, path, issues) {
      if ((values as readonly unknown[]).includes(value)) return value as N;
      if (typeof value !== "number" && typeof value !== "string") return wrongType(issues, path, names, value);
      return rejected(issues, path, `Invalid enum value. Expected ${names}, received '${value}'`);
    },
  };
}
