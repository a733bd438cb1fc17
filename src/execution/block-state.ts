import type { Core } from "../core/core.ts";
import { concat, mapKey } from "../protocol/bytes.ts";
import {
  L1_TO_L2_MESSAGE_TREE,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
} from "../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../protocol/field.ts";
import { BoundedCache } from "../storage/bounded-cache.ts";
import type { Fork } from "../world-state/fork.ts";
import { ContractDirectory, type ContractSource, vmInstance } from "./contract-directory.ts";
import type { PendingWrite, SideEffects } from "./side-effects.ts";
import { type Siloing, slotKey } from "./siloing.ts";
import type { StateOverrides } from "./state-overrides.ts";
import type { VmGlobals } from "./vm/run.ts";

/** Size of a cache entry: a key of 64 characters, a word, and the map's overhead. */
const VALUE_BYTES = 256;
const VALUES_BYTES = 32 * 1024 * 1024;

interface BlockStateParts {
  core: Core;
  /** State before the block's next transaction. Only this object may change it from now on. */
  fork: Fork;
  globals: VmGlobals;
  contracts: ContractSource;
  siloing: Siloing;
}

/**
 * The state between two transactions while a block, or the blocks of a checkpoint, are built: a fork and a cache of
 * values read from it. A transaction changes the fork's trees only when it is applied, so a dropped one leaves nothing
 * to undo.
 */
export class BlockState {
  readonly fork: Fork;
  #globals: VmGlobals;
  readonly contracts: ContractDirectory;
  readonly siloing: Siloing;
  readonly #core: Core;
  #values = new BoundedCache<Fr>({ bytes: VALUES_BYTES, entryBytes: VALUE_BYTES });
  /** Nullifiers known to be in the tree. */
  #nullifiers = new BoundedCache<true>({ bytes: VALUES_BYTES, entryBytes: VALUE_BYTES });

  constructor({ core, fork, globals, contracts, siloing }: BlockStateParts) {
    this.fork = fork;
    this.#globals = globals;
    this.siloing = siloing;
    this.#core = core;
    const rules = siloing.generation.contracts;
    this.contracts = new ContractDirectory({ core, rules, source: contracts, timestamp: globals.timestamp });
  }

  get core(): Core {
    return this.#core;
  }

  get globals(): VmGlobals {
    return this.#globals;
  }

  /**
   * Begins the next block of the same checkpoint. Only its block number differs
   * (docs/protocol/08-building-and-checkpoints.md#87-terms-of-a-checkpoint).
   */
  beginBlock(blockNumber: number): void {
    this.#globals = { ...this.#globals, blockNumber };
  }

