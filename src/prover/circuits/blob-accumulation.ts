import { bls12_381 } from "@noble/curves/bls12-381.js";
import type { Core } from "../../core/core.ts";
import { evaluateBlob } from "../../l1/blobs/blob-evaluation.ts";
import { bigUintBytes, concat, isZero, readBigUint } from "../../protocol/bytes.ts";
import { type Fr, fr } from "../../protocol/field.ts";
import { type HashingRules, hashAfter } from "../../protocol/generations/hashing.ts";
import { shaField } from "../../protocol/sha-field.ts";
import { commitmentFields, pointCoordinates, pointFromCoordinates } from "./layouts/bls-point.ts";
import type { BlobAccumulator, FinalBlobChallenges } from "./layouts/rollups.ts";

const { Fr: Scalars } = bls12_381.fields;

const LIMB_BITS = 120n;
const LIMB_MASK = (1n << LIMB_BITS) - 1n;

export interface CommittedBlob {
  /** Words of the blob, at most 4096. */
  readonly words: Uint8Array;
  /** Coordinates of its commitment; 96 bytes. */
  readonly commitment: Uint8Array;
}

type BlobSeparators = HashingRules["blobs"];

/** A blob's part in the accumulator. */
interface Contribution {
  readonly z: Fr;
  readonly y: bigint;
  readonly gamma: Fr;
  readonly compressed: Uint8Array;
  readonly point: ReturnType<typeof pointFromCoordinates>;
}

/**
 * The accumulator after the blobs of a checkpoint, whose words hash to `wordsHash`
 * (docs/protocol/03-blocks-and-blobs.md#316-batched-opening-of-an-epoch): z and gamma are folded hashes, y and the
 * commitment are sums with powers of the final gamma.
 */
export function accumulateBlobs(
  core: Core,
  separators: BlobSeparators,
  start: BlobAccumulator,
  blobs: readonly CommittedBlob[],
  wordsHash: Fr,
  challenges: FinalBlobChallenges,
): BlobAccumulator {
  const finalZ = readBigUint(challenges.z);
  const gamma = Scalars.create(readBigUint(challenges.gamma));
  return blobs.reduce<BlobAccumulator>((accumulator, blob, i) => {
    const point = pointFromCoordinates(blob.commitment, `hints.blobCommitments[${i}]`);
    const compressed = point.toBytes(true);
    const y = evaluateBlob(blob.words, finalZ);
    const contribution: Contribution = {
      z: blobChallenge(core, separators, wordsHash, compressed),
      y,
      gamma: evaluationHash(core, separators, y),
      compressed,
      point,
    };
    return isZero(accumulator.gammaPower)
      ? firstBlob(contribution, gamma)
      : nextBlob(core, separators, accumulator, contribution, gamma);
  }, start);
}

/** Challenge of one blob from the hash of its checkpoint's words and its compressed commitment. */
export function blobChallenge(core: Core, separators: BlobSeparators, wordsHash: Fr, commitment: Uint8Array): Fr {
  return hashAfter(core, separators.challenge, concat(wordsHash, ...commitmentFields(commitment)));
}

function firstBlob({ z, y, gamma, compressed, point }: Contribution, finalGamma: bigint): BlobAccumulator {
  return {
    blobCommitmentsHash: shaField(compressed),
    z,
    y: bigUintBytes(y, 32),
    c: pointCoordinates(point),
    gamma,
    gammaPower: bigUintBytes(finalGamma, 32),
  };
}

function nextBlob(
  core: Core,
  separators: BlobSeparators,
  before: BlobAccumulator,
  { z, y, gamma, compressed, point }: Contribution,
  finalGamma: bigint,
): BlobAccumulator {
  const power = Scalars.create(readBigUint(before.gammaPower));
  const sum = pointFromCoordinates(before.c, "hints.startAccumulator.c").add(point.multiplyUnsafe(power));
  return {
    blobCommitmentsHash: shaField(before.blobCommitmentsHash, compressed),
    z: hashAfter(core, separators.challenges, concat(before.z, z)),
    y: bigUintBytes(Scalars.add(Scalars.create(readBigUint(before.y)), Scalars.mul(power, y)), 32),
    c: pointCoordinates(sum),
    gamma: hashAfter(core, separators.values, concat(before.gamma, gamma)),
    gammaPower: bigUintBytes(Scalars.mul(power, finalGamma), 32),
  };
}

/** A blob's part of gamma, from the value of its polynomial. */
export function evaluationHash(core: Core, separators: BlobSeparators, y: bigint): Fr {
  return hashAfter(core, separators.value, concat(...scalarLimbs(y)));
}

/** A scalar as three fields of 120 bits, low first. */
export function scalarLimbs(value: bigint): Fr[] {
  return [0n, 1n, 2n].map((i) => fr((value >> (i * LIMB_BITS)) & LIMB_MASK));
}
