import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import { FR_MODULUS, type Fr, fr } from "../../protocol/field.ts";
import type { Core } from "../core.ts";

/** Contract address that a tx's protocol nullifier is siloed with. */
const NULL_CONTRACT = fr(FR_MODULUS - 1n);

/**
 * Nullifier of a contract as inserted into the tree (docs/protocol/01-fields-and-hashing.md#113-notes-and-nullifiers).
 */
export function siloNullifier(core: Core, contract: Fr, innerNullifier: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.SILOED_NULLIFIER, concat(contract, innerNullifier));
}

/** First nullifier of a tx that has no other (docs/protocol/01-fields-and-hashing.md#113-notes-and-nullifiers). */
export function protocolNullifier(core: Core, txRequestHash: Fr): Fr {
  return siloNullifier(core, NULL_CONTRACT, txRequestHash);
}
