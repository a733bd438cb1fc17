import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import { type Fr, fr } from "../../protocol/field.ts";
import type { Core } from "../core.ts";

/** Note hash siloed with its contract (docs/protocol/01-fields-and-hashing.md#113-notes-and-nullifiers). */
export function siloNoteHash(core: Core, contract: Fr, noteHash: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.SILOED_NOTE_HASH, concat(contract, noteHash));
}

/**
 * Nonce of a tx's note hash from the tx's first nullifier and the note hash's index in the tx
 * (docs/protocol/01-fields-and-hashing.md#113-notes-and-nullifiers).
 */
export function noteHashNonce(core: Core, firstNullifier: Fr, index: number): Fr {
  return core.hashWithSeparator(SEPARATOR.NOTE_HASH_NONCE, concat(firstNullifier, fr(index)));
}

/** Note hash as inserted into the tree (docs/protocol/01-fields-and-hashing.md#113-notes-and-nullifiers). */
export function uniqueNoteHash(core: Core, nonce: Fr, siloedNoteHash: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.UNIQUE_NOTE_HASH, concat(nonce, siloedNoteHash));
}
