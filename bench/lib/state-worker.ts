/**
 * World states of this project in a separate process, as bench/reference/world-state.mjs is for the reference:
 *
 *   state-worker.ts fill DIRECTORY NULLIFIERS SLOTS          makes a synthetic state with so many leaves
 *   state-worker.ts extend DIRECTORY BLOCKS NULLIFIERS SLOTS [TOGETHER]
 *                                                            adds blocks
 *   state-worker.ts prune DIRECTORY KEPT                     drops the history of all but the last blocks
 *   state-worker.ts size DIRECTORY                           bytes of the store without its free pages
 *   state-worker.ts apply DIRECTORY BLOCKS NULLIFIERS SLOTS [TOGETHER]
 *                                                            measures adding blocks, then unwinds them
 *   state-worker.ts witnesses DIRECTORY COUNT                witnesses in this thread, at the tip and half-way back
 *   state-worker.ts latest-witnesses DIRECTORY COUNT         witnesses at the tip, to count their instructions
 *   state-worker.ts become-node DIRECTORY STORE              makes a synthetic state a node's store (node-store.ts)
 *   state-worker.ts cold-witnesses DIRECTORY SECONDS REPEATS the store's two reads alone and witnesses at the tip, in
 *                                                            turn, for so long each, after a warm-up
 *
 * The last line of output is JSON. Blocks are made before the measurement, which covers what a node does with a block
 * after rebuilding it, up to the commit.
 */

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";
import { readU32 } from "../../src/protocol/bytes.ts";
import { MAX_NULLIFIERS_PER_TX, NULLIFIER_TREE } from "../../src/protocol/constants.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { NULLIFIER_WITNESS_TEXT } from "../../src/rpc/codecs/release/witness.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import { applyInParts, cutIntoParts } from "../../src/world-state/apply-in-parts.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { storedContent } from "../../src/world-state/tables/genesis-row.ts";
import { VALUE_KEY_BYTES, writeValueKey } from "../../src/world-state/tables/row-keys.ts";
import { openTables } from "../../src/world-state/tables/tables.ts";
import { TILE_KEY_BYTES, TILE_WIDTH, writeTileKey } from "../../src/world-state/tables/tile-address.ts";
import type { PreparedBlocks } from "../../src/world-state/types.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { nextBlocks, randomTx } from "./next-block.ts";
import { becomeNodeStore } from "./node-store.ts";
import { SeededBytes } from "./seeded-bytes.ts";
import { memoryOf } from "./server-process.ts";
import type { Applied, Cold, ColdReads, Filled, Size, Taken, Witnessed } from "./state-processes.ts";
import { inPairs, percentile } from "./statistics.ts";
import { fillSyntheticState } from "./synthetic-state.ts";

/** Room for 10M leaves of two trees. */
const MAP_SIZE_KB = 64 * 1024 * 1024;
const core = loadCore();

interface Opened {
  store: Store;
  world: WorldState;
  close(): Promise<void>;
}

/** As a node opens it. */
function open(path: string): Opened {
  const store = openStore({ path, mapSizeKb: MAP_SIZE_KB, singlePages: true });
  const hasher = new CorePool({ size: availableParallelism() });
  const close = async (): Promise<void> => {
    await hasher.close();
    await store.close();
  };
  return {
    store,
    world: new WorldState(core, store, genesisContent(V4, storedContent(store)?.publicData ?? []), hasher),
    close,
  };
}

