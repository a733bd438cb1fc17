import { hashBatch, JOB, storeJob } from "./batch";
import { bytesToWords, chunkCount } from "./byte-chunks";
import { hashWords } from "./sponge";

/**
 * HB (sheet 01 section 2.4).
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