  /** Value of a contract's slot, zero when absent. `key` is slotKey(contract, slot). */
  storage(key: string, contract: Fr, slot: Fr): Fr {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = this.fork.leaf(PUBLIC_DATA_TREE, this.siloing.leafSlot(key, contract, slot))?.value ?? FR_ZERO;
      this.#values.set(key, value);
    }
    return value;
  }

  hasNullifier(siloed: Fr): boolean {
    const key = mapKey(siloed);
    if (this.#nullifiers.get(key)) return true;
    if (this.fork.findLeaf(NULLIFIER_TREE, siloed) === undefined) return false;
    this.#nullifiers.set(key, true);
    return true;
  }

  /**
   * Opens a frame: everything applied from now on is kept or undone as a whole. Used for a block that may be discarded.
   * The cost is proportional to the changes (docs/protocol/08-building-and-checkpoints.md#89-building-loop).
   */
  openFrame(): { keep(): void; undo(): void } {
    const depth = this.fork.openFrame();
    const published = this.contracts.mark();
    return {
      keep: () => this.fork.commitFramesTo(depth - 1),
      undo: () => {
        this.fork.revertFramesTo(depth - 1);
        this.contracts.revertTo(published);
        this.#values = new BoundedCache({ bytes: VALUES_BYTES, entryBytes: VALUE_BYTES });
        this.#nullifiers = new BoundedCache({ bytes: VALUES_BYTES, entryBytes: VALUE_BYTES });
      },
    };
  }

  /** Throws a WorldStateError when the state under the fork is gone. */
  assertOpen(): void {
    this.fork.size(NOTE_HASH_TREE);
  }

  get noteHashCount(): number {
    return this.fork.size(NOTE_HASH_TREE);
  }
  noteHashAt(position: number): Fr {
    return this.fork.leafAt(NOTE_HASH_TREE, position);
  }
  l1ToL2MessageAt(position: number): Fr {
    return this.fork.leafAt(L1_TO_L2_MESSAGE_TREE, position);
  }

  /** Leaf slots of writes with their last values, n x 64 bytes, in order. */
  publicDataWrites(writes: SideEffects["writes"]): Uint8Array {
    return concat(
      ...[...writes].flatMap(([key, { contract, slot, value }]) => [this.siloing.leafSlot(key, contract, slot), value]),
    );
  }

  /** Overrides storage values and contract instances for a simulation, before its transaction runs. */
  override({ publicStorage, contracts }: StateOverrides): void {
    for (const { contract, slot, value } of publicStorage) {
      const key = slotKey(contract, slot);
      this.fork.insertOne(PUBLIC_DATA_TREE, { key: this.siloing.leafSlot(key, contract, slot), value });
      this.#values.set(key, value);
    }
    for (const { address, instance } of contracts) {
      this.contracts.override(address, vmInstance(instance));
    }
  }

  /**
   * Inserts a transaction's effects into the trees. The result is the same as after single insertions in order
   * (docs/protocol/06-public-execution.md#624-phases and
   * docs/protocol/06-public-execution.md#628-private-transactions). Throws a WorldStateError for a nullifier that
   * exists; the fork is then unchanged.
   */
  apply({ noteHashes, nullifiers, writes }: Pick<SideEffects, "noteHashes" | "nullifiers" | "writes">): void {
    const { fork } = this;
    fork.openFrame();
    try {
      fork.append(NOTE_HASH_TREE, [...noteHashes], MAX_NOTE_HASHES_PER_TX);
      const first = fork.size(NULLIFIER_TREE);
      fork.insertNullifiers(
        [...nullifiers],
        nullifiers.map((_, i) => first + i),
      );
      fork.skip(NULLIFIER_TREE, MAX_NULLIFIERS_PER_TX);
      for (const [key, { contract, slot, value }] of writes) {
        fork.insertOne(PUBLIC_DATA_TREE, { key: this.siloing.leafSlot(key, contract, slot), value });
      }
    } catch (error) {
      fork.revertFrame();
      throw error;
    }
    fork.commitFrame();
    this.#keepValues(writes);
  }

  /**
   * As `apply`, for effects that were inserted into the trees one by one while the transaction ran: only the padding is
   * missing.
   */
  padTrees({ noteHashes, nullifiers, writes }: Pick<SideEffects, "noteHashes" | "nullifiers" | "writes">): void {
    this.fork.append(NOTE_HASH_TREE, [], MAX_NOTE_HASHES_PER_TX - noteHashes.length);
    this.fork.skip(NULLIFIER_TREE, MAX_NULLIFIERS_PER_TX - nullifiers.length);
    this.#keepValues(writes);
  }

  #keepValues(writes: SideEffects["writes"]): void {
    for (const [key, { value }] of writes) this.#values.set(key, value);
  }
}

/** The storage slot of a fee payer's balance in FeeJuice, as a pending write without its value. */
export function balanceEntry(siloing: Siloing, feePayer: Fr): { key: string } & Omit<PendingWrite, "value"> {
  const slot = siloing.balanceSlot(feePayer);
  const contract = siloing.generation.contracts.feeJuice;
  return { key: slotKey(contract, slot), contract, slot };
}
