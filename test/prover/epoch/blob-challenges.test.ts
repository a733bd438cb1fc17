import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { commitTo, openBlob } from "../../../src/l1/blobs/blob-opening.ts";
import { SetupPoints } from "../../../src/l1/blobs/setup-points.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT, HEADER_SNAPSHOT_AT } from "../../../src/protocol/block-header.ts";
import { bigUintBytes, concat, fromHex, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { readCheckpointBlobs } from "../../../src/protocol/checkpoint-blob.ts";
import { writeCheckpointBlobs } from "../../../src/protocol/checkpoint-blob-writer.ts";
import { readTxEffectBytes } from "../../../src/protocol/consensus/l2-block.ts";
import { WireReader } from "../../../src/protocol/consensus/wire-reader.ts";
import {
  BYTES_PER_BLOB,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
} from "../../../src/protocol/constants.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import type { TxEffect } from "../../../src/protocol/tx-effect.ts";
import { decompressPoint } from "../../../src/prover/circuits/layouts/bls-point.ts";
import { absorb, initialSponge, squeeze } from "../../../src/prover/circuits/sponge.ts";
import { finalChallenges, joinedBlob } from "../../../src/prover/epoch/blob-challenges.ts";
import { applyBlock } from "../../../src/world-state/block-batch.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";

const core = loadCore();
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/v5/l1-tests/${name}`, import.meta.url));

interface Checkpoint {
  header: { lastArchiveRoot: string; timestamp: number };
  blobCommitments: string;
  batchedBlobInputs: string;
}
const checkpoints: Record<string, Checkpoint> = JSON.parse(fixture("checkpoints.json").toString("utf8"));

/** u32 n, n effects in the form that peers send. */
function mixedEffects(): TxEffect[] {
  const reader = new WireReader(brotliDecompressSync(fixture("mixed-effects.br")), "effects");
  return Array.from({ length: reader.u32("count") }, () => readTxEffectBytes(reader));
}

/** The blobs of a v5 rollup's first checkpoint, which has one block with these transactions and no messages from L1. */
function firstBlobs({ lastArchiveRoot, timestamp }: Checkpoint["header"], txs: TxEffect[]): Uint8Array {
  const { fork } = genesisState(core, genesisContent(V5, []));
  const [zero, header] = [new Uint8Array(32), new Uint8Array(BLOCK_HEADER_BYTES)];
  applyBlock(fork, { header, blockHash: zero, archiveRoot: zero, txs, l1ToL2Messages: [] });
  for (const tree of [L1_TO_L2_MESSAGE_TREE, NOTE_HASH_TREE, NULLIFIER_TREE, PUBLIC_DATA_TREE] as const) {
    const { root, size } = fork.snapshot(tree);
    header.set(root, HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
  }
  header.set(fromHex(lastArchiveRoot), HEADER_AT.lastArchive);
  header.set(bigUintBytes(BigInt(timestamp), 8), HEADER_AT.timestamp);
  writeU32(header, HEADER_AT.blockNumber, 1);
  return writeCheckpointBlobs([{ header, body: concat(...txs.map(({ words }) => words)), txCount: txs.length }]);
}

const points = new SetupPoints();

test.each([
  ["empty_checkpoint_1", () => []],
  ["mixed_checkpoint_1", mixedEffects],
] as [string, () => TxEffect[]][])("%s is opened at its challenge", async (name, effects) => {
  const { header, blobCommitments, batchedBlobInputs } = checkpoints[name];
  const bytes = firstBlobs(header, effects());
  const count = bytes.length / BYTES_PER_BLOB;
  const part = (whole: Uint8Array, i: number) => whole.subarray(i * BYTES_PER_BLOB, (i + 1) * BYTES_PER_BLOB);
  const commitments = Array.from({ length: count }, (_, i) => commitTo(points, part(bytes, i)));
  expect(toHex(concat(Uint8Array.of(count), ...commitments))).toBe(blobCommitments);

  const { words } = readCheckpointBlobs(bytes);
  const wordsHash = squeeze(core, absorb(core, initialSponge(), words));
  const blobs = commitments.map((commitment, i) => ({
    words: part(words, i),
    commitment: decompressPoint(commitment, "commitment"),
  }));
  const { z, gamma } = await finalChallenges(core, V5.hashing.blobs, [{ blobs, wordsHash }]);
  const joined = await joinedBlob([{ blobs, wordsHash }], gamma);
  const { y, proof } = openBlob(points, joined, z);
  // Versioned hash of the joined commitment, z, y, commitment, proof.
  const opening = concat(z, y, commitTo(points, joined), proof);
  expect(toHex(opening)).toBe(toHex(fromHex(batchedBlobInputs).subarray(32)));

  const v4 = await finalChallenges(core, V4.hashing.blobs, [{ blobs, wordsHash }]);
  expect(toHex(v4.z)).not.toBe(toHex(z));
});
