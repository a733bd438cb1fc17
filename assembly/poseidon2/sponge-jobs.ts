/** A hash of words that are being absorbed: where the rest of them starts, how many are left, where its result goes. */
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

/** Takes the next words of a job, up to three, and returns how many. They still stand below wordsOf. */
export function takeBlock(job: usize): u32 {
  const count = min<u32>(3, wordsLeft(job));
  storeSpongeJob(job, wordsOf(job) + (<usize>count << 5), wordsLeft(job) - count, resultOf(job));
  return count;
}
