import { hashBatch, JOB, storeJob } from "../poseidon2/batch";
import { hashNodes } from "./hash-nodes";
import { zerosOf } from "./node-rule";
import { copyWord, packRecord, presentWords, unpackRecord } from "./records";

/** A row starts with the block since which it is valid, big-endian. */
const SINCE: usize = 4;

/** Fields of a tile and of a version in the input of hashTileVersions. */
const TILE: usize = 8;
const VERSION: usize = 16;

/** Adds the ancestors of every node of a heap, the root's bit included. */
function withAncestors(nodes: u64, height: u32): u64 {
  for (let node: u64 = (2 << height) - 1; node > 1; node--) nodes |= ((nodes >> node) & 1) << (node >> 1);
  return nodes;
}

/**
 * Hashes tiles of one tile level through consecutive blocks: version v of a tile is the version before it with the
 * nodes that one block changed. Every hash of a tree level, of whatever tile and block, depends only on the levels
 * below, so all of them are one batch.
 *
 *   input     tiles     tileCount x (row bytes u32, versions u32)
 *             versions  versionCount x (block, changed bottom nodes, which of those are preimages, 1 to keep the
 *                       version before whole: u32 each), in order of their tiles
 *             nodes     for each version, in order of its changed bottom nodes: 32, or a preimage of arity x 32
 *             rows      for each tile its stored row (src/world-state/tables/tables.ts), or nothing
 *   slots     (tileCount + versionCount) x 2^(height+1) x 32, scratch
 *   changed   versionCount x u64, scratch | jobs versionCount x 2^height x 8, scratch
 *   -> roots  versionCount x 32
 *   -> rows   for each tile: for each of its versions the history row of the version before, empty for a tile that
 *             did not exist; then the row of the last version
 *   -> ends   (tileCount + versionCount) x u32: where each of these rows ends
 *
 * @returns the number of tiles, or the number of the first tile whose row is damaged.
 */
export function hashTileVersions(
  input: usize,
  tileCount: u32,
  versionCount: u32,
  height: u32,
  baseLevel: u32,
  arity: u32,
  slots: usize,
  changed: usize,
  jobs: usize,
  ends: usize,
  roots: usize,
  rows: usize,
  rule: usize,
): u32 {
  const slotBytes: usize = 64 << height;
  const versions = input + <usize>tileCount * TILE;
  const afterNodes = placeNodes(input, tileCount, versions, versions + <usize>versionCount * VERSION, height, arity, slots, changed, jobs);
  let row = afterNodes;
  let slot = slots;
  for (let t: usize = 0; t < tileCount; t++) {
    const tile = input + t * TILE;
    const bytes: usize = load<u32>(tile);
    const skip: usize = bytes == 0 ? 0 : SINCE;
    if (bytes - skip > bytes || !unpackRecord(slot, row + skip, bytes - skip, height, baseLevel, zerosOf(rule))) return <u32>t;
    row += bytes;
    slot += (1 + <usize>load<u32>(tile, 4)) * slotBytes;
  }
  for (let depth = height; ; depth--) {
    inherit(input, tileCount, changed, slots, slotBytes, depth);
    if (depth == 0) break;
    hashAbove(input, tileCount, changed, slots, slotBytes, depth, jobs, rule);
  }
  pack(input, tileCount, versions, afterNodes, changed, slots, height, baseLevel, ends, roots, rows, zerosOf(rule));
  return tileCount;
}

/** Copies or hashes the changed bottom nodes into the versions' slots and returns the end of the nodes. */
function placeNodes(
  tiles: usize,
  tileCount: u32,
  version: usize,
  node: usize,
  height: u32,
  arity: u32,
  slot: usize,
  changed: usize,
  jobs: usize,
): usize {
  const slotBytes: usize = 64 << height;
  let end = jobs;
  for (const last = tiles + <usize>tileCount * TILE; tiles < last; tiles += TILE) {
    slot += slotBytes;
    for (let v: u32 = 0; v < load<u32>(tiles, 4); v++, version += VERSION, changed += 8, slot += slotBytes) {
      const dirty = load<u32>(version, 4);
      const preimages = load<u32>(version, 8);
      store<u64>(changed, withAncestors(<u64>dirty << (1 << height), height));
      for (let left = dirty; left != 0; left &= left - 1) {
        const bottom = ctz(left);
        const place = slot + ((<usize>bottom + (1 << height)) << 5);
        if (((preimages >> bottom) & 1) != 0) {
          storeJob(end, node, place);
          end += JOB;
          node += arity << 5;
        } else {
          copyWord(place, node);
          node += 32;
        }
      }
    }
  }
  hashBatch(jobs, <u32>((end - jobs) / JOB), arity);
  return node;
}

