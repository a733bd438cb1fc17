import type { Core } from "../core/core.ts";
import { hashChain, type TileChain } from "../core/tile-chain.ts";
import { type HashedTiles, type TileJob, type TileNode, tileJob } from "../core/tile-job.ts";
import { NULLIFIER_TREE, type TreeId } from "../protocol/constants.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import {
  parentOf,
  TILE_HEIGHT,
  TILE_KEY_BYTES,
  tileHeightAt,
  tileId,
  tileLevels,
  writeTileKey,
} from "./tile-address.ts";
import { yieldEventLoop } from "./yield-event-loop.ts";

/** Hashes tiles on other threads, as hashChain does on this one. */
export interface TileHasher {
  hashTiles(chain: TileChain): Promise<HashedTiles[]>;
}

/** A row among others: a view of each would outlive most of what a batch makes and cost more than the row. */
export interface PackedRow {
  rows: Uint8Array;
  start: number;
  end: number;
}

/** A tile that a batch changes: the row that it has in the end, and its earlier versions by the last block each was valid for. */
export interface TileChange {
  tree: TreeId;
  level: number;
  index: number;
  row: PackedRow;
  history: (PackedRow & { lastBlock: number })[];
  /** Blocks that changed it, ascending. */
  blocks: number[];
}

/** Nodes from which other threads pay off: some four hashes of 16 us each, against 0.2 ms for a job's way there and back. */
const MIN_NODES_FOR_THREADS = 48;
/** Nodes of a job: enough to make its way cheap, few enough to spread evenly over the threads. */
const NODES_PER_JOB = { least: 32, most: 512 };
const JOBS_PER_LEVEL = 8;
/** Tile levels that one chain of jobs goes up by itself. */
const LEVELS_PER_CHAIN = 3;
/**
 * Of the ended versions of a tile about one in so many is kept whole: an old tile is put together from that many partial records
 * at most, give or take.
 */
const WHOLE_VERSION_EVERY = 8;

const NO_ROW: PackedRow = { rows: new Uint8Array(0), start: 0, end: 0 };

/** A node of some level that one block sets, with the tile that it is a bottom node of. */
export interface LevelNode extends TileNode {
  tile: number;
  /** Number of the root that it is among those of the level below, where a node has no bytes yet. */
  root: number;
}

/** A tile of some level with the nodes that are set in it, by block and bottom node. */
interface TileNodes {
  index: number;
  nodes: LevelNode[];
}

/** Subtrees with the jobs that hash them: the tiles of the levels from `from` on. */
interface ChainedTiles {
  from: number;
  levels: TileNodes[][];
  chain: TileChain;
}

/** Nodes that are being hashed up to, not including, level `through`, whose nodes are given. */
interface StartedLevels {
  through: number;
  /** Nothing is left running when it rejects. */
  nodes: Promise<LevelNode[]>;
}

/** A node by its index on its level. */
export function levelNode(
  index: number,
  block: number,
  { source, at = 0, isPreimage = false, root = 0 }: Partial<Pick<LevelNode, "source" | "at" | "isPreimage" | "root">>,
): LevelNode {
  const { tile, bottom } = parentOf(index);
  return { tile, bottom, block, source, at, isPreimage, root };
}

export function rowBytes({ rows, start, end }: PackedRow): Uint8Array {
  return rows.subarray(start, end);
}

/**
 * Hashes what consecutive blocks change in one tree, on top of the stored tip. All blocks go up the tree together: a node depends on
 * the level below it only, so that the upper levels, where a block has a node or two, fill the lanes and threads too.
 */
export class TreeBatch {
  readonly #core: Core;
  readonly #tree: TreeId;
  readonly #tables: WorldStateTables;
  readonly #hasher: TileHasher | undefined;
  #changes = new Map<number, TileChange>();
  /** Changes that were taken and may not be stored yet, newest first, with the last block of each. */
  #taken: { last: number; changes: Map<number, TileChange> }[] = [];
  readonly #key = new Uint8Array(TILE_KEY_BYTES);

  constructor(core: Core, tree: TreeId, tables: WorldStateTables, hasher: TileHasher | undefined) {
    this.#core = core;
    this.#tree = tree;
    this.#tables = tables;
    this.#hasher = hasher;
  }

