import { toHex } from "../protocol/bytes.ts";

/**
 * Name, rule and own fields of an error and its causes as plain values for the log: bytes as hex, integers as text, no
 * stacks.
 */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { err: "Unknown", rule: String(error) };
  const facts: Record<string, unknown> = { err: error.name, rule: error.message };
  for (const [name, value] of Object.entries(error)) {
    if (name === "name" || name === "message" || name === "stack" || name === "cause") continue;
    facts[name] = plain(value);
  }
  if (error.cause !== undefined) facts.cause = errorFacts(error.cause);
  return facts;
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value.subarray(0, 64));
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) return errorFacts(value);
  if (Array.isArray(value)) return value.slice(0, 16).map(plain);
  return value;
}
