import type { Core } from "../core/core.ts";
import { noteHashNonce, siloNoteHash, uniqueNoteHash } from "../core/derive/note-hash.ts";
import { siloNullifier } from "../core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../core/derive/public-storage.ts";
import { INSTANCE_REGISTRY } from "../protocol/contract-events.ts";
import type { Fr } from "../protocol/field.ts";
import { mapKey } from "../world-state/indexed-overlay.ts";
import { BoundedCache } from "./bounded-cache.ts";

/** Key of 33 or 65 characters, a word, and what the map adds. */
const ENTRY_BYTES = 256;
const DEFAULT_BYTES = 32 * 1024 * 1024;

/**
 * Hashes by which contracts' own names of things become those of the trees (sheet 05 section 5). They depend on nothing but their
 * inputs, so one cache serves every transaction and block of a thread.
 */
export class Siloing {
  readonly #core: Core;
  readonly #leafSlots: BoundedCache<Fr>;
  readonly #nullifiers: BoundedCache<Fr>;
  readonly #balanceSlots: BoundedCache<Fr>;

  /** `bytes` bounds all its caches together. */
  constructor(core: Core, { bytes = DEFAULT_BYTES }: { bytes?: number } = {}) {
    this.#core = core;
    this.#leafSlots = new BoundedCache({ bytes: bytes / 2, entryBytes: ENTRY_BYTES });
    this.#nullifiers = new BoundedCache({ bytes: bytes / 4, entryBytes: ENTRY_BYTES });
    this.#balanceSlots = new BoundedCache({ bytes: bytes / 4, entryBytes: ENTRY_BYTES });
  }

  /** `key` is slotKey(contract, slot). */
  leafSlot(key: string, contract: Fr, slot: Fr): Fr {
    let leafSlot = this.#leafSlots.get(key);
    if (leafSlot === undefined) {
      leafSlot = publicDataLeafSlot(this.#core, contract, slot);
      this.#leafSlots.set(key, leafSlot);
    }
    return leafSlot;
  }

  /** Nullifier as it enters the tree. Most occur once, so the result is not kept. */
  nullifier(contract: Fr, inner: Fr): Fr {
    return siloNullifier(this.#core, contract, inner);
  }

  /** Nullifier that says that a contract is deployed (sheet 05 section 7.1). */
  deploymentNullifier(address: Fr): Fr {
    const key = mapKey(address);
    let siloed = this.#nullifiers.get(key);
    if (siloed === undefined) {
      siloed = siloNullifier(this.#core, INSTANCE_REGISTRY, address);
      this.#nullifiers.set(key, siloed);
    }
    return siloed;
  }

  /** Storage slot in FeeJuice of a fee payer's balance. */
  balanceSlot(feePayer: Fr): Fr {
    const key = mapKey(feePayer);
    let slot = this.#balanceSlots.get(key);
    if (slot === undefined) {
      slot = feePayerBalanceSlot(this.#core, feePayer);
      this.#balanceSlots.set(key, slot);
    }
    return slot;
  }

  noteHash(contract: Fr, noteHash: Fr): Fr {
    return siloNoteHash(this.#core, contract, noteHash);
  }

  /** A siloed note hash as it enters the tree, `index` being the number of note hashes of the tx in front of it. */
  uniqueNoteHash(firstNullifier: Fr, index: number, siloed: Fr): Fr {
    return uniqueNoteHash(this.#core, noteHashNonce(this.#core, firstNullifier, index), siloed);
  }
}

/** A contract's slot as a map key, 64 characters. */
export function slotKey(contract: Fr, slot: Fr): string {
  return mapKey(contract) + mapKey(slot);
}
