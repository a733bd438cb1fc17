import type { Core } from "../core/core.ts";
import type { BlockHeader } from "../protocol/block-header.ts";
import { equal, readU32 } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import type { Store } from "../storage/store.ts";
import type { Entry } from "../storage/table.ts";
import { UnknownStateError, WorldStateError } from "./errors.ts";
import type { Fork } from "./fork.ts";
import type { GenesisState } from "./genesis.ts";
import { PathReader } from "./path-reader.ts";
import { StoredState } from "./stored-state.ts";
import type { IndexedLeaf } from "./tables/leaf-row.ts";
import { positionKey, writeBlockKey } from "./tables/row-keys.ts";
import { STATE_BYTES, type TreeSnapshot } from "./tables/state-row.ts";
import type { IndexedTree } from "./tables/state-view.ts";
import { parseStatus, readStatusRow, STATUS_BYTES, type WorldStateStatus } from "./tables/status-row.ts";
import { openTables, type WorldStateTables } from "./tables/tables.ts";
import type { TreeNodes } from "./tables/tree-nodes.ts";
import type { LeafText, StateAt, WantedLeaf, WorldStateReader } from "./types.ts";

/** Most states whose snapshots are cached. */
const CACHED_STATES = 1024;

/**
 * Reads of the trees from the store, in any thread that has it open. A cached state is identified by its row, so it is
 * not used after a commit that replaced its block. Rows are read again when the status has changed: the status has the
 * tip's archive root, which commits to every earlier state. The status is read on every call, except for texts: there
 * an unchanged version of the store shows that nothing was committed.
 */
export class StateReader implements WorldStateReader {
  protected readonly core: Core;
  protected readonly tables: WorldStateTables;
  protected readonly nodes: TreeNodes;
  readonly #genesis: GenesisState;
  readonly #genesisTrees: GenesisTrees;
  readonly #paths: PathReader;
  readonly #known = new Map<number, KnownState>();
  /** States whose row was read under the current status. */
  readonly #confirmed = new Map<number, KnownState>();
  protected readonly store: Store;
  #status = parseStatus(new Uint8Array(STATUS_BYTES));
  /** Store version of the cached status; undefined while a transaction may be changing it. */
  #statusVersion: number | undefined;
  #statusRow = new Uint8Array(STATUS_BYTES);
  #nextStatusRow = new Uint8Array(STATUS_BYTES);
  #lastId = 0;
  readonly #key = new Uint8Array(4);
  readonly #row = new Uint8Array(STATE_BYTES);

  /** The store must contain at least block 0, which is answered from `genesis`. */
  constructor(core: Core, store: Store, genesis: GenesisState) {
    this.core = core;
    this.store = store;
    this.tables = openTables(store);
    const { tables } = this;
    this.#genesis = genesis;
    this.#genesisTrees = new GenesisTrees(genesis.fork);
    this.nodes = genesis.fork.nodes;
    this.#paths = new PathReader(core, this.nodes, tables);
  }

