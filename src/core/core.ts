import { ContentError } from "../errors/content-error.ts";
import type { HashedTiles, TileJob } from "./tile-job.ts";

/**
 * How an instance hashes. "lanes": in vector lanes, two states at a time or one spread over both, where fused multiply-adds are
 * exact. "integer-lanes": batches in lanes of integers, single hashes by scalar code, on any processor. "scalar": no lanes.
 */
export type CoreBuild = "lanes" | "integer-lanes" | "scalar";

/**
 * Host side of the WASM core: pure functions on bytes, one instance per thread. Fields are canonical 32-byte big-endian words on
 * both sides of every call; Montgomery limbs never leave the core. Sheet 01 sections 2 and 5 to 7.
 */
export interface Core {
  readonly build: CoreBuild;
  /** Poseidon2 permutation of a state of four words (128 bytes). */
  permute(state: Uint8Array): Uint8Array;
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
  /** A blob sponge (section 2.5) that absorbs words over time. */
  blobSponge(): BlobSponge;
  /** Node of an empty subtree by level, 0 to 42. */
  readonly zeroHashes: readonly Uint8Array[];
  readonly field: FieldArithmetic;

  /**
   * Recomputes inner nodes of subtrees ("tiles") of `height` levels, level by level over all of them. A tile is 2^(height+1) words
   * in heap order: word 1 its root, word k has children 2k and 2k+1, the bottom row starts at word 2^height; word 0 is unused.
   * `dirty[i]` has bit b set when bottom node b of tile i changed; only ancestors of dirty nodes are hashed. In place.
   * `height` is 1 to 5.
   */
  rehashTiles(tiles: Uint8Array[], dirty: Uint32Array, height: number): void;

  /** Hashes tiles through consecutive blocks and packs their rows. Throws a RangeError when a row is damaged. */
  hashTiles(job: TileJob): HashedTiles;

  /**
   * Sibling path of a leaf from stored tiles, leaf side first, written to `out` (height x 32 bytes) at `at`.
   * `records[t]` is the packed tile (see packTile) that holds levels t*tileHeight .. of the leaf's path, or undefined where
   * the whole tile is empty. Nodes that a record leaves out are the zero hash of their level. The last record's own height is
   * what is left of the tree: height - t*tileHeight.
   */
  siblingPath(
    records: (Uint8Array | undefined)[],
    index: number,
    height: number,
    tileHeight: number,
    out: Uint8Array,
    at: number,
  ): void;

  /** Links new keys into the sorted list of an indexed tree (section 7.5). Throws DuplicateKeyError when a key occurs twice. */
  linkLeaves(batch: LinkBatch): LinkedLeaves;

  /** A cache of tiles in memory of its own, for at most about `bytes` of them, upper tiles first. Tiles are four levels high. */
  tileCache(bytes: number): TileCache;
}

/** What one of several hashes is of. */
export interface HashInput {
  /** First input, where the hash has one. */
  separator?: number | bigint;
  /** n x 32 bytes, n >= 0. */
  fields: Uint8Array;
}

/**
 * Packed tiles of recent states, and sibling paths through them. A path is made in three steps without another
 * one in between: open, put of each missing tile, close.
 */
export interface TileCache {
  /**
   * Opens the path of a leaf in the tree of a state, whose tiles are empty from level `levels` on. Returns the levels whose tile
   * has to be put, a bit each. `state` is any number below 2^32 that stands for the trees' content.
   */
  open(state: number, tree: number, position: number, levels: number): number;
  /** Bytes whose record of the path's tile on a level (see packTile) starts at `at`, 0 to 4; undefined for an empty tile. */
  put(level: number, bytes: Uint8Array | undefined, at?: number): void;
  /** Writes the path, height x 32 bytes with the leaf side first, to `out` at `at`. */
  close(height: number, out: Uint8Array, at: number): void;
  /** Prepares texts about a path of `height` levels and its leaf. Throws a RangeError for more than there is room for. */
  template(parts: readonly TextPart[], height: number): TextTemplate;
  /** What the next text says of a leaf: its key, at most 36 bytes, and its row, at most 104. */
  setLeaf(key: Uint8Array, row: Uint8Array): void;
  /** In place of `close`: a text about the path and the leaf. Valid until the next call of any method. */
  closeText(template: TextTemplate): Uint8Array;
}

/**
 * Part of a text: ASCII letters as they are; the hex digits of a 32-byte word or the decimal digits of a position (6 bytes), which
 * start at byte `at` of a leaf's key or row; or the base64 form of the path's height (u32, big-endian) and its words.
 */
export type TextPart = string | { as: "word" | "position"; of: "key" | "row"; at: number } | { as: "path" };

/** A text to fill in, of the cache that gave it. */
export interface TextTemplate {
  readonly height: number;
  /** Where its parts stand in the core's memory, and how many they are. */
  readonly at: number;
  readonly count: number;
}

/** Arithmetic mod p on words. Operands that are not below p are reduced first. */
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
}

/** Input of linkLeaves. All keys are non-zero and absent from the tree; `n` keys in any order. */
export interface LinkBatch {
  /** n x 32. */
  keys: Uint8Array;
  /** Position of each key's leaf. */
  positions: number[];
  /** The leaf with the largest smaller key in the tree before the batch, for each key. */
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
