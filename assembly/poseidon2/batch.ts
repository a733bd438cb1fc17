import { hashWords } from "./sponge";

/** A hash to compute: where its words start and where its result goes. */
export const JOB: usize = 8;

export function storeJob(job: usize, words: usize, out: usize): void {
  store<u32>(job, <u32>words);
  store<u32>(job, <u32>out, 4);
}

/**
 * Independent hashes of `arity` words each. The one place where several hashes may run side by side: a build with vector lanes
 * replaces this function and nothing else.
 *
 *   jobs count x (words u32, out u32)       no result may lie in the words of another job
 */
export function hashBatch(jobs: usize, count: u32, arity: u32): void {
  for (let end = jobs + <usize>count * JOB; jobs < end; jobs += JOB) {
    hashWords(load<u32>(jobs, 4), load<u32>(jobs), arity);
  }
}
