/**
 * The reference's world state without a node: its native trees, driven through the class that a node uses.
 *
 *   world-state.mjs fill DIRECTORY LEAVES                   adds nullifiers and public-data leaves, unless done before
 *   world-state.mjs extend DIRECTORY BLOCKS NULLIFIERS      adds blocks of nullifiers, unless done before
 *   world-state.mjs apply DIRECTORY BLOCKS NULLIFIERS SLOTS measures adding blocks, then unwinds them
 *   world-state.mjs disk DIRECTORY [KEPT]                   bytes of the nullifier tree when the history of all but the
 *                                                           last KEPT blocks is dropped, by default that of all but one
 *
 * The last line of output is JSON. The roots of a block are computed on a fork beforehand. Measured are what a node
 * does with a downloaded block (handleL2BlockAndMessages, committed), and inserting batches of 64 nullifiers into a
 * fork.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fr } from "@aztec/foundation/curves/bn254";
import { EthAddress } from "@aztec/foundation/eth-address";
import { PublicDataWrite } from "@aztec/stdlib/avm";
import { L2Block } from "@aztec/stdlib/block";
import { MerkleTreeId } from "@aztec/stdlib/trees";
import { BlockHeader } from "@aztec/stdlib/tx";
import { NativeWorldStateService } from "@aztec/world-state/native";

const MAP_SIZE_KB = 64 * 1024 * 1024;
const PER_TX = 64;
const SUBTREE_HEIGHT = 6;
const FILL_TXS = 64;

const open = (directory) =>
  NativeWorldStateService.new(EthAddress.ZERO, directory, {
    archiveTreeMapSizeKb: MAP_SIZE_KB,
    nullifierTreeMapSizeKb: MAP_SIZE_KB,
    noteHashTreeMapSizeKb: MAP_SIZE_KB,
    messageTreeMapSizeKb: MAP_SIZE_KB,
    publicDataTreeMapSizeKb: MAP_SIZE_KB,
  });

const randomField = () => {
  const bytes = randomBytes(32);
  bytes[0] &= 0x1f;
  return Fr.fromBuffer(bytes);
};

const fields = (count) => Array.from({ length: count }, randomField);

/** Tx effects; only the parts that affect the trees are set. */
const effects = (nullifiers, slots) => {
  const txs = Math.ceil(Math.max(nullifiers, slots) / PER_TX);
  const share = (count, i) => Math.max(0, Math.min(PER_TX, count - i * PER_TX));
  return Array.from({ length: txs }, (_, i) => ({
    noteHashes: [],
    nullifiers: fields(share(nullifiers, i)),
    publicDataWrites: fields(share(slots, i)).map((slot) => new PublicDataWrite(slot, randomField())),
  }));
};

const insertNullifiers = (fork, tx) =>
  fork.batchInsert(
    MerkleTreeId.NULLIFIER_TREE,
    [...tx.nullifiers, ...Array(PER_TX - tx.nullifiers.length).fill(Fr.ZERO)].map((field) => field.toBuffer()),
    SUBTREE_HEIGHT,
  );

/** A valid block on top of the tip, and the milliseconds to insert its nullifiers into a fork. */
const nextBlock = async (state, number, txEffects) => {
  const fork = await state.fork();
  const started = performance.now();
  for (const tx of txEffects) await insertNullifiers(fork, tx);
  const batchMs = performance.now() - started;
  for (const tx of txEffects) {
    if (tx.publicDataWrites.length > 0)
      await fork.batchInsert(
        MerkleTreeId.PUBLIC_DATA_TREE,
        tx.publicDataWrites.map((write) => write.toBuffer()),
        0,
      );
  }
  await fork.appendLeaves(MerkleTreeId.NOTE_HASH_TREE, Array(txEffects.length * PER_TX).fill(Fr.ZERO));
  const empty = L2Block.empty();
  const header = BlockHeader.from({ ...empty.header, state: await fork.getStateReference() });
  header.globalVariables.blockNumber = number;
  await fork.close();
  return { block: new L2Block(empty.archive, header, { txEffects }, 1, 1), batchMs };
};

