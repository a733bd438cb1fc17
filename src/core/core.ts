import { ContentError } from "../errors/content-error.ts";
import type { Separator } from "../protocol/generations/hashing.ts";
import type { HashedTiles, TileJob } from "./tile-job.ts";

/**
 * How an instance hashes. "lanes": vector lanes, two states at a time or one state spread over both; requires exact
 * fused multiply-adds. "integer-lanes": batches in integer lanes, single hashes in scalar code; runs on any processor.
 * "scalar": no lanes.
 */
export type CoreBuild = "lanes" | "integer-lanes" | "scalar";

/**
 * Host side of the WASM core: pure functions on bytes, one instance per thread. Fields are canonical 32-byte big-endian
 * words on both sides of every call; Montgomery limbs never leave the core. docs/protocol/01-fields-and-hashing.md and
 * docs/protocol/02-trees.md.
 */
export interface Core {
  readonly build: CoreBuild;
  /** Poseidon2 permutation of a state of four words (128 bytes). */
  permute(state: Uint8Array): Uint8Array;
  /** The state (128 bytes) after absorbing words: three at a time, each followed by a permutation; one if none. */
  absorb(state: Uint8Array, words: Uint8Array): Uint8Array;
  /** `H` of n fields (n x 32 bytes, n >= 0). */
  hash(fields: Uint8Array): Uint8Array;
  /** `Hs`: `H` with the separator as first input. */
  hashWithSeparator(separator: number | bigint, fields: Uint8Array): Uint8Array;
  /** `HB`: hash of bytes in little-endian 31-byte chunks. */
  hashBytes(bytes: Uint8Array): Uint8Array;
  /** Independent hashes of `arity` fields each; inputs and results back to back. */
  hashMany(inputs: Uint8Array, arity: number): Uint8Array;
  /** Independent hashes, each `hash` or `hashWithSeparator` of its fields. Costs less than one after the other. */
  hashEach(inputs: readonly HashInput[]): Uint8Array[];
  /** An incremental blob sponge (docs/protocol/01-fields-and-hashing.md#110-blob-sponge). */
  blobSponge(): BlobSponge;
  readonly field: FieldArithmetic;

  /**
   * Trees whose inner nodes are `H` of the separator, if there is one, and their two children
   * (docs/protocol/02-trees.md#22-nodes-and-empty-subtrees). Throws a RangeError when an instance has eight kinds.
   */
  merkle(separator?: Separator): Merkle;

  /**
   * Links new keys into the sorted list of an indexed tree (docs/protocol/02-trees.md#29-batch-insertion). Throws
   * DuplicateKeyError when a key occurs twice.
   */
  linkLeaves(batch: LinkBatch): LinkedLeaves;

  /**
   * A tile cache in its own memory of about `bytes` bytes at most; upper tiles have priority. Tiles are four levels
   * high. `separators` are those of the trees by their number; a tree beyond them has none.
   */
  tileCache(bytes: number, separators?: readonly Separator[]): TileCache;
}

/** Hashing of trees with one kind of inner node. */
export interface Merkle {
  readonly separator: Separator;
  /** Root of an empty subtree by level, 0 to 42. */
  readonly zeroHashes: readonly Uint8Array[];

  /**
   * Recomputes inner nodes of subtrees ("tiles") of `height` levels, level by level over all of them, in place. A tile
   * is 2^(height+1) words in heap order: word 1 is its root, word k has children 2k and 2k+1, the bottom row starts at
   * word 2^height; word 0 is unused. `dirty[i]` has bit b set when bottom node b of tile i changed; only ancestors of
   * dirty nodes are hashed. `height` is 1 to 5.
   */
  rehashTiles(tiles: Uint8Array[], dirty: Uint32Array, height: number): void;

  /** Hashes tiles over consecutive blocks and packs their rows. Throws a RangeError for a damaged row. */
  hashTiles(job: TileJob): HashedTiles;

  /**
   * Writes the sibling path of a leaf (height x 32 bytes, leaf side first) to `out` at `at`. `records[t]` is the packed
   * tile (see packTile) of levels t*tileHeight and up of the leaf's path, or undefined if the whole tile is empty.
   * Nodes that a record leaves out are the zero hash of their level. The last record has the remaining height of the
   * tree: height - t*tileHeight.
   */
  siblingPath(
    records: (Uint8Array | undefined)[],
    index: number,
    height: number,
    tileHeight: number,
    out: Uint8Array,
    at: number,
  ): void;
}

