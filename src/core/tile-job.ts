/** What one block does to a tile: bottom nodes, or the preimages of leaf nodes, that it sets. */
export interface TileVersion {
  block: number;
  /** Keep the version that this one ends as a whole record, not as the words that it replaces. */
  whole: boolean;
  /** Ascending bottom nodes, each once. */
  bottoms: number[];
  /** For each a node of 32 bytes or a preimage of `arity` x 32. */
  words: Uint8Array[];
}

/** A tile through consecutive blocks. */
export interface VersionedTile {
  /** Stored row (src/world-state/tables.ts): since 4 | whole record. Undefined for an empty tile. */
  row: Uint8Array | undefined;
  /** By ascending block, at least one. */
  versions: TileVersion[];
}

/** Tiles of one tile level to hash, laid out as assembly/trees/tile-versions.ts takes them. `input` is all that another thread needs. */
export interface TileJob {
  tileCount: number;
  versionCount: number;
  height: number;
  /** Tree level of the bottom row. */
  baseLevel: number;
  /** Words of a preimage. */
  arity: number;
  input: Uint8Array<ArrayBuffer>;
}

/** Results of a TileJob, in order of its tiles and versions. */
export interface HashedTiles {
  /** versionCount x 32. */
  roots: Uint8Array;
  /** Ends of the rows. */
  ends: Uint32Array;
  /** For each tile: a history row for each version (empty when nothing came before it), then the row of the last one. */
  rows: Uint8Array;
  /** All of this, one after the other. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** Parts of the bytes that hold a job's results. */
export function hashedTiles(bytes: Uint8Array, { tileCount, versionCount }: TileJob): HashedTiles {
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

export function tileJob(
  tiles: VersionedTile[],
  { height, baseLevel, arity }: Pick<TileJob, "height" | "baseLevel" | "arity">,
): TileJob {
  let versionCount = 0;
  let bytes = 0;
  for (const { row, versions } of tiles) {
    bytes += row?.length ?? 0;
    versionCount += versions.length;
    for (const { words } of versions) for (const { length } of words) bytes += length;
  }
  const head = tiles.length * TILE_BYTES + versionCount * VERSION_BYTES;
  const input = new Uint8Array(head + bytes);
  const fields = new Uint32Array(input.buffer, 0, head / 4);
  let [tileAt, versionAt, at] = [0, tiles.length * 2, head];
  for (const { row, versions } of tiles) {
    fields[tileAt++] = row?.length ?? 0;
    fields[tileAt++] = versions.length;
    for (const { block, whole, bottoms, words } of versions) {
      let dirty = 0;
      let preimages = 0;
      for (let i = 0; i < bottoms.length; i++) {
        dirty |= 1 << bottoms[i];
        if (words[i].length > 32) preimages |= 1 << bottoms[i];
        input.set(words[i], at);
        at += words[i].length;
      }
      fields[versionAt++] = block;
      fields[versionAt++] = dirty;
      fields[versionAt++] = preimages;
      fields[versionAt++] = whole ? 1 : 0;
    }
  }
  for (const { row } of tiles) {
    if (row === undefined) continue;
    input.set(row, at);
    at += row.length;
  }
  return { tileCount: tiles.length, versionCount, height, baseLevel, arity, input };
}
