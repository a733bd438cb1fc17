import { JOB, storeJob } from "../poseidon2/batch";
import { hashNodes } from "./hash-nodes";

/** Bit k is set when bit 2k or 2k + 1 is. */
function parents(dirty: u32, width: u32): u32 {
  let result: u32 = 0;
  for (let k: u32 = 0; k < width; k++) result |= u32(((dirty >> (2 * k)) & 3) != 0) << k;
  return result;
}

/**
 * Recomputes the ancestors of dirty bottom nodes, level by level over all tiles. The children of a node are next to
 * each other in heap order, so they are a pair of words to hash as they stand.
 *
 *   tiles count x 2^(height+1) x 32, heap order, in place | dirty count x u32, used up
 *   jobs count x 2^(height-1) x 8, scratch
 */
export function rehashTiles(tiles: usize, dirty: usize, count: u32, height: u32, jobs: usize, rule: usize): void {
  const tileBytes: usize = 64 << height;
  for (let level = height; level > 0; level--) {
    const width: u32 = 1 << (level - 1);
    let end = jobs;
    for (let t: usize = 0; t < count; t++) {
      const tile = tiles + t * tileBytes;
      const touched = parents(load<u32>(dirty + (t << 2)), width);
      store<u32>(dirty + (t << 2), touched);
      for (let left = touched; left != 0; left &= left - 1) {
        const node: usize = width + ctz(left);
        storeJob(end, tile + (node << 6), tile + (node << 5));
        end += JOB;
      }
    }
    hashNodes(jobs, <u32>((end - jobs) / JOB), rule);
  }
}