/** Input of one of several hashes. */
export interface HashInput {
  /** First input, if the hash has a separator. */
  separator?: number | bigint;
  /** n x 32 bytes, n >= 0. */
  fields: Uint8Array;
}

/**
 * Packed tiles of recent states, and sibling paths through them. A path takes three steps, and steps of two paths must
 * not mix: `open`, `put` for each missing tile, `close`.
 */
export interface TileCache {
  /**
   * Opens the path of a leaf in the tree of a state. Tiles are empty from level `levels` up. Returns a bit mask of the
   * levels whose tile must be put. `state` is any number below 2^32 that identifies the trees' content.
   */
  open(state: number, tree: number, position: number, levels: number): number;
  /**
   * Adds the path's tile on a level: its record (see packTile) starts at `at`, 0 to 4, of `bytes`; undefined for an
   * empty tile. Later paths may find it in the cache unless `keep` is false.
   */
  put(level: number, bytes: Uint8Array | undefined, at?: number, keep?: boolean): void;
  /** Writes the path (height x 32 bytes, leaf side first) to `out` at `at`. */
  close(height: number, out: Uint8Array, at: number): void;
  /** Prepares a text template about a path of `height` levels and its leaf. Throws a RangeError if it does not fit. */
  template(parts: readonly TextPart[], height: number): TextTemplate;
  /** Sets the leaf for the next text: its key, at most 36 bytes, and its row, at most 104. */
  setLeaf(key: Uint8Array, row: Uint8Array): void;
  /** Replaces `close`: returns a text about the path and the leaf. Valid until the next call of any method. */
  closeText(template: TextTemplate): Uint8Array;
}

/**
 * Part of a text: ASCII characters as they are; the hex digits of a 32-byte word or the decimal digits of a position (6
 * bytes) at byte `at` of a leaf's key or row; or the base64 form of the path's height (u32, big-endian) and its words.
 */
export type TextPart = string | { as: "word" | "position"; of: "key" | "row"; at: number } | { as: "path" };

/** A text template. It belongs to the cache that prepared it. */
export interface TextTemplate {
  readonly height: number;
  /** Address of its parts in the core's memory, and their number. */
  readonly at: number;
  readonly count: number;
}

/** Arithmetic mod p on words. Operands of p or more are reduced first. */
export interface FieldArithmetic {
  add(a: Uint8Array, b: Uint8Array): Uint8Array;
  sub(a: Uint8Array, b: Uint8Array): Uint8Array;
  mul(a: Uint8Array, b: Uint8Array): Uint8Array;
  /** a / b; zero when b is zero. */
  div(a: Uint8Array, b: Uint8Array): Uint8Array;
}

export interface BlobSponge {
  absorb(words: Uint8Array): void;
  /** Squeezes a copy: absorbing may go on afterwards. */
  squeeze(): Uint8Array;
  /** A sponge in the same state, independent of this one. */
  clone(): BlobSponge;
}

/** Input of linkLeaves: `n` keys in any order, all non-zero and absent from the tree. */
export interface LinkBatch {
  /** n x 32. */
  keys: Uint8Array;
  /** Position of each key's leaf. */
  positions: number[];
  /** For each key, the leaf with the largest smaller key in the tree before the batch. */
  lowIndexes: number[];
  /** n x 32: nextKey of that leaf before the batch. */
  lowNextKeys: Uint8Array;
  lowNextIndexes: number[];
}

export interface LinkedLeaves {
  /** Pointers of each new leaf, in input order. */
  nextKeys: Uint8Array;
  nextIndexes: number[];
  /** Each low leaf once, with its new pointers. */
  lows: { index: number; nextKey: Uint8Array; nextIndex: number }[];
}

export class DuplicateKeyError extends ContentError {
  override readonly errorCode: string = "duplicate-key";

  readonly key: Uint8Array;
  constructor(key: Uint8Array) {
    super(`key 0x${Buffer.from(key).toString("hex")} occurs twice in one batch`);
    this.name = "DuplicateKeyError";
    this.key = key;
  }
}
