import type { Core } from "../../src/core/core.ts";
import type { TileJob } from "../../src/core/tile-job.ts";
import type { TileHasher } from "../../src/world-state/tree-batch.ts";
import { withOverrides } from "./with-overrides.ts";

/** Bytes of a tile and of a version at the start of a job's input (assembly/trees/tile-versions.ts). */
const TILE_FIELDS = 2;
const VERSION_FIELDS = 4;

function bits(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}

/**
 * Number of hashes for a job: one for each preimage and each ancestor of a changed node. Preimages must have three
 * words.
 */
function hashesOf({ tileCount, versionCount, height, input }: TileJob): number {
  const fields = new Uint32Array(input.buffer, 0, tileCount * TILE_FIELDS + versionCount * VERSION_FIELDS);
  let count = 0;
  for (let v = 0; v < versionCount; v++) {
    const at = tileCount * TILE_FIELDS + v * VERSION_FIELDS;
    count += bits(fields[at + 2]);
    let row = fields[at + 1];
    for (let depth = height; depth > 0; depth--) {
      let above = 0;
      for (let k = 0; k < 2 ** depth; k += 2) if (((row >>> k) & 3) !== 0) above |= 1 << (k / 2);
      count += bits(above);
      row = above;
    }
  }
  return count;
}

/** A core and a hasher that count the hashes of the tiles that pass through them. */
export class CountedHashes {
  hashes = 0;
  readonly core: Core;
  readonly hasher: TileHasher | undefined;

  constructor(core: Core, hasher: TileHasher | undefined) {
    const count = (job: TileJob) => {
      this.hashes += hashesOf(job);
    };
    this.core = withOverrides(core, {
      merkle: (separator) => {
        const merkle = core.merkle(separator);
        return withOverrides(merkle, {
          hashTiles: (job) => {
            count(job);
            return merkle.hashTiles(job);
          },
        });
      },
    });
    this.hasher = hasher && {
      hashTiles: (chain) => {
        chain.jobs.forEach(count);
        return hasher.hashTiles(chain);
      },
    };
  }
}
