import { expect, test } from "vitest";
import { rebuildCheckpoint } from "../../src/archiver/rebuild-checkpoint.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { writeCheckpointBlobs } from "../../src/protocol/checkpoint-blob-writer.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { GENESIS_ARCHIVE, rebuildInput, synthesize } from "../world/archiver/synthetic-chain.ts";

test("rebuilt blocks serialize to the words of the blobs that they came from", () => {
  const core = loadCore();
  for (const blocks of [[[]], [[[], []]], [[], [[]], []]]) {
    const plan = { number: 1, slot: 3, firstBlock: 1, lastArchive: GENESIS_ARCHIVE, salt: "words", blocks };
    const checkpoint = synthesize(plan, core);
    const rebuilt = rebuildCheckpoint(rebuildInput(checkpoint), core, V4).blocks;
    const contents = rebuilt.map(({ record, body }) => ({ header: record.header, txCount: record.txCount, body }));
    expect(toHex(writeCheckpointBlobs(contents))).toBe(toHex(checkpoint.blob));
  }
});
