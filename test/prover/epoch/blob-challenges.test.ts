import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { commitTo, openBlob } from "../../../src/l1/blobs/blob-opening.ts";
import { SetupPoints } from "../../../src/l1/blobs/setup-points.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT, HEADER_SNAPSHOT_AT } from "../../../src/protocol/block-header.ts";
import { bigUintBytes, fromHex, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { readCheckpointBlobs } from "../../../src/protocol/checkpoint-blob.ts";
import { writeCheckpointBlobs } from "../../../src/protocol/checkpoint-blob-writer.ts";
import type { TreeId } from "../../../src/protocol/constants.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { decompressPoint } from "../../../src/prover/circuits/bls-point.ts";
import { absorb, initialSponge, squeeze } from "../../../src/prover/circuits/sponge.ts";
import { finalChallenges } from "../../../src/prover/epoch/blob-challenges.ts";

const file = new URL("../../fixtures/v5/l1-tests/checkpoints.json", import.meta.url);
const { empty_checkpoint_1: checkpoint } = JSON.parse(readFileSync(file, "utf8"));

/** Trees of v5 at genesis; the first block appends 1024 zeros to the messages. */
const STATE: [TreeId, string, number][] = [
  [3, "0x0fef6d80d31109ddb56d6b3f607cbc9c0af0bff3ea0d43e8f278983c64c11f7a", 1024],
  [1, "0x2590f2aab19dd791700b4a43d3f52bb88ef2409a3731da8e848663559202e4c6", 0],
  [0, "0x18935581a8ed73d08ffd00386fba55ba6c89f3ab848a76b8fedfa9034cee0454", 128],
  [2, "0x1bef38b621017d3c7416663d0cd81369424560710526a3fbaaec13e356b9d084", 128],
  [4, checkpoint.header.lastArchiveRoot, 1],
];

/** The blob of a checkpoint with one block without transactions. */
function emptyBlob(): Uint8Array {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  for (const [tree, root, size] of STATE) {
    header.set(fromHex(root), HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
  }
  header.set(bigUintBytes(BigInt(checkpoint.header.timestamp), 8), HEADER_AT.timestamp);
  writeU32(header, HEADER_AT.blockNumber, 1);
  return writeCheckpointBlobs([{ header, body: new Uint8Array(), txCount: 0 }]);
}

test("the blob of a v5 checkpoint is opened at the challenge that the contracts' own tests have", async () => {
  const core = loadCore();
  const blob = emptyBlob();
  const { words } = readCheckpointBlobs(blob);
  // One byte for the number of blobs, and 48 for each commitment; versioned hash, z, y, commitment and proof.
  const compressed = fromHex(checkpoint.blobCommitments).subarray(1);
  const batched = fromHex(checkpoint.batchedBlobInputs);
  const points = new SetupPoints();
  expect(toHex(commitTo(points, blob))).toBe(toHex(compressed));

  const wordsHash = squeeze(core, absorb(core, initialSponge(), words));
  const blobs = [{ words, commitment: decompressPoint(compressed, "commitment") }];
  const challenges = ({ hashing }: Generation) => finalChallenges(core, hashing.blobs, [{ blobs, wordsHash }]);
  const { z, gamma } = await challenges(V5);
  expect(toHex(z)).toBe(toHex(batched.subarray(32, 64)));
  const { y, proof } = openBlob(points, blob, z);
  expect(toHex(y)).toBe(toHex(batched.subarray(64, 96)));
  expect(toHex(proof)).toBe(toHex(batched.subarray(144)));

  const v4 = await challenges(V4);
  expect(toHex(v4.z)).not.toBe(toHex(z));
  expect(toHex(v4.gamma)).not.toBe(toHex(gamma));
});
