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
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Encoder } from "msgpackr";
import { headerBlockNumber, headerSnapshot } from "../../../src/protocol/block-header.ts";
import { concat } from "../../../src/protocol/bytes.ts";
import { ARCHIVE, SEPARATOR, TREE_HEIGHTS, TREE_IDS, type TreeId } from "../../../src/protocol/constants.ts";
import { FR_ZERO } from "../../../src/protocol/field.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { openState } from "../../world/world-state/open-state.ts";
import { type OtherState, randomChain } from "../../world/world-state/random-chain.ts";

/** Numbers of the native world state's messages. */
const MESSAGE = { treeInfo: 100, siblingPath: 105, lowLeaf: 108, syncBlock: 116, unwindBlocks: 120, close: 999 };
const MAP_SIZE_KB = 1024 * 1024;
const BLOCKS = 1000;

interface Native {
  call(request: Buffer): Promise<Buffer | ArrayBuffer>;
}

const padded = (values: readonly Uint8Array[], count: number): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.from(values.at(i) ?? FR_ZERO));

function otherState(folder: string, path: string): OtherState & { close(): Promise<void> } {
  const load = createRequire(import.meta.url);
  const { WorldState } = load(join(folder, "build", "amd64-linux", "nodejs_module.node"));
  const byTree = <T>(value: T) => Object.fromEntries(TREE_IDS.map((tree) => [tree, value]));
  const native: Native = new WorldState(
    path,
    Object.fromEntries(TREE_IDS.map((tree) => [tree, TREE_HEIGHTS[tree]])),
    { 0: 128, 2: 128 },
    [],
    [],
    SEPARATOR.BLOCK_HEADER_HASH,
    0,
    byTree(MAP_SIZE_KB),
    2,
    false,
  );
  const codec = new Encoder({ useRecords: false, int64AsType: "bigint" });
  let messageId = 0;
  const call = async (msgType: number, value: unknown): Promise<unknown> => {
    const answer = await native.call(
      codec.encode({ msgType, header: { messageId: ++messageId, requestId: 0 }, value }),
    );
    return codec.unpack(Buffer.from(answer as ArrayBuffer)).value;
  };
  // The largest number stands for the latest block.
  const revision = { forkId: 0, blockNumber: 2 ** 32 - 1, includeUncommitted: false };
  return {
    syncBlock: async (
      { header, blockHash, archiveRoot, l1ToL2Messages },
      { noteHashes, nullifiers, publicDataWrites },
    ) => {
      const states = TREE_IDS.filter((tree) => tree !== ARCHIVE).map((tree): [TreeId, [Buffer, bigint]] => {
        const { root, size } = headerSnapshot(header, tree);
        return [tree, [Buffer.from(root), BigInt(size)]];
      });
      await call(MESSAGE.syncBlock, {
        blockNumber: headerBlockNumber(header),
        blockStateRef: new Map(states),
        blockHeaderHash: Buffer.from(blockHash),
        expectedArchiveRoot: Buffer.from(archiveRoot),
        expectedPreviousArchiveRoot: Buffer.from(headerSnapshot(header, ARCHIVE).root),
        paddedNoteHashes: padded(noteHashes, 64),
        paddedL1ToL2Messages: padded(l1ToL2Messages ?? [], 1024),
        paddedNullifiers: padded(nullifiers, 64).map((nullifier) => ({ nullifier })),
        publicDataWrites: publicDataWrites.map(({ leafSlot, value }) => ({
          slot: Buffer.from(leafSlot),
          value: Buffer.from(value),
        })),
        canonical: true,
      });
    },
    unwindTo: async (block) => {
      await call(MESSAGE.unwindBlocks, { toBlockNumber: block, canonical: true });
    },
    root: async (treeId) => ((await call(MESSAGE.treeInfo, { treeId, revision })) as { root: Uint8Array }).root,
    siblingPath: async (treeId, position) =>
      concat(...((await call(MESSAGE.siblingPath, { treeId, leafIndex: BigInt(position), revision })) as Uint8Array[])),
    lowLeaf: async (treeId, key) =>
      Number(((await call(MESSAGE.lowLeaf, { treeId, key: Buffer.from(key), revision })) as { index: number }).index),
    close: async () => {
      await call(MESSAGE.close, { canonical: true });
    },
  };
}

const [folder, file] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of an installed @aztec/bb.js 5.0.0");
const path = mkdtempSync(join(tmpdir(), "native-world-state-"));
const other = otherState(folder, path);
const open = openState([], undefined, undefined, V5);
try {
  const digests = await randomChain(open, BLOCKS, other);
  console.log(`${BLOCKS} blocks, ${digests.length} steps: all roots, sibling paths and low leaves are equal`);
  if (file !== undefined) writeFileSync(file, `${digests.join("\n")}\n`);
} finally {
  await other.close();
  await open.close();
  rmSync(path, { recursive: true, force: true });
}
