/**
 * Compares the trees of generation v5 with the native world state of the network's proof library: a thousand blocks
 * that insert into every tree, with unwinding in between. The native one checks every root of each block itself; roots,
 * sibling paths and low leaves are compared after every step.
 *
 *   node test/world-state/live/native-world-state.ts FOLDER [FILE]
 *
 * FOLDER is an installed @aztec/bb.js 5.0.0. FILE receives a digest of each step, which
 * test/world-state/world-state.native-v5.test.ts reads.
 */
import { writeFileSync } from "node:fs";
import { concat } from "../../../src/protocol/bytes.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { NativeWorld } from "../../world/world-state/native-world.ts";
import { openState } from "../../world/world-state/open-state.ts";
import { type OtherState, randomChain } from "../../world/world-state/random-chain.ts";

const MESSAGE = { treeInfo: 100, siblingPath: 105, lowLeaf: 108, unwindBlocks: 120 };
const BLOCKS = 1000;

function otherState(world: NativeWorld): OtherState {
  // The largest number stands for the latest block.
  const revision = { forkId: 0, blockNumber: 2 ** 32 - 1, includeUncommitted: false };
  return {
    syncBlock: (block, tx) => world.syncBlock(block, tx),
    unwindTo: async (block) => {
      await world.call(MESSAGE.unwindBlocks, { toBlockNumber: block, canonical: true });
    },
    root: async (treeId) => ((await world.call(MESSAGE.treeInfo, { treeId, revision })) as { root: Uint8Array }).root,
    siblingPath: async (treeId, position) => {
      const path = await world.call(MESSAGE.siblingPath, { treeId, leafIndex: BigInt(position), revision });
      return concat(...(path as Uint8Array[]));
    },
    lowLeaf: async (treeId, key) => {
      const found = await world.call(MESSAGE.lowLeaf, { treeId, key: Buffer.from(key), revision });
      return Number((found as { index: number }).index);
    },
  };
}

const [folder, file] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of an installed @aztec/bb.js 5.0.0");
const native = new NativeWorld(folder, V5);
const open = openState([], undefined, undefined, V5);
try {
  const digests = await randomChain(open, BLOCKS, otherState(native));
  console.log(`${BLOCKS} blocks, ${digests.length} steps: all roots, sibling paths and low leaves are equal`);
  if (file !== undefined) writeFileSync(file, `${digests.join("\n")}\n`);
} finally {
  await native.close();
  await open.close();
}