async function applyBlocks(
  { store, world }: Opened,
  blocks: number,
  nullifiers: number,
  slots: number,
  together = 1,
): Promise<Taken> {
  const taken = { ms: 0, cpuMs: 0, writeMs: 0, commitMs: 0, commits: 0 };
  const txs = Math.ceil(Math.max(nullifiers, slots) / MAX_NULLIFIERS_PER_TX);
  const share = (count: number, i: number) =>
    Math.max(0, Math.min(MAX_NULLIFIERS_PER_TX, count - i * MAX_NULLIFIERS_PER_TX));
  const random = new SeededBytes(world.status().tip + 1000);
  const effects = () =>
    Array.from({ length: txs }, (_, i) =>
      randomTx({ noteHashes: 0, nullifiers: share(nullifiers, i), publicDataWrites: share(slots, i) }, random),
    );
  for (let n = 0; n < blocks; n += together) {
    const batch = nextBlocks(core, world, Array.from({ length: Math.min(together, blocks - n) }, effects));
    const cpu = process.cpuUsage();
    const started = performance.now();
    await applyInParts(world, cutIntoParts(batch.map((block) => ({ effects: [block] }))), (_, prepared) => {
      const begun = performance.now();
      const written = store.transaction(() => {
        world.write(prepared as PreparedBlocks);
        return performance.now();
      });
      taken.writeMs += written - begun;
      taken.commitMs += performance.now() - written;
      taken.commits++;
    });
    taken.ms += performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    taken.cpuMs += (user + system) / 1000;
  }
  return { blocks, nullifiers: blocks * nullifiers, ...taken };
}

async function fill(path: string, nullifiers: number, slots: number): Promise<Filled> {
  const started = performance.now();
  const store = openStore({ path, mapSizeKb: MAP_SIZE_KB });
  fillSyntheticState(core, store, { nullifiers, slots });
  await store.close();
  return { ms: performance.now() - started };
}

async function size(path: string): Promise<Size> {
  const store = openStore({ path, mapSizeKb: MAP_SIZE_KB });
  const target = mkdtempSync(join(tmpdir(), "svc-bench-copy-"));
  try {
    await store.copyTo(target);
    return { bytes: statSync(join(target, "data.mdb")).size };
  } finally {
    rmSync(target, { recursive: true, force: true });
    await store.close();
  }
}

/** Finalizes the tip and drops the history of all blocks but the last `kept`. */
async function prune(path: string, kept: number): Promise<Size> {
  const { store, world, close } = open(path);
  const { tip } = world.status();
  const oldest = Math.max(1, tip - kept + 1);
  store.transaction(() => world.setFinalized(tip));
  while (world.status().oldest < oldest) store.transaction(() => world.pruneTo(oldest));
  await close();
  return size(path);
}

async function extend(
  path: string,
  blocks: number,
  nullifiers: number,
  slots: number,
  together?: number,
): Promise<Taken> {
  const opened = open(path);
  const taken = await applyBlocks(opened, blocks, nullifiers, slots, together);
  await opened.close();
  return taken;
}

async function apply(
  path: string,
  blocks: number,
  nullifiers: number,
  slots: number,
  together?: number,
): Promise<Applied> {
  const opened = open(path);
  const { store, world } = opened;
  const { tip } = world.status();
  const taken = await applyBlocks(opened, blocks, nullifiers, slots, together);
  const memory = memoryOf(process.pid);
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  store.transaction(() => world.unwindTo(tip));
  const unwindMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  await opened.close();
  return { ...taken, ...memory, unwindMs, unwindCpuMs: (user + system) / 1000 };
}

/** Low-leaf witnesses for random keys, in the state of a block. */
function writeWitnesses({ store, world }: Opened, block: number, count: number, random: SeededBytes): void {
  for (let i = 0; i < count; i++) {
    // As at each request: makes later reads see the latest commit.
    store.version();
    world.lowLeafText(block, NULLIFIER_TREE, random.field(), "either", NULLIFIER_WITNESS_TEXT);
  }
}

/** Only the store's search for a key, a random one. */
function keySearch({ store }: Opened, random: SeededBytes): () => void {
  const { keys } = openTables(store);
  const key = new Uint8Array(VALUE_KEY_BYTES);
  return () => void keys.borrowAtOrBefore(writeValueKey(key, NULLIFIER_TREE, random.field()));
}

