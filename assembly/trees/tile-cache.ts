import { writeBase64 } from "../text/base64";
import { fillTemplate } from "../text/template";
import { siblingPath } from "./sibling-path";
import { zeroHash } from "./records";

/**
 * Packed tiles of recent states, in sets of four. A tag names a tile and the state that it belongs to; of a full set
 * the tile goes that was used longest ago, a leaf tile sixteen times sooner than one above. A leaf tile takes no place
 * from one above that was used lately. One path is open at a time; a tile is not kept that finds no place, whose set
 * the path fills by itself, or that is not worth it.
 *
 *   sets u32 | clock u32 | state u32 | tree u32 | position f64 | levels u32
 *   height and levels of the path's empty part 2 x u32 | zero hashes of the path and of its empty part 2 x u32 pointer
 *   pad to 64
 *   records of the open path 16 x u32 pointer | entry of its leaf 140 | height u32, big-endian | its words 48 x 32
 *   base64 form of the path's empty part 2048 | tiles not kept 11 x 1024
 *   tags sets x 4 x (tile u64 | state u32 | last use u32) | tiles sets x 4 x (any 4 bytes | record 1020)
 */
const LEVELS: usize = 24;
const EMPTY_HEIGHT: usize = 28;
const EMPTY_LEVELS: usize = 32;
const ZEROS: usize = 36;
const EMPTY_ZEROS: usize = 40;
const RECORDS: usize = 64;
const ENTRY: usize = 128;
const HEIGHT: usize = 268;
const PATH: usize = 272;
const EMPTY_TEXT: usize = 1808;
const NOT_KEPT: usize = 3856;
const SLOT: usize = 1024;
const RECORD: usize = 4;
/** After this many paths without use, any tile may replace a tile. */
const STALE: u32 = 1 << 16;
const TAGS: usize = NOT_KEPT + 11 * SLOT;
const SET_TAGS: usize = 64;
const TILE_HEIGHT: u32 = 4;

@inline
function tileName(cache: usize, level: u32): u64 {
  const index = <u64>load<f64>(cache, 16) >> <u64>((level + 1) * TILE_HEIGHT);
  return (<u64>load<u32>(cache, 12) << 56) | (<u64>(level + 1) << 48) | index;
}

/** Tags of the set for a tile of the open path. */
@inline
function tagsOf(cache: usize, tile: u64): usize {
  const name = tile ^ (<u64>load<u32>(cache, 8) << 32);
  // A product spreads bits upwards only, and a tile's level is above its index.
  const mixed = (name ^ (name >> 29)) * 0x9e3779b97f4a7c15;
  return cache + TAGS + SET_TAGS * (<usize>(mixed >> 40) & (load<u32>(cache) - 1));
}

/** Address of the tile of a tag. */
@inline
function slotOf(cache: usize, tag: usize): usize {
  const tags = cache + TAGS;
  return tags + <usize>load<u32>(cache) * SET_TAGS + ((tag - tags) >> 4) * SLOT;
}

/** Size in bytes of a cache of `sets` sets. */
export function tileCacheBytes(sets: u32): u32 {
  return <u32>TAGS + sets * <u32>(SET_TAGS + 4 * SLOT);
}

/** `sets` is a power of two up to 2^20. The memory must be zero, which is not a valid tag. */
export function startTileCache(cache: usize, sets: u32): void {
  store<u32>(cache, sets);
}

/**
 * Opens the path of a leaf, whose tiles are empty from level `levels` on. `zeros` are the zero hashes of its tree.
 *
 * @returns the levels whose tile is missing, a bit each: claimTile gives each a place before closePath.
 */
export function openPath(cache: usize, state: u32, tree: u32, position: f64, levels: u32, zeros: usize): u32 {
  const clock = load<u32>(cache, 4) + 1;
  store<u32>(cache, clock, 4);
  store<u32>(cache, state, 8);
  store<u32>(cache, tree, 12);
  store<f64>(cache, position, 16);
  store<u32>(cache, levels, LEVELS);
  store<u32>(cache, <u32>zeros, ZEROS);
  memory.fill(cache + RECORDS, 0, 64);
  let missing: u32 = 0;
  for (let level: u32 = 0; level < levels; level++) {
    const tile = tileName(cache, level);
    let tag = tagsOf(cache, tile);
    const end = tag + SET_TAGS;
    while (tag < end && (load<u64>(tag) != tile || load<u32>(tag, 8) != state)) tag += 16;
    if (tag == end) {
      missing |= 1 << level;
    } else {
      store<u32>(tag, clock, 12);
      store<u32>(cache + RECORDS + (level << 2), <u32>(slotOf(cache, tag) + RECORD));
    }
  }
  return missing;
}

