import type { Core } from "../core/core.ts";
import { headerBlockNumber } from "../protocol/block-header.ts";
import type { Store } from "../storage/store.ts";
import { BlockBatch } from "./block-batch.ts";
import { UnknownStateError, WorldStateError } from "./errors.ts";
import { Fork } from "./fork.ts";
import { genesisChanges, genesisState } from "./genesis.ts";
import { StateReader } from "./state-reader.ts";
import { StoredState } from "./stored-state.ts";
import { type GenesisContent, putContent, readContent, sameContent } from "./tables/genesis-row.ts";
import { updateStatus } from "./tables/status-row.ts";
import type { TileHasher } from "./tree-batch.ts";
import type { BlockEffects, BlocksInHashing, PreparedBlocks, WorldStateWriter } from "./types.ts";
import { pruneHistory } from "./undo/prune.ts";
import type { UndoSpace } from "./undo/undone-blocks.ts";
import { unwindBlocks } from "./undo/unwind.ts";
import { type BlockChanges, writeBlocks } from "./write-blocks.ts";

class Prepared implements PreparedBlocks {
  readonly changes: BlockChanges;
  constructor(changes: BlockChanges) {
    this.changes = changes;
  }
  get first(): number {
    return this.changes.blocks[0].block;
  }
  get last(): number {
    return this.changes.blocks[this.changes.blocks.length - 1].block;
  }
}

class InHashing implements BlocksInHashing {
  readonly first: number;
  readonly last: number;
  readonly underWay: Promise<void>;
  readonly hashed: Promise<Prepared>;
  /** The batch that more blocks can be added to. */
  readonly batch: BlockBatch;
  constructor(batch: BlockBatch, blocks: BlockEffects[]) {
    this.batch = batch;
    this.first = batch.last + 1;
    this.last = batch.last + blocks.length;
    const { underWay, hashed } = batch.begin(blocks);
    this.underWay = underWay;
    this.hashed = hashed.then((changes) => new Prepared(changes));
    this.hashed.catch(() => undefined);
  }
}

const FOREIGN = "blocks were prepared by another world state";

/** The five trees in the chain store, as of every kept block. */
export class WorldState extends StateReader implements WorldStateWriter {
  readonly #hasher: TileHasher | undefined;
  readonly #content: GenesisContent;
  readonly #forks = new Set<WeakRef<Fork>>();
  readonly #undoSpace: UndoSpace;

  /** Large blocks are hashed by `hasher`, if given. */
  constructor(core: Core, store: Store, content: GenesisContent, hasher?: TileHasher) {
    const genesis = genesisState(core, content);
    super(core, store, genesis);
    this.#hasher = hasher;
    this.#undoSpace = { store, tables: this.tables, nodes: this.nodes };
    this.#content = content;
    const stored = readContent(this.tables);
    if (stored === undefined) {
      store.transaction(() => this.#writeGenesis(genesis.fork));
    } else if (!sameContent(stored, content)) {
      throw new WorldStateError("the stored world state was made with other prefilled public data");
    }
  }

  #writeGenesis(fork: Fork): void {
    writeBlocks(this.store, this.tables, genesisChanges(fork));
    putContent(this.tables, this.#content);
  }

  /**
   * A writable copy of the state after a block, by default the latest. Unwinding or pruning the block invalidates it.
   */
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
    // Pruning may remove the stored genesis, so a fork of it is rebuilt.
    if (block === 0) return genesisState(this.core, this.#content).fork;
    const fork = new Fork(this.core, this.nodes, new StoredState(this.tables, block));
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
    return this.begin(blocks).hashed;
  }

  begin(blocks: BlockEffects[], after?: BlocksInHashing): BlocksInHashing {
    const { tip } = this.status();
    if (after !== undefined && !(after instanceof InHashing)) throw new WorldStateError(FOREIGN);
    if (after !== undefined && (after.batch.last !== after.last || tip > after.last || tip < after.batch.base)) {
      throw new WorldStateError(`blocks cannot be prepared on top of blocks ${after.first} to ${after.last}`);
    }
    const last = after?.last ?? tip;
    for (const [i, { header }] of blocks.entries()) {
      const number = headerBlockNumber(header);
      if (number !== last + 1 + i) throw new WorldStateError(`block ${number} does not follow block ${last + i}`);
    }
    const batch =
      after?.batch ?? new BlockBatch(this.core, this.nodes, this.tables, () => this.status().tip, this.#hasher);
    return new InHashing(batch, blocks);
  }

  write(prepared: PreparedBlocks): void {
    if (!(prepared instanceof Prepared)) throw new WorldStateError(FOREIGN);
    const { tip, oldest } = this.status();
    if (prepared.first !== tip + 1) throw new WorldStateError(`block ${prepared.first} does not follow block ${tip}`);
    writeBlocks(this.store, this.tables, prepared.changes);
    if (oldest === 0) updateStatus(this.tables, { oldest: 1 });
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
    unwindBlocks(this.#undoSpace, tip, block);
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
    updateStatus(this.tables, { finalized: block });
  }

  lowerFinalized(block: number): void {
    const { oldest, finalized } = this.status();
    if (block >= finalized) return;
    if (block < oldest) throw new UnknownStateError(block);
    updateStatus(this.tables, { finalized: block });
  }

  reset(): void {
    for (const table of Object.values(this.tables)) table.clear();
    this.#writeGenesis(genesisState(this.core, this.#content).fork);
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
    const kept = pruneHistory(this.#undoSpace, oldest, block);
    updateStatus(this.tables, { oldest: kept });
    this.#endForks((base) => base < kept);
  }
}
