import type { Core } from "../core/core.ts";
import { type HashedTiles, type TileJob, type TileVersion, tileJob } from "../core/tile-job.ts";
import { word } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, type TreeId } from "../protocol/constants.ts";
import { giveWay } from "./give-way.ts";
import type { WorldStateTables } from "./tables.ts";
import { parentOf, TILE_HEIGHT, tileHeightAt, tileId, tileKey, tileLevels } from "./tile-address.ts";

/** Hashes tiles on other threads, as Core.hashTiles does on this one. */
export interface TileHasher {
  hashTiles(job: TileJob): Promise<HashedTiles>;
}

/** A node that one block sets: its index on its level and its word, or the preimage of a leaf node. */
export interface NodeChange {
  index: number;
  block: number;
  words: Uint8Array;
}

/** A tile that a batch changes: the row that it has in the end, and its earlier versions by the last block each was valid for. */
export interface TileChange {
  key: Uint8Array;
  row: Uint8Array;
  history: { lastBlock: number; row: Uint8Array }[];
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

/** Nodes of a level that belong to one tile. */
interface TileNodes {
  index: number;
  nodes: NodeChange[];
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
  readonly #changes = new Map<number, TileChange>();

  constructor(core: Core, tree: TreeId, tables: WorldStateTables, hasher: TileHasher | undefined) {
    this.#core = core;
    this.#tree = tree;
    this.#tables = tables;
    this.#hasher = hasher;
  }

  /** Sets leaf nodes and gives the root after each block that changed any. Blocks follow those of earlier calls. */
  async apply(leaves: NodeChange[]): Promise<Map<number, Uint8Array>> {
    let nodes = leaves;
    const levels = tileLevels(this.#tree);
    for (let level = 0; level < levels && nodes.length > 0; ) {
      if (this.#hasher === undefined || nodes.length < MIN_NODES_FOR_THREADS) {
        const tiles = byTile(nodes);
        nodes = this.#keep(level, tiles, this.#core.hashTiles(this.#job(level, tiles)));
        level++;
      } else {
        const end = Math.min(levels, level + LEVELS_PER_CHAIN);
        const { parts, through } = split(byTile(nodes), level, end);
        nodes = await this.#climb(this.#hasher, parts, level, through);
        level = through;
      }
      await giveWay();
    }
    return new Map(nodes.map(({ block, words }) => [block, words]));
  }

  /** The changed tiles in order of their keys. */
  changes(): TileChange[] {
    return [...this.#changes].sort(([a], [b]) => a - b).map(([, change]) => change);
  }

  /** Hashes disjoint subtrees side by side. No job is left running when it rejects. */
  async #climb(hasher: TileHasher, parts: TileNodes[][], from: number, to: number): Promise<NodeChange[]> {
    const running: Promise<NodeChange[]>[] = [];
    for (const part of parts) {
      const nodes = this.#climbPart(hasher, part, from, to);
      // Its failure is seen below; until then it is no unhandled one.
      nodes.catch(() => undefined);
      running.push(nodes);
      await giveWay();
    }
    await Promise.allSettled(running);
    return (await Promise.all(running)).flat();
  }

  async #climbPart(hasher: TileHasher, part: TileNodes[], from: number, to: number): Promise<NodeChange[]> {
    let tiles = part;
    for (let level = from; ; level++) {
      const nodes = this.#keep(level, tiles, await hasher.hashTiles(this.#job(level, tiles)));
      if (level + 1 === to) return nodes;
      tiles = byTile(nodes);
    }
  }

  #job(level: number, tiles: TileNodes[]): TileJob {
    return tileJob(
      tiles.map(({ index, nodes }) => {
        const id = tileId(level, index);
        const row = this.#changes.get(id)?.row ?? this.#tables.tiles.get(tileKey(this.#tree, level, index));
        return { row, versions: versionsOf(index, nodes) };
      }),
      {
        height: tileHeightAt(this.#tree, level),
        baseLevel: level * TILE_HEIGHT,
        arity: this.#tree === NULLIFIER_TREE ? 3 : 4,
      },
    );
  }

  /** Takes the rows of hashed tiles and gives their roots as nodes of the level above. */
  #keep(level: number, tiles: TileNodes[], { ends, roots, rows }: HashedTiles): NodeChange[] {
    const above: NodeChange[] = [];
    let [next, start] = [0, 0];
    const nextRow = () => {
      const row = rows.subarray(start, ends[next]);
      start = ends[next++];
      return row;
    };
    for (const { index, nodes } of tiles) {
      const id = tileId(level, index);
      let change = this.#changes.get(id);
      if (change === undefined) {
        change = { key: tileKey(this.#tree, level, index), row: new Uint8Array(0), history: [], blocks: [] };
        this.#changes.set(id, change);
      }
      for (let i = 0; i < nodes.length; i++) {
        const { block } = nodes[i];
        if (i > 0 && nodes[i - 1].block === block) continue;
        const row = nextRow();
        if (row.length > 0) change.history.push({ lastBlock: block - 1, row });
        change.blocks.push(block);
        above.push({ index, block, words: word(roots, above.length) });
      }
      change.row = nextRow();
    }
    return above;
  }
}

/** The versions that nodes of one tile, sorted by block and index, make of it. */
function versionsOf(tile: number, nodes: NodeChange[]): TileVersion[] {
  const versions: TileVersion[] = [];
  let version: TileVersion | undefined;
  for (const { index, block, words } of nodes) {
    if (version?.block !== block) {
      version = { block, whole: (block + tile) % WHOLE_VERSION_EVERY === 0, bottoms: [], words: [] };
      versions.push(version);
    }
    version.bottoms.push(parentOf(index).bottom);
    version.words.push(words);
  }
  return versions;
}

/** Nodes of one level by tile, tiles by index, the nodes of each by block and index. Sorts `nodes`. */
function byTile(nodes: NodeChange[]): TileNodes[] {
  nodes.sort((a, b) => parentOf(a.index).tile - parentOf(b.index).tile || a.block - b.block || a.index - b.index);
  const tiles: TileNodes[] = [];
  let last: TileNodes | undefined;
  for (const node of nodes) {
    const { tile } = parentOf(node.index);
    if (last?.index !== tile) {
      last = { index: tile, nodes: [] };
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
