import { hashTwo } from "../lanes/sponge";
import { lanesAreExact } from "../lanes/start";
import { hashWords } from "./sponge";

/** A hash to compute: where its words start and where its result goes. */
export const JOB: usize = 8;

export function storeJob(job: usize, words: usize, out: usize): void {
  store<u32>(job, <u32>words);
  store<u32>(job, <u32>out, 4);
}

/**
 * Independent hashes of `arity` >= 1 words each, side by side in vector lanes where they are exact.
 *
 *   jobs count x (words u32, out u32)       no result may lie in the words of another job
 */
export function hashBatch(jobs: usize, count: u32, arity: u32): void {
  let end = jobs + <usize>count * JOB;
  if (lanesAreExact()) {
    for (; jobs + JOB < end; jobs += 2 * JOB) {
      hashTwo(load<u32>(jobs, 4), load<u32>(jobs, 12), load<u32>(jobs), load<u32>(jobs, 8), arity);
    }
  }
  for (; jobs < end; jobs += JOB) hashWords(load<u32>(jobs, 4), load<u32>(jobs), arity);
}