/** Tag of the slot in a set that a tile may use, 0 for none. */
function placeIn(tags: usize, clock: u32, isLeaf: bool): usize {
  let place: usize = 0;
  let oldest: u32 = 0;
  for (let tag = tags; tag < tags + SET_TAGS; tag += 16) {
    const tile = load<u64>(tag);
    if (tile == 0) return tag;
    const unused = clock - load<u32>(tag, 12);
    const isUpper = ((tile >> 48) & 255) > 1;
    if (unused == 0 || (isLeaf && isUpper && unused < STALE)) continue;
    const age = isUpper ? unused >> 4 : unused;
    if (place == 0 || age > oldest) {
      place = tag;
      oldest = age;
    }
  }
  return place;
}

/**
 * @returns where four bytes of anything and the record of the open path's tile of a level have to be written, 1024
 * bytes at most. The tile is kept for later paths if there is a place for it and `keep` is set.
 */
export function claimTile(cache: usize, level: u32, keep: bool): usize {
  const clock = load<u32>(cache, 4);
  const tile = tileName(cache, level);
  const place = keep ? placeIn(tagsOf(cache, tile), clock, level == 0) : 0;
  let slot = cache + NOT_KEPT + <usize>level * SLOT;
  if (place != 0) {
    store<u64>(place, tile);
    store<u32>(place, load<u32>(cache, 8), 8);
    store<u32>(place, clock, 12);
    slot = slotOf(cache, place);
  }
  store<u32>(cache + RECORDS + (level << 2), <u32>(slot + RECORD));
  return slot;
}

/** Offset of the open path's empty part in the base64 form of height and words: a group boundary. */
@inline
function emptyFrom(filled: u32): usize {
  return (<usize>(4 + (filled << 5)) + 2) / 3 * 3;
}

/**
 * Stores the zero hashes above the open path's tiles after its first `filled` words, unless they are there from the
 * previous path.
 */
function fillEmptyPart(cache: usize, height: u32, filled: u32): void {
  const zeros = load<u32>(cache, ZEROS);
  if (
    load<u32>(cache, EMPTY_HEIGHT) == height &&
    load<u32>(cache, EMPTY_LEVELS) == filled &&
    load<u32>(cache, EMPTY_ZEROS) == zeros
  ) {
    return;
  }
  for (let level = filled; level < height; level++) {
    memory.copy(cache + PATH + (<usize>level << 5), zeroHash(zeros, level), 32);
  }
  const from = emptyFrom(filled);
  const bytes: usize = 4 + (<usize>height << 5);
  if (from < bytes) writeBase64(cache + EMPTY_TEXT, cache + HEIGHT + from, bytes - from);
  store<u32>(cache, height, EMPTY_HEIGHT);
  store<u32>(cache, filled, EMPTY_LEVELS);
  store<u32>(cache, zeros, EMPTY_ZEROS);
}

/** Computes the words of the open path, height x 32, and returns how many of them come from tiles. */
function makePath(cache: usize, height: u32): u32 {
  const filled = min(height, load<u32>(cache, LEVELS) * TILE_HEIGHT);
  siblingPath(cache + PATH, cache + RECORDS, load<f64>(cache, 16), filled, TILE_HEIGHT, load<u32>(cache, ZEROS));
  fillEmptyPart(cache, height, filled);
  return filled;
}

/** @returns the words of the open path, height x 32. */
export function closePath(cache: usize, height: u32): usize {
  makePath(cache, height);
  return cache + PATH;
}

/** @returns where the entry of the open path's leaf has to be written before closeText. */
export function leafEntry(cache: usize): usize {
  return cache + ENTRY;
}

/**
 * Writes a text (see fillTemplate) about the open path; its source is the leaf's entry, and 140 bytes behind that the
 * height and the words.
 *
 * @returns the text's end.
 */
export function closeText(cache: usize, height: u32, out: usize, template: usize, count: u32): usize {
  store<u32>(cache + HEIGHT, bswap(height));
  const from = emptyFrom(makePath(cache, height));
  const bytes: usize = 4 + (<usize>height << 5);
  return fillTemplate(out, template, count, cache + ENTRY, bytes > from ? bytes - from : 0, cache + EMPTY_TEXT);
}
