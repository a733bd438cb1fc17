import { bls12_381 } from "@noble/curves/bls12-381.js";
import { readBigUint } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB, FIELDS_PER_BLOB } from "../../protocol/constants.ts";
import type { Commit } from "./kzg-batch.ts";
import type { G1Point, SetupPoints, Term } from "./setup-points.ts";

const { Point } = bls12_381.G1;
const MODULUS = bls12_381.fields.Fr.ORDER;
const INTS_PER_WORD = 8;
/** A sum of more terms takes longer than the library's full computation. */
const MAX_TERMS = 512;
/** Blobs whose commitment others may be computed from. */
const KEPT = 4;

interface Known {
  /** The blob as integers of the machine's byte order, which are compared fastest. */
  ints: Int32Array;
  point: G1Point;
}

const EMPTY: Known = { ints: new Int32Array(FIELDS_PER_BLOB * INTS_PER_WORD), point: Point.ZERO };

/**
 * Computes KZG commitments. They are linear in the words of a blob, so a blob that differs from the empty one or from a
 * recent one in few words needs one multiplication for each of those; any other takes the library's full computation.
 * Blobs of a checkpoint grow block by block, and most stay short.
 */
export class BlobCommitments {
  readonly #points: SetupPoints;
  readonly #full: Commit;
  /** The most recent one is last. */
  #known: Known[] = [];

  constructor(points: SetupPoints, full: Commit) {
    this.#points = points;
    this.#full = full;
  }

  /** Commitment (48 bytes) of a blob. Throws if a word is not below the scalar modulus. */
  commit(blob: Uint8Array): Uint8Array {
    return this.#commit(blob).commitment;
  }

  /** `commit` of a blob that is likely to grow. */
  commitGrowing(blob: Uint8Array): Uint8Array {
    const { ints, commitment, point = Point.fromBytes(commitment) } = this.#commit(blob);
    this.#known = [...this.#known.slice(1 - KEPT), { ints, point }];
    return commitment;
  }

  #commit(blob: Uint8Array): { ints: Int32Array; commitment: Uint8Array; point?: G1Point } {
    if (blob.length !== BYTES_PER_BLOB) throw new RangeError(`a blob of ${blob.length} bytes`);
    // A copy, because views of integers must be aligned.
    const ints = new Int32Array(Uint8Array.from(blob).buffer);
    const [{ base, words }] = [EMPTY, ...this.#known]
      .map((base) => ({ base, words: differingWords(ints, base.ints) }))
      .sort((a, b) => a.words.length - b.words.length);
    if (words.length > MAX_TERMS) return { ints, commitment: this.#full(blob) };
    const point = base.point.add(this.#points.sum(words.map((index) => changeOf(index, blob, base.ints))));
    return { ints, commitment: point.toBytes(true), point };
  }
}

/** Indexes of the words in which two blobs differ; the search ends at one more than MAX_TERMS. */
function differingWords(a: Int32Array, b: Int32Array): number[] {
  const words: number[] = [];
  for (let i = 0; i < FIELDS_PER_BLOB && words.length <= MAX_TERMS; i++) {
    const end = (i + 1) * INTS_PER_WORD;
    let at = end - INTS_PER_WORD;
    while (at < end && a[at] === b[at]) at++;
    if (at < end) words.push(i);
  }
  return words;
}

/** What makes a word of `base` that of the blob. */
function changeOf(index: number, blob: Uint8Array, base: Int32Array): Term {
  const word = readBigUint(blob, index * 32, 32);
  if (word >= MODULUS) throw new RangeError(`word ${index} of a blob is not below the scalar modulus`);
  const before = readBigUint(new Uint8Array(base.buffer), index * 32, 32);
  return { index, factor: word >= before ? word - before : word - before + MODULUS };
}
