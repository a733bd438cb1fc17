import type { Fr } from "../../protocol/field.ts";
import type { EpochTerms } from "./epoch-types.ts";

/** The prover's address as a field. */
export function proverIdField({ proverId }: EpochTerms): Fr {
  const field = new Uint8Array(32);
  field.set(proverId, 32 - proverId.length);
  return field;
}