/** Only the store's read of a tile, that above a random leaf. */
function tileRead({ store, world }: Opened, random: SeededBytes): () => void {
  const { tiles } = openTables(store);
  const { size } = world.snapshot(world.status().tip, NULLIFIER_TREE);
  const key = new Uint8Array(TILE_KEY_BYTES);
  const row = new Uint8Array(1024);
  return () => {
    const leaf = Math.floor((readU32(random.field(), 4) / 2 ** 32) * size);
    writeTileKey(key, NULLIFIER_TREE, 0, Math.floor(leaf / TILE_WIDTH));
    tiles.readInto(key, row);
  };
}

function times(count: number, work: () => void): void {
  for (let i = 0; i < count; i++) work();
}

async function witnesses(path: string, count: number): Promise<Witnessed> {
  const opened = open(path);
  const { tip } = opened.world.status();
  const random = new SeededBytes(process.pid);
  const cpuUs = (work: () => void): number => {
    // A warm-up of the same length, so that the caches are those of a node that has answered for a while.
    work();
    const cpu = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / count;
  };
  const latestUs = cpuUs(() => writeWitnesses(opened, tip, count, random));
  const oldUs = cpuUs(() => writeWitnesses(opened, 1 + Math.floor((tip - 1) / 2), count, random));
  const search = keySearch(opened, random);
  const searchUs = cpuUs(() => times(count, search));
  const read = tileRead(opened, random);
  const tileUs = cpuUs(() => times(count, read));
  await opened.close();
  return { latestUs, oldUs, searchUs, tileUs };
}

async function latestWitnesses(path: string, count: number): Promise<{ count: number }> {
  const opened = open(path);
  writeWitnesses(opened, opened.world.status().tip, count, new SeededBytes(1));
  await opened.close();
  return { count };
}

async function becomeNode(path: string, from: string): Promise<Filled> {
  const started = performance.now();
  const store = openStore({ path, mapSizeKb: MAP_SIZE_KB });
  const node = openStore({ path: from, mapSizeKb: MAP_SIZE_KB });
  becomeNodeStore(store, node);
  await Promise.all([store.close(), node.close()]);
  return { ms: performance.now() - started };
}

/** Three for each tile of the second level above 10 million leaves. */
const WARM_UP_WITNESSES = 120_000;

/** Bytes that this process has read from the disk, its page faults included. */
function readBytes(): number {
  return Number(/^read_bytes: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/** Does something over and over for so many milliseconds. */
function overAndOver(work: () => void, forMs: number): ColdReads {
  const times: number[] = [];
  const before = readBytes();
  const started = performance.now();
  for (let now = started; now < started + forMs; ) {
    const begun = now;
    work();
    now = performance.now();
    times.push(now - begun);
  }
  const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000;
  return {
    perSecond: times.length / seconds,
    p99: percentile(Float64Array.from(times).sort(), 99),
    readBytes: (readBytes() - before) / times.length,
  };
}

async function coldWitnesses(path: string, seconds: number, repeats: number): Promise<Cold> {
  const opened = open(path);
  const { tip } = opened.world.status();
  const random = new SeededBytes(process.pid);
  const search = keySearch(opened, random);
  const read = tileRead(opened, random);
  const reads = (): void => {
    search();
    read();
  };
  const witness = () => writeWitnesses(opened, tip, 1, random);
  // Until the caches are those of a node that has answered for a while.
  times(WARM_UP_WITNESSES, witness);
  const pairs = await inPairs(
    repeats,
    () => overAndOver(witness, seconds * 1000),
    () => overAndOver(reads, seconds * 1000),
  );
  await opened.close();
  return { pairs };
}

const [command, path, ...counts] = process.argv.slice(2);
const commands: Record<string, (path: string, ...counts: number[]) => Promise<unknown>> = {
  fill,
  extend,
  prune,
  size,
  apply,
  witnesses,
  "latest-witnesses": latestWitnesses,
  "cold-witnesses": coldWitnesses,
};
const done = command === "become-node" ? becomeNode(path, counts[0]) : commands[command](path, ...counts.map(Number));
process.stdout.write(`${JSON.stringify(await done)}\n`);
