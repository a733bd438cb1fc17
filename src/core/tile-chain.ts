import { word } from "../protocol/bytes.ts";
import type { Core } from "./core.ts";
import type { HashedTiles, TileJob } from "./tile-job.ts";

/** Jobs of consecutive tile levels over the same subtrees: the roots of one are nodes of the next. */
export interface TileChain {
  jobs: TileJob[];
  /** For each job but the last: where in the next one's input its roots go. */
  rootsTo: Uint32Array<ArrayBuffer>[];
}

/** Runs the jobs one after the other, each with the roots of the one before. */
export function hashChain(core: Core, { jobs, rootsTo }: TileChain): HashedTiles[] {
  return jobs.map((job, j) => {
    const hashed = core.hashTiles(job);
    if (j + 1 < jobs.length) {
      const { input } = jobs[j + 1];
      for (const [i, at] of rootsTo[j].entries()) input.set(word(hashed.roots, i), at);
    }
    return hashed;
  });
}
