import type { Core } from "../core/core.ts";
import { hashChain, type TileChain } from "../core/tile-chain.ts";
import { type HashedTiles, type TileJob, tileJob } from "../core/tile-job.ts";
import { yieldEventLoop } from "../events/yield-event-loop.ts";
import { NULLIFIER_TREE, type TreeId } from "../protocol/constants.ts";
import type { Separator } from "../protocol/generations/hashing.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import { TILE_HEIGHT, TILE_KEY_BYTES, tileHeightAt, tileId, tileLevels, writeTileKey } from "./tables/tile-address.ts";
import { type PackedRow, rowBytes, type TileChange } from "./tile-change.ts";
import { byTile, forEachVersion, type LevelNode, levelNode, type TileNodes } from "./tile-nodes.ts";

/** Hashes tiles on other threads, as hashChain does on this one. */
export interface TileHasher {
  hashTiles(chain: TileChain): Promise<HashedTiles[]>;
}

/**
 * Nodes from which other threads pay off: a node takes about four hashes of 16 us each, the round trip of a job 0.2 ms.
 */
const MIN_NODES_FOR_THREADS = 48;
/** Tile levels that one chain of jobs hashes, each from the roots of the level below. */
const LEVELS_PER_CHAIN = 3;
/**
 * About one ended version of a tile in so many is kept whole, which bounds the partial records that reading an old tile
 * takes.
 */
const WHOLE_VERSION_EVERY = 8;

const NO_ROW: PackedRow = { rows: new Uint8Array(0), start: 0, end: 0 };

/** Subtrees by tile level, from level `from` up, and the jobs that hash them. */
interface ChainedTiles {
  from: number;
  levels: TileNodes[][];
  chain: TileChain;
}

/** Hashing that has begun on the levels below `through`. */
interface StartedLevels {
  through: number;
  /** The nodes of level `through`. Nothing is left running when it rejects. */
  nodes: Promise<LevelNode[]>;
}

/**
 * Hashes what consecutive blocks change in one tree, on top of the stored tip. A level is hashed for all blocks at
 * once, since a node depends on the level below it only: so vector lanes and threads have enough work on the upper
 * levels too, where each block has a node or two.
 */
export class TreeBatch {
  readonly #core: Core;
  readonly #tree: TreeId;
  /** Of the inner nodes. */
  readonly #separator: Separator;
  readonly #tables: WorldStateTables;
  readonly #hasher: TileHasher | undefined;
  #changes = new Map<number, TileChange>();
  /** Changes that were taken and may not be stored yet, newest first, with the last block of each. */
  #taken: { last: number; changes: Map<number, TileChange> }[] = [];
  readonly #key = new Uint8Array(TILE_KEY_BYTES);

  constructor(
    core: Core,
    tree: TreeId,
    separator: Separator,
    tables: WorldStateTables,
    hasher: TileHasher | undefined,
  ) {
    this.#core = core;
    this.#tree = tree;
    this.#separator = separator;
    this.#tables = tables;
    this.#hasher = hasher;
  }

  /**
   * Sets leaf nodes of blocks that follow those of earlier calls; takes the array over. Resolves once other threads
   * have the work on the lowest levels, which is most of it, so that this thread may block. `roots` are those after
   * each block that changed any leaf.
   */
  async begin(nodes: LevelNode[]): Promise<{ roots: Promise<Map<number, Uint8Array>> }> {
    const roots = this.#finish(await this.#start(0, nodes));
    // Awaited later; this keeps an early rejection from being unhandled.
    roots.catch(() => undefined);
    return { roots };
  }

  /** The tiles that changed since the last call, in order of their keys; `last` is the last block that changed any. */
  takeChanges(last: number): TileChange[] {
    const changes = this.#changes;
    this.#changes = new Map();
    this.#taken.unshift({ last, changes });
    return [...changes].sort(([a], [b]) => a - b).map(([, change]) => change);
  }

  /** Drops taken changes that are stored: those of blocks up to `tip`. */
  forgetUpTo(tip: number): void {
    this.#taken = this.#taken.filter(({ last }) => last > tip);
  }

