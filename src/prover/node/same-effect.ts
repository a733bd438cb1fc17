import { isDeepStrictEqual } from "node:util";
import type { HashedTx } from "../../execution/executed-tx.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import { ProvingRefusedError } from "./errors.ts";

/** Throws a ProvingRefusedError if executing a transaction again did something else than the chain says. */
export function requireSameEffect({ hash }: HashedTx, executed: TxEffect, expected: TxEffect): void {
  const names = Object.keys(expected) as (keyof TxEffect)[];
  const differing = names.find((name) => !isDeepStrictEqual(plain(executed[name]), plain(expected[name])));
  if (differing === undefined) return;
  throw new ProvingRefusedError(`executing tx ${toHex(hash)} again gives other ${differing}`);
}

/** Byte arrays of different classes and offsets as text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