/** Copies to every version the unchanged nodes of one depth from the version before. */
function inherit(tiles: usize, tileCount: u32, changed: usize, slot: usize, slotBytes: usize, depth: u32): void {
  const first: u64 = 1 << depth;
  for (const last = tiles + <usize>tileCount * TILE; tiles < last; tiles += TILE) {
    for (let v: u32 = 0; v < load<u32>(tiles, 4); v++, changed += 8) {
      const before = slot;
      slot += slotBytes;
      const own = load<u64>(changed);
      for (let node = first; node < 2 * first; node++) {
        if (((own >> node) & 1) == 0) copyWord(slot + (<usize>node << 5), before + (<usize>node << 5));
      }
    }
    slot += slotBytes;
  }
}

/** Hashes the changed nodes directly above `depth`. */
function hashAbove(
  tiles: usize,
  tileCount: u32,
  changed: usize,
  slot: usize,
  slotBytes: usize,
  depth: u32,
  jobs: usize,
  rule: usize,
): void {
  const first: u64 = 1 << (depth - 1);
  const row: u64 = (((<u64>1) << first) - 1) << first;
  let end = jobs;
  for (const last = tiles + <usize>tileCount * TILE; tiles < last; tiles += TILE) {
    for (let v: u32 = 0; v < load<u32>(tiles, 4); v++, changed += 8) {
      slot += slotBytes;
      for (let left = load<u64>(changed) & row; left != 0; left &= left - 1) {
        const node: usize = <usize>ctz(left);
        storeJob(end, slot + (node << 6), slot + (node << 5));
        end += JOB;
      }
    }
    slot += slotBytes;
  }
  hashNodes(jobs, <u32>((end - jobs) / JOB), rule);
}

function pack(
  tiles: usize,
  tileCount: u32,
  version: usize,
  row: usize,
  changed: usize,
  slot: usize,
  height: u32,
  baseLevel: u32,
  ends: usize,
  roots: usize,
  rows: usize,
  zeros: usize,
): void {
  const slotBytes: usize = 64 << height;
  let end = rows;
  for (const last = tiles + <usize>tileCount * TILE; tiles < last; tiles += TILE) {
    const bytes: usize = load<u32>(tiles);
    let exists = bytes != 0;
    let since: u32 = exists ? load<u32>(row) : 0;
    row += bytes;
    for (let v: u32 = 0; v < load<u32>(tiles, 4); v++, version += VERSION, changed += 8) {
      if (exists) {
        store<u32>(end, since);
        end = packHistory(end + SINCE, slot, height, baseLevel, load<u64>(changed), load<u32>(version, 12) != 0, zeros);
      }
      store<u32>(ends, <u32>(end - rows));
      ends += 4;
      slot += slotBytes;
      copyWord(roots, slot + 32);
      roots += 32;
      since = bswap(load<u32>(version));
      exists = true;
    }
    store<u32>(end, since);
    end = packRecord(end + SINCE, slot, height, presentWords(slot, height, baseLevel, zeros), false);
    store<u32>(ends, <u32>(end - rows));
    ends += 4;
    slot += slotBytes;
  }
}

/** Packs a version that ended: whole if requested or hardly longer, otherwise only what the next version replaced. */
function packHistory(record: usize, tile: usize, height: u32, baseLevel: u32, changed: u64, whole: bool, zeros: usize): usize {
  const present = presentWords(tile, height, baseLevel, zeros);
  const replaced = changed & ~3;
  const partial = !whole && popcnt(replaced) * 4 < popcnt(present) * 3;
  return packRecord(record, tile, height, partial ? replaced : present, partial);
}
