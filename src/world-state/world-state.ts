import type { Core } from "../core/core.ts";
import { type BlockHeader, headerBlockNumber } from "../protocol/block-header.ts";
import { concat, equal } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import type { Store } from "../storage/store.ts";
import { applyBlock } from "./apply-block.ts";
import { type BlockChanges, BlockSealer, writeBlockChanges } from "./block-changes.ts";
import { UnknownStateError, WorldStateError } from "./errors.ts";
import { Fork } from "./fork.ts";
import { genesisState, type PrefilledEntry } from "./genesis.ts";
import type { IndexedTree } from "./state-view.ts";
import { StoredState } from "./stored-state.ts";
import { openTables, positionKey, readStatus, updateStatus, type WorldStateTables } from "./tables.ts";
import { parentOf, TILE_HEIGHT, tileLevels } from "./tile-address.ts";
import type { TileHasher } from "./tree-overlay.ts";
import type {
  BlockEffects,
  IndexedLeaf,
  PreparedBlocks,
  TreeSnapshot,
  WorldStateStatus,
  WorldStateWriter,
} from "./types.ts";
import { dropHistoryBefore, unwindTip } from "./unwind.ts";

const GENESIS_KEY = Buffer.from("genesis");

class Prepared implements PreparedBlocks {
  readonly changes: BlockChanges[];
  constructor(changes: BlockChanges[]) {
    this.changes = changes;
  }
  get first(): number {
    return this.changes[0].block;
  }
  get last(): number {
    return this.changes[this.changes.length - 1].block;
  }
}

/** The five trees over the chain store, as of every kept block. */
export class WorldState implements WorldStateWriter {
  readonly #core: Core;
  readonly #hasher: TileHasher | undefined;
  readonly #tables: WorldStateTables;
  readonly #prefilled: PrefilledEntry[];
  readonly #genesis: { view: Fork; header: BlockHeader; hash: Uint8Array };
  readonly #forks = new Set<WeakRef<Fork>>();

