import type { Separator } from "../protocol/generations/hashing.ts";

/** A bottom node that one block sets in a tile. */
export interface TileNode {
  block: number;
  bottom: number;
  /**
   * The buffer that contains the node's bytes: for tens of thousands of nodes this takes less memory than views.
   * Undefined for a root that an earlier job of the same chain computes.
   */
  source: Uint8Array | undefined;
  /** Offset of the bytes: 32 of a node, or the `arity` x 32 of its preimage. */
  at: number;
  isPreimage: boolean;
}

/** A tile over consecutive blocks. */
export interface VersionedTile {
  /** Sorted by block and bottom node, without duplicates; at least one. */
  nodes: TileNode[];
}

/** What a job needs to know of its tiles. */
interface TileFacts<T extends VersionedTile> {
  /** Whether the version that ends with a block is stored as a whole record instead of the words that are replaced. */
  keepsWhole(tile: T, block: number): boolean;
  /**
   * Copies the stored row (src/world-state/tables.ts), since 4 | whole record, to `out` from `at` on. Returns
   * its length; 0 for an empty tile.
   */
  readRow(tile: T, out: Uint8Array, at: number): number;
}

/** Tiles of one tile level to hash, in the layout of assembly/trees/tile-versions.ts. */
export interface TileJob {
  tileCount: number;
  versionCount: number;
  height: number;
  /** Tree level of the bottom row. */
  baseLevel: number;
  /** Words per preimage. */
  arity: number;
  /** Of the inner nodes. */
  separator: Separator;
  /** Everything that another thread needs. */
  input: Uint8Array<ArrayBuffer>;
}

/** Results of a TileJob, in the order of its tiles and versions. */
export interface HashedTiles {
  /** versionCount x 32. */
  roots: Uint8Array;
  /** End offsets of the rows. */
  ends: Uint32Array;
  /** For each tile: one history row per version (empty if nothing came before it), then the row of the last version. */
  rows: Uint8Array;
  /** All of the above in one buffer. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** Views of the parts of a job's result bytes. */
export function hashedTiles(
  bytes: Uint8Array,
  { tileCount, versionCount }: Pick<TileJob, "tileCount" | "versionCount">,
): HashedTiles {
  const { buffer, byteOffset } = bytes as Uint8Array<ArrayBuffer>;
  const endsAt = versionCount * 32;
  const rowsAt = endsAt + (tileCount + versionCount) * 4;
  return {
    roots: bytes.subarray(0, endsAt),
    ends: new Uint32Array(buffer, byteOffset + endsAt, tileCount + versionCount),
    rows: bytes.subarray(rowsAt),
    bytes: bytes as Uint8Array<ArrayBuffer>,
  };
}

const TILE_BYTES = 8;
const VERSION_BYTES = 16;

/** Builds a job. `blanks` are the offsets in its input of nodes without words, in the order of the tiles. */
export function tileJob<T extends VersionedTile>(
  tiles: readonly T[],
  { height, baseLevel, arity, separator }: Pick<TileJob, "height" | "baseLevel" | "arity" | "separator">,
  { keepsWhole, readRow }: TileFacts<T>,
): { job: TileJob; blanks: number[] } {
  let versionCount = 0;
  let nodeBytes = 0;
  for (const { nodes } of tiles) {
    let last = -1;
    for (const { block, isPreimage } of nodes) {
      if (block !== last) versionCount++;
      last = block;
      nodeBytes += isPreimage ? arity * 32 : 32;
    }
  }
  const head = tiles.length * TILE_BYTES + versionCount * VERSION_BYTES;
  const input = new Uint8Array(head + nodeBytes + tiles.length * (4 + (64 << height)));
  const fields = new Uint32Array(input.buffer, 0, head / 4);
  const blanks: number[] = [];
  let [versionAt, at] = [tiles.length * 2 - 4, head];
  for (let t = 0; t < tiles.length; t++) {
    const tile = tiles[t];
    let last = -1;
    for (const { block, bottom, source, at: from, isPreimage } of tile.nodes) {
      if (block !== last) {
        versionAt += 4;
        fields[versionAt] = block;
        fields[versionAt + 3] = keepsWhole(tile, block) ? 1 : 0;
        fields[2 * t + 1]++;
        last = block;
      }
      fields[versionAt + 1] |= 1 << bottom;
      if (isPreimage) fields[versionAt + 2] |= 1 << bottom;
      const bytes = isPreimage ? arity * 32 : 32;
      if (source === undefined) blanks.push(at);
      else for (let i = 0; i < bytes; i++) input[at + i] = source[from + i];
      at += bytes;
    }
  }
  for (let t = 0; t < tiles.length; t++) {
    fields[2 * t] = readRow(tiles[t], input, at);
    at += fields[2 * t];
  }
  const job = {
    tileCount: tiles.length,
    versionCount,
    height,
    baseLevel,
    arity,
    separator,
    input: input.subarray(0, at),
  };
  return { job, blanks };
}