  /**
   * Sets leaf nodes, an array that is this batch's from then on, and gives the root after each block that changed any. Blocks follow
   * those of earlier calls. Resolves as soon as other threads have all the work on the lowest levels, which is most of it: they go
   * on when this thread does not.
   */
  async begin(nodes: LevelNode[]): Promise<{ roots: Promise<Map<number, Uint8Array>> }> {
    const roots = this.#finish(await this.#start(0, nodes));
    // Whoever waits for it sees its failure; until then it is no unhandled one.
    roots.catch(() => undefined);
    return { roots };
  }

  /** Takes the changed tiles, in order of their keys; `last` is the last block that changed any. */
  takeChanges(last: number): TileChange[] {
    const changes = this.#changes;
    this.#changes = new Map();
    this.#taken.unshift({ last, changes });
    return [...changes].sort(([a], [b]) => a - b).map(([, change]) => change);
  }

  /** Forgets what was taken and is stored now, where the tip is block `tip`. */
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

  /** Starts to hash nodes of a level, up as far as one go takes them. */
  async #start(level: number, nodes: LevelNode[]): Promise<StartedLevels> {
    const levels = tileLevels(this.#tree);
    if (nodes.length === 0) return { through: levels, nodes: Promise.resolve([]) };
    const tiles = byTile(nodes);
    if (this.#hasher === undefined || nodes.length < MIN_NODES_FOR_THREADS) {
      const path = this.#chain(level, level + 1, tiles);
      return { through: level + 1, nodes: Promise.resolve(this.#keep(path, hashChain(this.#core, path.chain))) };
    }
    const { parts, through } = split(tiles, level, Math.min(levels, level + LEVELS_PER_CHAIN));
    const running = await this.#climb(this.#hasher, parts, level, through);
    const above = Promise.allSettled(running).then(async () => (await Promise.all(running)).flat());
    above.catch(() => undefined);
    return { through, nodes: above };
  }

  /** Hands disjoint subtrees to other threads. */
  async #climb(hasher: TileHasher, parts: TileNodes[][], from: number, to: number): Promise<Promise<LevelNode[]>[]> {
    const running: Promise<LevelNode[]>[] = [];
    for (const part of parts) {
      const path = this.#chain(from, to, part);
      const nodes = hasher.hashTiles(path.chain).then((hashed) => this.#keep(path, hashed));
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

  /** Takes the rows of hashed tiles and gives the last level's roots as nodes of the level above. */
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

/** Calls `visit` for each version that nodes make of a tile, in order. */
function forEachVersion({ index, nodes }: TileNodes, visit: (index: number, block: number) => void): void {
  let last = -1;
  for (const { block } of nodes) {
    if (block !== last) visit(index, block);
    last = block;
  }
}

/** Where in a job's input, whose blanks are in order of its tiles, each root of the level below goes. */
function placesOfRoots(tiles: TileNodes[], blanks: number[]): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(blanks.length);
  let next = 0;
  for (const { nodes } of tiles) for (const { root } of nodes) places[root] = blanks[next++];
  return places;
}

/** Nodes of one level by tile, tiles by index, the nodes of each by block and index. Sorts `nodes`. */
function byTile(nodes: LevelNode[]): TileNodes[] {
  nodes.sort((a, b) => a.tile - b.tile || a.block - b.block || a.bottom - b.bottom);
  const tiles: TileNodes[] = [];
  let last: TileNodes | undefined;
  for (const node of nodes) {
    if (last?.index !== node.tile) {
      last = { index: node.tile, nodes: [] };
      tiles.push(last);
    }
    last.nodes.push(node);
  }
  return tiles;
}

/**
 * Cuts tiles of a level into parts of about even size that have no tile in common up to, not including, level `through`: the
 * highest one not above `end` that allows for enough parts.
 */
function split(tiles: TileNodes[], level: number, end: number): { parts: TileNodes[][]; through: number } {
  const count = tiles.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const { least, most } = NODES_PER_JOB;
  const size = Math.min(most, Math.max(least, Math.ceil(count / JOBS_PER_LEVEL)));
  for (let through = end; ; through--) {
    const parts = cut(tiles, size, 2 ** ((through - 1 - level) * TILE_HEIGHT));
    if (through === level + 1 || parts.every((part) => part.nodes <= 2 * size)) {
      return { parts: parts.map((part) => part.tiles), through };
    }
  }
}

/** Parts of at least `size` nodes, but for the last; tiles whose index agrees up to a factor of `span` stay together. */
function cut(tiles: TileNodes[], size: number, span: number): { nodes: number; tiles: TileNodes[] }[] {
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