  /** Large blocks are hashed by `hasher`, where there is one. */
  constructor(core: Core, store: Store, prefilled: PrefilledEntry[], hasher?: TileHasher) {
    this.#core = core;
    this.#hasher = hasher;
    this.#tables = openTables(store);
    const { fork, header, hash } = genesisState(core, prefilled);
    const entries = concat(...prefilled.flatMap(({ slot, value }) => [slot, value]));
    const stored = this.#tables.meta.get(GENESIS_KEY);
    if (stored === undefined) {
      store.transaction(() => this.#writeGenesis(fork, entries));
    } else if (!equal(stored, entries)) {
      throw new WorldStateError("the stored world state was made with other prefilled public data");
    }
    this.#prefilled = prefilled;
    this.#genesis = { view: fork, header, hash };
  }

  #writeGenesis(fork: Fork, entries: Uint8Array): void {
    writeBlockChanges(this.#tables, new BlockSealer(fork).seal(0));
    this.#tables.meta.put(GENESIS_KEY, entries);
  }

  status(): WorldStateStatus {
    return readStatus(this.#tables);
  }

  genesisHeader(): BlockHeader {
    return this.#genesis.header;
  }

  genesisBlockHash(): Uint8Array {
    return this.#genesis.hash;
  }

  /** The state after a kept block other than genesis. */
  #stored(block: number): StoredState {
    const { tip, oldest } = this.status();
    if (block > tip || block < oldest) throw new UnknownStateError(block);
    return new StoredState(this.#tables, block);
  }

  snapshot(block: number, tree: TreeId): TreeSnapshot {
    if (block === 0) return this.#genesis.view.snapshot(tree);
    const state = this.#stored(block);
    return { root: state.root(tree), size: state.size(tree) };
  }

  findLeaf(block: number, tree: TreeId, value: Uint8Array): number | undefined {
    if (block === 0) return this.#genesis.view.findLeaf(tree, value);
    const state = this.#stored(block);
    if (tree !== NULLIFIER_TREE && tree !== PUBLIC_DATA_TREE) return state.position(tree, value);
    const low = state.lowLeaf(tree, value);
    return low !== undefined && equal(low.key, value) ? low.index : undefined;
  }

  blockOfLeaf(tree: TreeId, position: number): number | undefined {
    const found = this.#tables.sizes.atOrAfter(positionKey(tree, position + 1));
    if (found === undefined || found.key[0] !== tree) return undefined;
    const block = Buffer.from(found.value).readUInt32BE(0);
    return Math.min(Math.max(block, 1), this.status().tip);
  }

  leafAt(block: number, tree: TreeId, position: number): Uint8Array {
    if (block === 0) return this.#genesis.view.leafAt(tree, position);
    return this.#stored(block).leafAt(tree, position) ?? FR_ZERO;
  }

  siblingPath(block: number, tree: TreeId, position: number): Uint8Array {
    if (block === 0) return this.#genesis.view.siblingPath(tree, position);
    const state = this.#stored(block);
    const height = TREE_HEIGHTS[tree];
    const records = new Array<Uint8Array | undefined>(tileLevels(tree)).fill(undefined);
    // Above the level where one node covers all leaves, every sibling on a leaf's path is empty.
    const covered = position < state.size(tree) ? state.size(tree) : Number.POSITIVE_INFINITY;
    for (let level = 0, index = position; level < records.length && 2 ** (level * TILE_HEIGHT) < covered; level++) {
      index = parentOf(index).tile;
      records[level] = state.tile(tree, level, index)?.bytes;
    }
    const path = new Uint8Array(height * 32);
    this.#core.siblingPath(records, position, height, TILE_HEIGHT, path, 0);
    return path;
  }

  lowLeaf(block: number, tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    if (block === 0) return this.#genesis.view.lowLeaf(tree, key);
    const state = this.#stored(block);
    // Only keys below every key of the tree have no low leaf; leaf 0 answers for them.
    const leaf = state.lowLeaf(tree, key) ?? state.lowLeaf(tree, state.leafAt(tree, 0) ?? FR_ZERO);
    if (leaf === undefined) throw new WorldStateError(`indexed tree ${tree} holds no leaf`);
    return { leaf, present: equal(leaf.key, key) };
  }

  /** A writable copy of the state after a block, by default the latest. Unwinding or pruning the block ends it. */
  fork(block = this.status().tip): Fork {
    const { tip, oldest } = this.status();
    if (block > tip) {
      throw new WorldStateError(
        `Unable to initialize from future block: ${block} unfinalizedBlockHeight: ${tip}. Tree name: NullifierTree`,
      );
    }
    if (block !== 0 && block < oldest) {
      throw new WorldStateError(
        `Unable to fork from expired historical block: ${block} unfinalizedBlockHeight: ${tip}. Tree name: NullifierTree`,
      );
    }
    // Genesis outlives pruning, so a fork of it is made anew rather than read.
    if (block === 0) return genesisState(this.#core, this.#prefilled).fork;
    const fork = new Fork(this.#core, new StoredState(this.#tables, block));
    for (const ref of this.#forks) if (ref.deref() === undefined) this.#forks.delete(ref);
    this.#forks.add(new WeakRef(fork));
    return fork;
  }

  #endForks(gone: (block: number) => boolean): void {
    for (const ref of this.#forks) {
      const fork = ref.deref();
      if (fork !== undefined && !gone(fork.base.block)) continue;
      fork?.invalidate();
      this.#forks.delete(ref);
    }
  }

  async prepare(blocks: BlockEffects[]): Promise<PreparedBlocks> {
    const tip = this.status().tip;
    const fork = new Fork(this.#core, new StoredState(this.#tables, tip));
    const sealer = new BlockSealer(fork);
    const changes: BlockChanges[] = [];
    for (const [i, block] of blocks.entries()) {
      const number = headerBlockNumber(block.header);
      if (number !== tip + 1 + i) throw new WorldStateError(`block ${number} does not follow block ${tip + i}`);
      await applyBlock(fork, block, this.#hasher);
      changes.push(sealer.seal(number));
    }
    return new Prepared(changes);
  }

  write(prepared: PreparedBlocks): void {
    if (!(prepared instanceof Prepared)) throw new WorldStateError("blocks were prepared by another world state");
    for (const changes of prepared.changes) {
      const tip = this.status().tip;
      if (changes.block !== tip + 1) throw new WorldStateError(`block ${changes.block} does not follow block ${tip}`);
      writeBlockChanges(this.#tables, changes);
      if (this.status().oldest === 0) updateStatus(this.#tables, { oldest: 1 });
    }
  }

  unwindTo(block: number): void {
    const { tip, finalized } = this.status();
    if (block >= tip) {
      throw new WorldStateError(`Unable to unwind blocks to block number ${block}, current pending block ${tip}`);
    }
    if (block < finalized) {
      throw new WorldStateError(
        `Unable to unwind block: ${finalized} finalizedBlockHeight: ${finalized}. Tree name: NullifierTree`,
      );
    }
    for (let number = tip; number > block; number--) unwindTip(this.#tables, number);
    this.#endForks((base) => base > block);
  }

  setFinalized(block: number): void {
    const { tip, oldest, finalized } = this.status();
    if (block === 0) throw new WorldStateError("Unable to finalize block 0");
    if (block <= finalized) return;
    if (block > tip || block < oldest) {
      throw new WorldStateError(
        `Unable to advance finalized block: ${block}. Failed to read block data. Tree name: NullifierTree`,
      );
    }
    updateStatus(this.#tables, { finalized: block });
  }

  lowerFinalized(block: number): void {
    const { oldest, finalized } = this.status();
    if (block >= finalized) return;
    if (block < oldest) throw new UnknownStateError(block);
    updateStatus(this.#tables, { finalized: block });
  }

  reset(): void {
    const entries = this.#tables.meta.get(GENESIS_KEY)!.slice();
    for (const table of Object.values(this.#tables)) table.clear();
    this.#writeGenesis(genesisState(this.#core, this.#prefilled).fork, entries);
    this.#endForks(() => true);
  }

  pruneTo(block: number): void {
    const { finalized, oldest } = this.status();
    if (block <= oldest) {
      throw new WorldStateError(
        `Unable to remove historical blocks to block number ${block}, blocks not found. Current oldest block: ${oldest}`,
      );
    }
    if (block > finalized) {
      throw new WorldStateError(
        `Unable to remove historical block: ${finalized} finalizedBlockHeight: ${finalized}. Tree name: NullifierTree`,
      );
    }
    for (let number = Math.max(oldest, 1); number <= block; number++) dropHistoryBefore(this.#tables, number);
    updateStatus(this.#tables, { oldest: block });
    this.#endForks((base) => base < block);
  }
}
