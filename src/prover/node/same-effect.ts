import { isDeepStrictEqual } from "node:util";
import { equal, toHex } from "../../protocol/bytes.ts";
import { readTxEffect, type TxEffect } from "../../protocol/tx-effect.ts";
import { ProvingRefusedError } from "./errors.ts";

/**
 * Throws a ProvingRefusedError if executing a transaction again did something else than the chain says. `words` are
 * those of its effect.
 */
export function requireSameEffect(hash: Uint8Array, words: Uint8Array, expected: TxEffect): void {
  if (equal(words, expected.words)) return;
  const { effect } = readTxEffect(words, 0);
  const names = (Object.keys(expected) as (keyof TxEffect)[]).filter((name) => name !== "words");
  const differing = names.find((name) => !isDeepStrictEqual(plain(effect[name]), plain(expected[name])));
  throw new ProvingRefusedError(`executing tx ${toHex(hash)} again gives other ${differing ?? "words"}`);
}

/** Byte arrays of different classes and offsets as text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