  status(): WorldStateStatus {
    const row = this.#nextStatusRow;
    readStatusRow(this.tables, row);
    this.#statusVersion = this.store.current();
    if (!equal(row, this.#statusRow)) {
      this.#nextStatusRow = this.#statusRow;
      this.#statusRow = row;
      this.#status = parseStatus(row);
      this.#confirmed.clear();
    }
    return this.#status;
  }

  genesisHeader(): BlockHeader {
    return this.#genesis.header;
  }

  genesisBlockHash(): Uint8Array {
    return this.#genesis.hash;
  }

  at(reference: number | "latest"): StateAt {
    return this.#at(reference, this.status());
  }

  lowLeafText(
    reference: number | "latest",
    tree: IndexedTree,
    key: Uint8Array,
    wanted: WantedLeaf,
    text: LeafText,
  ): Uint8Array | undefined {
    const version = this.store.current();
    if (version !== undefined && version === this.#statusVersion) {
      const found = this.#at(reference, this.#status).lowLeafText?.(tree, key, wanted, text);
      if (this.store.current() === version) return found;
    }
    return this.at(reference).lowLeafText?.(tree, key, wanted, text);
  }

  #at(reference: number | "latest", { tip, oldest }: WorldStateStatus): StateAt {
    if (reference === 0) return this.#genesisTrees;
    const block = reference === "latest" ? tip : reference;
    if (block === 0) return this.#genesisTrees;
    const confirmed = this.#confirmed.get(block);
    if (confirmed !== undefined) return confirmed;
    if (block > tip || block < oldest) throw new UnknownStateError(block);
    const read = this.#read(block);
    if (this.#confirmed.size >= CACHED_STATES) this.#confirmed.clear();
    this.#confirmed.set(block, read);
    return read;
  }

  #read(block: number): KnownState {
    writeBlockKey(this.#key, block);
    if (this.tables.states.readInto(this.#key, this.#row) !== STATE_BYTES) throw new UnknownStateError(block);
    const known = this.#known.get(block);
    return known !== undefined && equal(known.row, this.#row) ? known : this.#remember(block);
  }

  #remember(block: number): KnownState {
    const row = this.#row.slice();
    this.#lastId = (this.#lastId + 1) % 2 ** 32;
    const known = new KnownState(this.#lastId, row, new StoredState(this.tables, block, row), this.#paths);
    if (this.#known.size >= CACHED_STATES) this.#known.delete(this.#known.keys().next().value as number);
    this.#known.set(block, known);
    return known;
  }

  snapshot(block: number, tree: TreeId): TreeSnapshot {
    return this.at(block).snapshot(tree);
  }

  findLeaf(block: number, tree: TreeId, value: Uint8Array): number | undefined {
    return this.at(block).findLeaf(tree, value);
  }

  blockOfLeaf(tree: TreeId, position: number): number | undefined {
    const found = this.tables.sizes.atOrAfter(positionKey(tree, position + 1));
    if (found === undefined || found.key[0] !== tree) return undefined;
    return Math.min(Math.max(readU32(found.value, 0), 1), this.status().tip);
  }

  leafAt(block: number, tree: TreeId, position: number): Uint8Array {
    return this.at(block).leafAt(tree, position);
  }

  siblingPath(block: number, tree: TreeId, position: number): Uint8Array {
    return this.at(block).siblingPath(tree, position);
  }

  lowLeaf(block: number, tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    return this.at(block).lowLeaf(tree, key);
  }
}

/**
 * The trees after a kept block. The block's row, which has all roots, identifies them: equal roots are equal trees,
 * even if the block was unwound and replaced in between.
 */
class KnownState implements StateAt {
  readonly block: number;
  readonly row: Uint8Array;
  readonly #id: number;
  readonly #stored: StoredState;
  readonly #paths: PathReader;

  /** `id` identifies the content of the trees for the path reader. */
  constructor(id: number, row: Uint8Array, stored: StoredState, paths: PathReader) {
    this.block = stored.block;
    this.row = row;
    this.#id = id;
    this.#stored = stored;
    this.#paths = paths;
  }

  snapshot(tree: TreeId): TreeSnapshot {
    return { root: this.#stored.root(tree), size: this.#stored.size(tree) };
  }

  findLeaf(tree: TreeId, value: Uint8Array): number | undefined {
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) return this.#stored.leaf(tree, value)?.index;
    return this.#stored.position(tree, value);
  }

  leafAt(tree: TreeId, position: number): Uint8Array {
    return this.#stored.leafAt(tree, position) ?? FR_ZERO;
  }

  siblingPath(tree: TreeId, position: number, out?: Uint8Array): Uint8Array {
    const bytes = TREE_HEIGHTS[tree] * 32;
    const path = out ?? new Uint8Array(bytes);
    this.#paths.write(this.#id, this.#stored, tree, position, path);
    return path.length === bytes ? path : path.subarray(0, bytes);
  }

  leaf(tree: IndexedTree, key: Uint8Array): IndexedLeaf | undefined {
    return this.#stored.leaf(tree, key);
  }

  lowLeaf(tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    const stored = this.#stored;
    // Keys below all keys of the tree have no low leaf; leaf 0 is used for them.
    const leaf = stored.lowLeaf(tree, key) ?? stored.lowLeaf(tree, stored.leafAt(tree, 0) ?? FR_ZERO);
    if (leaf === undefined) throw new WorldStateError(`indexed tree ${tree} holds no leaf`);
    return { leaf, present: equal(leaf.key, key) };
  }

  lowLeafText(tree: IndexedTree, key: Uint8Array, wanted: WantedLeaf, text: LeafText): Uint8Array | undefined {
    const entry = this.#stored.lowLeafEntry(tree, key);
    if (entry === undefined) return undefined;
    if (wanted !== "either" && isEntryOf(entry, key) !== (wanted === "present")) return undefined;
    return this.#paths.text(this.#id, this.#stored, tree, entry, text);
  }
}

/** Whether an entry of the key table belongs to `key`; the entry's key starts with the tree's number. */
function isEntryOf(entry: Entry, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (entry.key[i + 1] !== key[i]) return false;
  return true;
}

/** The trees of block 0, kept in memory because pruning may remove the stored ones. */
class GenesisTrees implements StateAt {
  readonly block = 0;
  readonly #fork: Fork;

  constructor(fork: Fork) {
    this.#fork = fork;
  }

  snapshot(tree: TreeId): TreeSnapshot {
    return this.#fork.snapshot(tree);
  }

  findLeaf(tree: TreeId, value: Uint8Array): number | undefined {
    return this.#fork.findLeaf(tree, value);
  }

  leafAt(tree: TreeId, position: number): Uint8Array {
    return this.#fork.leafAt(tree, position);
  }

  siblingPath(tree: TreeId, position: number, out?: Uint8Array): Uint8Array {
    const path = this.#fork.siblingPath(tree, position);
    if (out === undefined) return path;
    out.set(path);
    return out.subarray(0, path.length);
  }

  leaf(tree: IndexedTree, key: Uint8Array): IndexedLeaf | undefined {
    const { leaf, present } = this.#fork.lowLeaf(tree, key);
    return present ? leaf : undefined;
  }

  lowLeaf(tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    return this.#fork.lowLeaf(tree, key);
  }
}
