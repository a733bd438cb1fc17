import type { Core } from "../core/core.ts";
import { noteHashNonce, siloNoteHash, uniqueNoteHash } from "../core/derive/note-hash.ts";
import { siloNullifier } from "../core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../core/derive/public-storage.ts";
import { mapKey } from "../protocol/bytes.ts";
import type { Fr } from "../protocol/field.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { BoundedCache } from "../storage/bounded-cache.ts";

/** Size of a cache entry: a key of 32 or 64 characters, a word, and the map's overhead. */
const ENTRY_BYTES = 256;
const DEFAULT_BYTES = 32 * 1024 * 1024;

/**
 * Siloing hashes, which turn a contract's slots, nullifiers and note hashes into tree keys and leaves
 * (docs/protocol/06-public-execution.md#614-public-storage). They depend only on their inputs, so one cache serves all
 * transactions and blocks of a thread.
 */
export class Siloing {
  /** Of the rollup whose transactions are executed. */
  readonly generation: Generation;
  readonly #core: Core;
  readonly #leafSlots: BoundedCache<Fr>;
  readonly #nullifiers: BoundedCache<Fr>;
  readonly #balanceSlots: BoundedCache<Fr>;

  /** `bytes` bounds all caches together. */
  constructor(core: Core, generation: Generation, { bytes = DEFAULT_BYTES }: { bytes?: number } = {}) {
    this.#core = core;
    this.generation = generation;
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

  /** The siloed nullifier, as it is inserted into the tree. Most occur once, so the result is not cached. */
  nullifier(contract: Fr, inner: Fr): Fr {
    return siloNullifier(this.#core, contract, inner);
  }

  /**
   * The siloed nullifier that marks a contract as deployed
   * (docs/protocol/06-public-execution.md#621-finding-a-contract).
   */
  deploymentNullifier(address: Fr): Fr {
    const key = mapKey(address);
    let siloed = this.#nullifiers.get(key);
    if (siloed === undefined) {
      siloed = siloNullifier(this.#core, this.generation.contracts.instanceRegistry, address);
      this.#nullifiers.set(key, siloed);
    }
    return siloed;
  }

  /** Storage slot of a fee payer's balance in FeeJuice. */
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

  /**
   * Makes a siloed note hash unique, as it is inserted into the tree. `index` is its index among the tx's note hashes.
   */
  uniqueNoteHash(firstNullifier: Fr, index: number, siloed: Fr): Fr {
    return uniqueNoteHash(this.#core, noteHashNonce(this.#core, firstNullifier, index), siloed);
  }
}

/** A contract's slot as a map key, 64 characters. */
export function slotKey(contract: Fr, slot: Fr): string {
  return mapKey(contract) + mapKey(slot);
}
