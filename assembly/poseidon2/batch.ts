import { hashEachIntegers, hashTwoIntegers } from "../lanes/integers/sponge";
import { hashEachLanes, hashTwo } from "../lanes/sponge";
import { chosenBuild, FUSED_LANES, INTEGER_LANES } from "./build";
import { hashWords } from "./sponge";
import { resultOf, SPONGE_JOB, wordsLeft, wordsOf } from "./sponge-jobs";

/** A hash to compute: address of its words, address of its result. */
export const JOB: usize = 8;

export function storeJob(job: usize, words: usize, out: usize): void {
  store<u32>(job, <u32>words);
  store<u32>(job, <u32>out, 4);
}

/**
 * Independent hashes of `arity` >= 1 words each, two at a time where the lanes are used.
 *
 *   jobs count x (words u32, out u32)       no result may lie in the words of another job
 */
export function hashBatch(jobs: usize, count: u32, arity: u32): void {
  let end = jobs + <usize>count * JOB;
  const build = chosenBuild();
  if (build == FUSED_LANES) {
    for (; jobs + JOB < end; jobs += 2 * JOB) {
      hashTwo(load<u32>(jobs, 4), load<u32>(jobs, 12), load<u32>(jobs), load<u32>(jobs, 8), arity);
    }
  } else if (build == INTEGER_LANES) {
    for (; jobs + JOB < end; jobs += 2 * JOB) {
      hashTwoIntegers(load<u32>(jobs, 4), load<u32>(jobs, 12), load<u32>(jobs), load<u32>(jobs, 8), arity);
    }
  }
  for (; jobs < end; jobs += JOB) hashWords(load<u32>(jobs, 4), load<u32>(jobs), arity);
}

/**
 * Independent hashes of any numbers of words, two at a time where the lanes are used. What comes first should be
 * longest.
 *
 *   jobs count x SPONGE_JOB, overwritten       no result may lie in the words of another job
 */
export function hashEachOf(jobs: usize, count: u32): void {
  const build = chosenBuild();
  if (build == FUSED_LANES) hashEachLanes(jobs, count);
  else if (build == INTEGER_LANES) hashEachIntegers(jobs, count);
  else {
    const end = jobs + <usize>count * SPONGE_JOB;
    for (; jobs < end; jobs += SPONGE_JOB) hashWords(resultOf(jobs), wordsOf(jobs), wordsLeft(jobs));
  }
}
