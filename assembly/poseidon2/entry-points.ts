import { hashBatch, hashEachOf, JOB, storeJob } from "./batch";
import { bytesToWords, chunkCount } from "./byte-chunks";
import { hashWords } from "./sponge";
import { SPONGE_JOB, storeSpongeJob } from "./sponge-jobs";

/**
 * HB (docs/protocol/01-fields-and-hashing.md#19-hash-of-bytes).
 *
 *   bytes length | words chunkCount(length) x 32, scratch -> out 32
 */
export function hashBytes(out: usize, bytes: usize, length: u32, words: usize): void {
  bytesToWords(words, bytes, length);
  hashWords(out, words, chunkCount(length));
}

/**
 * Independent hashes of `arity` words each.
 *
 *   words count x arity x 32 | jobs count x 8, scratch -> out count x 32
 */
export function hashMany(out: usize, words: usize, arity: u32, count: u32, jobs: usize): void {
  for (let i: usize = 0; i < count; i++) storeJob(jobs + i * JOB, words + ((i * arity) << 5), out + (i << 5));
  hashBatch(jobs, count, arity);
}

/**
 * Independent hashes of runs of words that stand one after the other. What comes first should be longest.
 *
 *   words | counts n x u32, of each run | jobs n x 12, scratch -> out n x 32
 */
export function hashEach(out: usize, words: usize, counts: usize, n: u32, jobs: usize): void {
  for (let i: usize = 0; i < n; i++) {
    const count = load<u32>(counts + (i << 2));
    storeSpongeJob(jobs + i * SPONGE_JOB, words, count, out + (i << 5));
    words += <usize>count << 5;
  }
  hashEachOf(jobs, n);
}