  async #finish(first: StartedLevels): Promise<Map<number, Uint8Array>> {
    for (let { through, nodes: starting } = first; ; ) {
      const nodes = await starting;
      await yieldEventLoop();
      if (through === tileLevels(this.#tree)) {
        return new Map(nodes.map(({ block, source, at }) => [block, (source as Uint8Array).slice(at, at + 32)]));
      }
      ({ through, nodes: starting } = await this.#start(through, nodes));
    }
  }

  /** Starts to hash from the nodes of a level up: one level on this thread, several on others. */
  async #start(level: number, nodes: LevelNode[]): Promise<StartedLevels> {
    const levels = tileLevels(this.#tree);
    if (nodes.length === 0) return { through: levels, nodes: Promise.resolve([]) };
    const tiles = byTile(nodes);
    if (this.#hasher === undefined || nodes.length < MIN_NODES_FOR_THREADS) {
      const subtrees = this.#chain(level, level + 1, tiles);
      return {
        through: level + 1,
        nodes: Promise.resolve(this.#keep(subtrees, hashChain(this.#core, subtrees.chain))),
      };
    }
    const { parts, through } = cutSubtrees(tiles, level, Math.min(levels, level + LEVELS_PER_CHAIN));
    const running = await this.#climb(this.#hasher, parts, level, through);
    const above = Promise.allSettled(running).then(async () => (await Promise.all(running)).flat());
    above.catch(() => undefined);
    return { through, nodes: above };
  }

  /** Hands disjoint subtrees to other threads. */
  async #climb(hasher: TileHasher, parts: TileNodes[][], from: number, to: number): Promise<Promise<LevelNode[]>[]> {
    const running: Promise<LevelNode[]>[] = [];
    for (const part of parts) {
      const subtrees = this.#chain(from, to, part);
      const nodes = hasher.hashTiles(subtrees.chain).then((hashed) => this.#keep(subtrees, hashed));
      nodes.catch(() => undefined);
      running.push(nodes);
      await yieldEventLoop();
    }
    return running;
  }

  /** The jobs that hash the subtrees of tiles of level `from`, up to but not including level `to`. */
  #chain(from: number, to: number, bottom: TileNodes[]): ChainedTiles {
    const levels: TileNodes[][] = [];
    const chain: TileChain = { jobs: [], rootsTo: [] };
    for (let level = from, tiles = bottom; ; level++) {
      const { job, blanks } = this.#job(level, tiles);
      if (level > from) chain.rootsTo.push(placesOfRoots(tiles, blanks));
      chain.jobs.push(job);
      levels.push(tiles);
      if (level + 1 === to) return { from, levels, chain };
      const above: LevelNode[] = [];
      for (const tile of tiles) {
        forEachVersion(tile, (index, block) => above.push(levelNode(index, block, { root: above.length })));
      }
      tiles = byTile(above);
    }
  }

  #job(level: number, tiles: TileNodes[]): { job: TileJob; blanks: number[] } {
    const shape = {
      height: tileHeightAt(this.#tree, level),
      baseLevel: level * TILE_HEIGHT,
      arity: this.#tree === NULLIFIER_TREE ? 3 : 4,
      separator: this.#separator,
    };
    return tileJob(tiles, shape, {
      keepsWhole: ({ index }, block) => (block + index) % WHOLE_VERSION_EVERY === 0,
      readRow: ({ index }, out, at) => this.#readRow(level, index, out, at),
    });
  }

  #readRow(level: number, index: number, out: Uint8Array, at: number): number {
    const id = tileId(level, index);
    const change = this.#changes.get(id) ?? this.#takenChange(id);
    if (change !== undefined) {
      out.set(rowBytes(change.row), at);
      return change.row.end - change.row.start;
    }
    writeTileKey(this.#key, this.#tree, level, index);
    return Math.max(0, this.#tables.tiles.readInto(this.#key, out, at));
  }

  #takenChange(id: number): TileChange | undefined {
    for (const { changes } of this.#taken) {
      const change = changes.get(id);
      if (change !== undefined) return change;
    }
    return undefined;
  }

  /** Keeps the rows of hashed tiles. Returns the roots of the highest level as nodes of the level above. */
  #keep({ from, levels }: ChainedTiles, hashed: HashedTiles[]): LevelNode[] {
    const above: LevelNode[] = [];
    for (const [l, { ends, roots, rows }] of hashed.entries()) {
      const isTop = l === hashed.length - 1;
      let [next, start] = [0, 0];
      for (const tile of levels[l]) {
        const change = this.#change(from + l, tile.index);
        forEachVersion(tile, (index, block) => {
          const end = ends[next++];
          if (end > start) change.history.push({ lastBlock: block - 1, rows, start, end });
          start = end;
          change.blocks.push(block);
          if (isTop) above.push(levelNode(index, block, { source: roots, at: above.length * 32 }));
        });
        change.row = { rows, start, end: ends[next++] };
        start = change.row.end;
      }
    }
    return above;
  }

  #change(level: number, index: number): TileChange {
    const id = tileId(level, index);
    let change = this.#changes.get(id);
    if (change === undefined) {
      change = { tree: this.#tree, level, index, row: NO_ROW, history: [], blocks: [] };
      this.#changes.set(id, change);
    }
    return change;
  }
}

/** Where in a job's input each root of the level below goes; blanks are in the order of tiles and nodes. */
function placesOfRoots(tiles: TileNodes[], blanks: number[]): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(blanks.length);
  let next = 0;
  for (const { nodes } of tiles) for (const { root } of nodes) places[root] = blanks[next++];
  return places;
}

/** Nodes of a job: enough to make its way cheap, few enough to spread evenly over the threads. */
const NODES_PER_JOB = { least: 32, most: 512 };
const JOBS_PER_LEVEL = 8;

/**
 * Cuts tiles of a level into parts of about even size, one for each job. Parts have no tile in common on the levels
 * below `through`, which is the highest level up to `end` that allows for enough parts.
 */
function cutSubtrees(tiles: TileNodes[], level: number, end: number): { parts: TileNodes[][]; through: number } {
  const count = tiles.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const { least, most } = NODES_PER_JOB;
  const size = Math.min(most, Math.max(least, Math.ceil(count / JOBS_PER_LEVEL)));
  for (let through = end; ; through--) {
    const parts = cutAt(tiles, size, 2 ** ((through - 1 - level) * TILE_HEIGHT));
    if (through === level + 1 || parts.every((part) => part.nodes <= 2 * size)) {
      return { parts: parts.map((part) => part.tiles), through };
    }
  }
}

/**
 * Parts of at least `size` nodes, except the last; each run of `span` tiles, which have an ancestor in common, stays
 * whole.
 */
function cutAt(tiles: TileNodes[], size: number, span: number): { nodes: number; tiles: TileNodes[] }[] {
  const parts: { nodes: number; tiles: TileNodes[] }[] = [];
  let part = { nodes: size, tiles: [] as TileNodes[] };
  let subtree = -1;
  for (const tile of tiles) {
    const own = Math.floor(tile.index / span);
    if (own !== subtree && part.nodes >= size) {
      part = { nodes: 0, tiles: [] };
      parts.push(part);
    }
    subtree = own;
    part.nodes += tile.nodes.length;
    part.tiles.push(tile);
  }
  return parts;
}
