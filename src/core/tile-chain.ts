import { word } from "../protocol/bytes.ts";
import type { Core } from "./core.ts";
import type { HashedTiles, TileJob } from "./tile-job.ts";

/** Jobs for consecutive tile levels of the same subtrees: the roots of one job are bottom nodes of the next. */
export interface TileChain {
  jobs: TileJob[];
  /** For each job except the last: where its roots go in the next job's input. */
  rootsTo: Uint32Array<ArrayBuffer>[];
}

/** Runs the jobs in order, passing each one's roots to the next. */
export function hashChain(core: Core, { jobs, rootsTo }: TileChain): HashedTiles[] {
  return jobs.map((job, j) => {
    const hashed = core.merkle(job.separator).hashTiles(job);
    if (j + 1 < jobs.length) {
      const { input } = jobs[j + 1];
      for (const [i, at] of rootsTo[j].entries()) input.set(word(hashed.roots, i), at);
    }
    return hashed;
  });
}
