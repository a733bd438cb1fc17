import { readFileSync } from "node:fs";
import { deserialize } from "node:v8";
import { ProposedBlockRefusedError } from "../../../src/archiver/errors.ts";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { type L1Recording, RecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { emptyAfter, recordedNode, rivalOf } from "../../world/archiver/recorded-node.ts";

/**
 * A node that adds proposed blocks of the recorded chain, correct and wrong ones, before their checkpoints arrive.
 * Tests kill it.
 */
const [recordingFile, path] = process.argv.slice(2);
const { recording, blocks } = deserialize(readFileSync(recordingFile)) as {
  recording: L1Recording;
  blocks: ProposedBlock[][];
};
const core = loadCore();
const l1 = new RecordedL1(recording);
const node = recordedNode(core, l1, path);
process.send?.("open");

for (let c = node.chain.latestCheckpointNumber(); c < recording.checkpoints.length; c++) {
  const arrival = recording.checkpoints[c].l1.number;
  l1.height = arrival - 1;
  await node.synchronizer.syncOnce();
  const [block] = blocks[c];
  try {
    const first = c % 3 === 0 ? rivalOf(core, node, block) : block;
    const second = emptyAfter(core, node, first);
    await node.synchronizer.addProposedBlock(first);
    if (c % 2 === 0) await node.synchronizer.addProposedBlock(second);
  } catch (error) {
    // The killed process before this one has stored this block.
    if (!(error instanceof ProposedBlockRefusedError && error.rule === "number")) throw error;
  }
  l1.height = arrival;
  await node.synchronizer.syncOnce();
  process.send?.(node.chain.latestCheckpointNumber());
}
await node.close();
process.disconnect?.();
