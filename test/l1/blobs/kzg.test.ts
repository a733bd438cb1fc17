import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { versionedHashOf } from "../../../src/l1/blobs/blob-offer.ts";
import { KzgUnavailableError } from "../../../src/l1/blobs/errors.ts";
import { Kzg, RecentCommitments } from "../../../src/l1/blobs/kzg.ts";
import { allMatch, type Commit, checkBlobs } from "../../../src/l1/blobs/kzg-batch.ts";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../../src/protocol/bytes.ts";
import { blobsHash } from "../../../src/protocol/sha-trees.ts";
import { l1Vectors, paddedBlob } from "../../world/l1/vectors.ts";

const { twoBlobs } = l1Vectors.blobs;

/** The integers 1 to 5000, 4096 to a blob. */
function countingBlobs(): Uint8Array[] {
  const words = new Uint8Array(2 * 131072);
  for (let i = 0; i < 5000; i++) words.set(bigUintBytes(BigInt(i + 1), 32), i * 32);
  return [words.subarray(0, 131072), words.subarray(131072)];
}

const BLS_SCALAR_MODULUS = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

let context: DasContextJs;
beforeAll(() => {
  context = DasContextJs.create({ usePrecomp: false });
});

describe("commitments of blobs", () => {
  const commit: Commit = (blob) => context.blobToKzgCommitment(blob);
  const blobs = countingBlobs();
  const commitments = twoBlobs.commitments.map(fromHex);

  test("KZG commitments of blobs are those of the vectors, and hash to versioned hashes and blobsHash", () => {
    expect(blobs.map((blob) => toHex(commit(blob)))).toEqual(twoBlobs.commitments);
    const hashes = commitments.map(versionedHashOf);
    expect(hashes.map(toHex)).toEqual(twoBlobs.versionedHashes);
    expect(toHex(blobsHash(hashes))).toBe(twoBlobs.blobsHash);
    expect(toHex(concat(Uint8Array.of(2), ...commitments))).toBe(twoBlobs.blobInput);
  });

  test("KZG commitments of blobs on L1 match, together and alone", () => {
    const all = [...l1Vectors.live.checkpoints, ...l1Vectors.scenario.checkpoints].flatMap((c) => c.blobs);
    const data = all.map((b) => paddedBlob(b.dataTrimmed));
    expect(
      allMatch(
        commit,
        data,
        all.map((b) => fromHex(b.commitment)),
      ),
    ).toBe(true);
    expect(all.map((b) => toHex(versionedHashOf(fromHex(b.commitment))))).toEqual(all.map((b) => b.versionedHash));
  });

  test("a batch of blobs is refused if one word of one blob differs, and that blob is named", () => {
    const wrong = blobs[0].slice();
    wrong[131071] ^= 1;
    expect(allMatch(commit, [wrong, blobs[1]], commitments)).toBe(false);
    expect(checkBlobs(commit, [wrong, blobs[1]], commitments)).toEqual([false, true]);
    expect(checkBlobs(commit, [blobs[0], wrong], commitments)).toEqual([true, false]);
    expect(checkBlobs(commit, blobs, commitments.toReversed())).toEqual([false, false]);
  });

  test("adding the modulus to a word of a blob gives a different blob", () => {
    const shifted = blobs[0].slice();
    shifted.set(bigUintBytes(readBigUint(shifted, 64, 32) + BLS_SCALAR_MODULUS, 32), 64);
    expect(checkBlobs(commit, [shifted, blobs[1]], commitments)).toEqual([false, true]);
  });

  test("commitments that are not curve points match no blob", () => {
    const zeros = new Uint8Array(48);
    const infinity = concat(Uint8Array.of(0xc0), new Uint8Array(47));
    expect(checkBlobs(commit, blobs, [zeros, commitments[1]])).toEqual([false, true]);
    expect(checkBlobs(commit, [new Uint8Array(131072), blobs[1]], [infinity, commitments[1]])).toEqual([true, true]);
    expect(checkBlobs(commit, blobs, [infinity, commitments[1]])).toEqual([false, true]);
  });
});

describe("the KZG worker", () => {
  const kzg = new Kzg();
  afterAll(() => kzg.close());
  const blobs = countingBlobs();
  const commitments = twoBlobs.commitments.map(fromHex);

  test("the KZG worker answers each of many callers for its own blobs", async () => {
    const wrong = blobs[1].slice();
    wrong[0] ^= 1;
    const answers = await Promise.all([
      kzg.verifyBlobs(blobs, commitments),
      kzg.verifyBlobs([blobs[1]], [commitments[1]]),
      kzg.verifyBlobs([wrong, blobs[0]], [commitments[1], commitments[0]]),
      kzg.verifyBlobs([], []),
      kzg.verifyBlobs([blobs[0].subarray(1), blobs[1]], commitments),
    ]);
    expect(answers).toEqual([[true, true], [true], [false, true], [], [false, true]]);
    expect(toHex(await kzg.commitment(blobs[0]))).toBe(twoBlobs.commitments[0]);
  });

  test("the KZG worker commits to a blob once, whoever asks for its commitment, its proof or a check", async () => {
    const first = kzg.commitment(blobs[0]);
    expect(kzg.commitment(blobs[0].slice())).toBe(first);
    const [check, wrong, proof] = await Promise.all([
      kzg.verifyBlobs([blobs[0], blobs[1]], commitments),
      kzg.verifyBlobs([blobs[0]], [commitments[1]]),
      kzg.prove(blobs[0], false),
    ]);
    expect([check, wrong]).toEqual([[true, true], [false]]);
    expect(toHex(proof.commitment)).toBe(twoBlobs.commitments[0]);
    expect(proof.proofs.map(toHex)).toEqual([toHex(context.computeBlobKzgProof(blobs[0], commitments[0]))]);
    expect(kzg.commitment(blobs[0])).toBe(first);
  });

  test("the sixteen blobs used last are remembered, and those whose commitment failed are not", async () => {
    const recent = new RecentCommitments();
    const blob = (i: number) => Uint8Array.of(i);
    for (let i = 0; i < 16; i++) recent.add(blob(i), Promise.resolve(blob(i)));
    expect(await recent.find(blob(0))).toEqual(blob(0));
    recent.add(blob(16), Promise.reject(new Error("no worker")));
    expect([0, 1, 2].map((i) => recent.find(blob(i)) !== undefined)).toEqual([true, false, true]);
    await expect(recent.find(blob(16))).rejects.toThrow("no worker");
    expect(recent.find(blob(16))).toBeUndefined();
  });

  test("a closed KZG worker refuses requests", async () => {
    const closed = new Kzg();
    await closed.close();
    await expect(closed.verifyBlobs(blobs, commitments)).rejects.toThrow(KzgUnavailableError);
  });

  test("closing the KZG worker fails the requests under way", async () => {
    const closing = new Kzg();
    const [asked] = await Promise.allSettled([closing.verifyBlobs(blobs, commitments), closing.close()]);
    expect(asked).toMatchObject({ status: "rejected", reason: { name: "KzgUnavailableError" } });
  });
});
