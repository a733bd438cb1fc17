/** A hash in progress: address of the remaining words, their number, address of the result. */
export const SPONGE_JOB: usize = 12;

export function storeSpongeJob(job: usize, words: usize, count: u32, out: usize): void {
  store<u32>(job, <u32>words);
  store<u32>(job, count, 4);
  store<u32>(job, <u32>out, 8);
}

@inline
export function wordsLeft(job: usize): u32 {
  return load<u32>(job, 4);
}

@inline
export function wordsOf(job: usize): usize {
  return load<u32>(job);
}

@inline
export function resultOf(job: usize): usize {
  return load<u32>(job, 8);
}

/** Takes up to three words from a job and returns their number. They remain stored before wordsOf. */
export function takeBlock(job: usize): u32 {
  const count = min<u32>(3, wordsLeft(job));
  storeSpongeJob(job, wordsOf(job) + (<usize>count << 5), wordsLeft(job) - count, resultOf(job));
  return count;
}
