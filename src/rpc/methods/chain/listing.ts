import { integer, plainNumber } from "../../codecs/json/number.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { param } from "../../registry/registry.ts";

/** Parameters of methods that list consecutive blocks or checkpoints. */
export const fromParam = param("from", integer({ least: 1 }), "Number of the first.");
export const limitParam = (most: number) =>
  param("limit", plainNumber({ above: 0, most }), "How many at most; a whole number.");

/** Throws an ExecutionError for a fraction: the codec accepts fractions. */
export function wholeLimit(limit: number): number {
  if (!Number.isInteger(limit)) throw new ExecutionError(`BlockNumber must be an integer, got ${limit}`);
  return limit;
}