const applyBlocks = async (state, blocks, nullifiers, slots) => {
  let number = Number((await state.getStatusSummary()).unfinalizedBlockNumber);
  const taken = { blocks, nullifiers: blocks * nullifiers, ms: 0, cpuMs: 0, batchMs: 0 };
  for (let i = 0; i < blocks; i++) {
    const { block, batchMs } = await nextBlock(state, ++number, effects(nullifiers, slots));
    const [cpu, started] = [process.cpuUsage(), performance.now()];
    await state.handleL2BlockAndMessages(block, []);
    taken.ms += performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    taken.cpuMs += (user + system) / 1000;
    taken.batchMs += batchMs;
  }
  return taken;
};

const memory = () => {
  const status = readFileSync("/proc/self/status", "utf8");
  const field = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)[1]) / 1024;
  return { resident: field("VmRSS"), anonymous: field("RssAnon") };
};

const INITIAL_LEAVES = 128;

/** Continues a state that an earlier run left unfinished. Starts again if it cannot be opened. */
const openUnfinished = async (directory) => {
  mkdirSync(directory, { recursive: true });
  try {
    return await open(directory);
  } catch {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    return open(directory);
  }
};

const fill = async (directory, leaves) => {
  const mark = join(directory, "filled.json");
  if (existsSync(mark)) return { leaves, reused: true };
  const started = performance.now();
  const state = await openUnfinished(directory);
  const perBlock = FILL_TXS * PER_TX;
  const { size } = await state.getCommitted().getTreeInfo(MerkleTreeId.NULLIFIER_TREE);
  for (let left = leaves - (Number(size) - INITIAL_LEAVES); left > 0; left -= perBlock) {
    const count = Math.min(left, perBlock);
    await applyBlocks(state, 1, count, count);
  }
  await state.close();
  writeFileSync(mark, JSON.stringify({ leaves }));
  return { leaves, reused: false, ms: performance.now() - started };
};

const extend = async (directory, blocks, nullifiers) => {
  const mark = join(directory, "filled.json");
  if (existsSync(mark)) return { blocks, reused: true };
  const state = await openUnfinished(directory);
  const done = Number((await state.getStatusSummary()).unfinalizedBlockNumber);
  await applyBlocks(state, blocks - done, nullifiers, 0);
  await state.close();
  writeFileSync(mark, JSON.stringify({ blocks }));
  return { blocks, reused: false };
};

const apply = async (directory, blocks, nullifiers, slots) => {
  const state = await open(directory);
  const before = (await state.getStatusSummary()).unfinalizedBlockNumber;
  const taken = await applyBlocks(state, blocks, nullifiers, slots);
  const { resident, anonymous } = memory();
  const started = performance.now();
  await state.unwindBlocks(before);
  const unwindMs = performance.now() - started;
  await state.close();
  return { ...taken, resident, anonymous, unwindMs };
};

const disk = async (directory, kept = 1) => {
  const state = await open(directory);
  const { unfinalizedBlockNumber, oldestHistoricalBlock } = await state.getStatusSummary();
  const oldest = Number(unfinalizedBlockNumber) - kept + 1;
  if (oldestHistoricalBlock < oldest) {
    await state.setFinalized(unfinalizedBlockNumber);
    await state.removeHistoricalBlocks(oldest);
  }
  const copy = join(directory, "copy");
  rmSync(copy, { recursive: true, force: true });
  const files = await state.backupTo(copy, true);
  const bytes = statSync(files["nullifier-tree"]).size;
  const info = await state.getCommitted().getTreeInfo(MerkleTreeId.NULLIFIER_TREE);
  await state.close();
  rmSync(copy, { recursive: true, force: true });
  return { bytes, leaves: Number(info.size) };
};

const [command, directory, ...counts] = process.argv.slice(2);
const commands = { fill, extend, apply, disk };
console.log(JSON.stringify(await commands[command](directory, ...counts.map(Number))));
