import { setImmediate } from "node:timers/promises";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Core } from "../../core/core.ts";
import { evaluateBlob } from "../../l1/blobs/blob-evaluation.ts";
import { bigUintBytes, concat, readBigUint } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { type HashingRules, hashAfter, type Separator } from "../../protocol/generations/hashing.ts";
import { blobChallenge, type CommittedBlob, evaluationHash } from "../circuits/blob-accumulation.ts";
import { compressPoint } from "../circuits/layouts/bls-point.ts";
import type { FinalBlobChallenges } from "../circuits/layouts/rollups.ts";

const { Fr: Scalars } = bls12_381.fields;

/** The blobs of a checkpoint. */
interface CheckpointBlobs {
  readonly blobs: readonly CommittedBlob[];
  /** Hash of the words of all of them. */
  readonly wordsHash: Uint8Array;
}

/**
 * The point at which an epoch's blobs are opened, and the factor that joins them
 * (docs/protocol/03-blocks-and-blobs.md#316-batched-opening-of-an-epoch). It yields to the event loop after each
 * checkpoint.
 */
export async function finalChallenges(
  core: Core,
  separators: HashingRules["blobs"],
  epoch: readonly CheckpointBlobs[],
): Promise<FinalBlobChallenges> {
  const fold = (separator: Separator, hashes: readonly Uint8Array[]) =>
    hashes.reduce((sum, hash) => hashAfter(core, separator, concat(sum, hash)));
  const challenges = epoch.flatMap(({ blobs, wordsHash }) =>
    blobs.map(({ commitment }) => blobChallenge(core, separators, wordsHash, compressPoint(commitment, "commitment"))),
  );
  const z = fold(separators.challenges, challenges);
  const point = readBigUint(z);
  const evaluations: Uint8Array[] = [];
  for (const { blobs } of epoch) {
    await setImmediate();
    evaluations.push(...blobs.map(({ words }) => evaluationHash(core, separators, evaluateBlob(words, point))));
  }
  return { z, gamma: hashAfter(core, separators.gamma, concat(fold(separators.values, evaluations), z)) };
}

/**
 * The sum of an epoch's blobs with powers of gamma: opening it is opening all of them. It yields to the event loop
 * after each checkpoint.
 */
export async function joinedBlob(epoch: readonly CheckpointBlobs[], gamma: Uint8Array): Promise<Uint8Array> {
  const factor = Scalars.create(readBigUint(gamma));
  const sums: bigint[] = [];
  let power = 1n;
  for (const { blobs } of epoch) {
    await setImmediate();
    for (const { words } of blobs) {
      for (let i = 0; i < words.length / 32; i++) {
        sums[i] = Scalars.add(sums[i] ?? 0n, Scalars.mul(power, readBigUint(words, i * 32, 32)));
      }
      power = Scalars.mul(power, factor);
    }
  }
  const blob = new Uint8Array(BYTES_PER_BLOB);
  for (const [i, sum] of sums.entries()) blob.set(bigUintBytes(sum, 32), i * 32);
  return blob;
}
