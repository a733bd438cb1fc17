import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { loadCore } from "../src/core/load-core.ts";
import { CorePool } from "../src/core/pool.ts";
import { MAX_NULLIFIERS_PER_TX } from "../src/protocol/constants.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import { openStore, type Store } from "../src/storage/store.ts";
import { BlockBatch } from "../src/world-state/block-batch.ts";
import { genesisContent } from "../src/world-state/genesis.ts";
import { openTables, WORLD_STATE_TABLES, type WorldStateTables } from "../src/world-state/tables/tables.ts";
import { treeNodes } from "../src/world-state/tables/tree-nodes.ts";
import type { TileHasher } from "../src/world-state/tree-batch.ts";
import { WorldState } from "../src/world-state/world-state.ts";
import { writeBlocks } from "../src/world-state/write-blocks.ts";
import { CountedHashes } from "./lib/counted-hashes.ts";
import { nextBlocks, randomTx } from "./lib/next-block.ts";
import { JSON_FILE, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { SeededBytes } from "./lib/seeded-bytes.ts";
import { median } from "./lib/statistics.ts";
import { fillSyntheticState } from "./lib/synthetic-state.ts";
import { withOverrides } from "./lib/with-overrides.ts";

/**
 * Nullifiers applied to a large tree, including the commit, and how the time is spent. Every repeat measures in
 * sequence the speed of hashing on one thread, applying blocks, and writing the same rows alone to a store of the same
 * size.
 */
const options = scriptOptions("bench/world-state.ts", {
  leaves: wholeOption("nullifiers in the tree", 1_000_000),
  block: wholeOption("nullifiers of a block", 64),
  commit: wholeOption("blocks of a commit: 1 as at the tip of the chain, more as during the initial sync", 16),
  threads: wholeOption("hashing threads; 0 hashes on the main thread", availableParallelism(), 0),
  repeats: wholeOption("rounds, whose medians count", 7),
  json: JSON_FILE,
});
const { leaves, block: perBlock, commit: perCommit, threads, repeats } = options;
const MAP_SIZE_KB = 64 * 1024 * 1024;
const nullifiers = perBlock * perCommit;

interface Measured {
  prepareMs: number;
  commitMs: number;
  cpuMs: number;
  /** CPU time of this thread within `prepareMs` and `commitMs`. */
  ownPrepareMs: number;
  ownCommitMs: number;
  hashes: number;
  /** CPU time of one hash in a large batch. */
  hashUs: number;
  putMs: number;
  rowBytes: number;
}

const core = loadCore();
const path = mkdtempSync(join(tmpdir(), "svc-bench-"));
const pool = threads > 0 ? new CorePool({ size: threads }) : undefined;
const counted = new CountedHashes(core, pool as TileHasher | undefined);
const random = new SeededBytes(7);

function open(name: string): { store: Store; tables: WorldStateTables; world: WorldState } {
  const store = openStore({ path: join(path, name), mapSizeKb: MAP_SIZE_KB });
  fillSyntheticState(core, store, { nullifiers: leaves, slots: 128 });
  return { store, tables: openTables(store), world: new WorldState(core, store, genesisContent(V4, [])) };
}

const own = open("own");
const plain = open("plain");

function txs(): ReturnType<typeof randomTx>[] {
  const shape = (nullifiers: number) => ({ noteHashes: 0, nullifiers, publicDataWrites: 0 });
  return Array.from({ length: Math.ceil(perBlock / MAX_NULLIFIERS_PER_TX) }, (_, i) =>
    randomTx(shape(Math.min(MAX_NULLIFIERS_PER_TX, perBlock - i * MAX_NULLIFIERS_PER_TX)), random),
  );
}

const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;

function hashUs(): number {
  const pairs = new Uint8Array(64 * 4000).map((_, i) => (i % 32 === 0 ? 0 : i * 7));
  const start = process.threadCpuUsage();
  core.hashMany(pairs, 2);
  return (ms(process.threadCpuUsage(start)) * 1000) / 4000;
}

/** Tables that record every row that is put, and pass it on. */
function noting(tables: WorldStateTables, rows: [keyof WorldStateTables, Uint8Array, Uint8Array][]): WorldStateTables {
  const noted = (name: keyof WorldStateTables) =>
    withOverrides(tables[name], {
      put: (key, value) => {
        rows.push([name, key.slice(), value.slice()]);
      },
    });
  const names = Object.keys(WORLD_STATE_TABLES) as (keyof WorldStateTables)[];
  return Object.fromEntries(names.map((name) => [name, noted(name)])) as unknown as WorldStateTables;
}

async function measure(): Promise<Measured> {
  const blocks = nextBlocks(core, own.world, Array.from({ length: perCommit }, txs));
  const before = hashUs();
  counted.hashes = 0;
  const { tip } = own.world.status();
  const batch = new BlockBatch(
    counted.core,
    treeNodes(counted.core, V4.hashing.treeNodes),
    own.tables,
    () => tip,
    counted.hasher,
  );
  const [cpu, thread, start] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
  const changes = await batch.begin(blocks).hashed;
  const [prepared, ownPrepareMs] = [performance.now(), ms(process.threadCpuUsage(thread))];
  own.store.transaction(() => writeBlocks(own.store, own.tables, changes));
  const commitMs = performance.now() - prepared;
  const [cpuMs, ownMs] = [ms(process.cpuUsage(cpu)), ms(process.threadCpuUsage(thread))];

  const rows: Parameters<typeof noting>[1] = [];
  plain.store.transaction(() => writeBlocks(plain.store, noting(plain.tables, rows), changes));
  const puts = performance.now();
  plain.store.transaction(() => {
    for (const [name, key, value] of rows) plain.tables[name].put(key, value);
  });
  return {
    prepareMs: prepared - start,
    commitMs,
    cpuMs,
    ownPrepareMs,
    ownCommitMs: ownMs - ownPrepareMs,
    hashes: counted.hashes,
    hashUs: (before + hashUs()) / 2,
    putMs: performance.now() - puts,
    rowBytes: rows.reduce((sum, [, key, value]) => sum + key.length + value.length, 0),
  };
}

const runs: Measured[] = [];
await measure();
for (let i = 0; i < repeats; i++) runs.push(await measure());

const of = (value: (run: Measured) => number) => median(runs.map(value));
const us = (value: (run: Measured) => number) => of((run) => (value(run) * 1000) / nullifiers);
const result = {
  leaves,
  "nullifiers a block": perBlock,
  "blocks a commit": perCommit,
  threads,
  "nullifiers/s with commit": of((run) => (nullifiers / (run.prepareMs + run.commitMs)) * 1000),
  "nullifiers/s by CPU time over two cores": of((run) => (2 * nullifiers * 1000) / run.cpuMs),
  "nullifiers/s of hashing alone over two cores": of((run) => (2 * nullifiers * 1e6) / (run.hashes * run.hashUs)),
  "hashes a nullifier": of((run) => run.hashes / nullifiers),
  "hashes/s on one thread": of((run) => 1e6 / run.hashUs),
  "CPU us a nullifier": us((run) => run.cpuMs),
  "  hashing": us((run) => (run.hashes * run.hashUs) / 1000),
  "  this thread before the commit": us((run) => run.ownPrepareMs),
  "  this thread in the commit": us((run) => run.ownCommitMs),
  "wall us a nullifier: before the commit": us((run) => run.prepareMs),
  "wall us a nullifier: commit": us((run) => run.commitMs),
  "wall us a nullifier: its rows alone into lmdb": us((run) => run.putMs),
  "row bytes a nullifier": of((run) => run.rowBytes / nullifiers),
};
console.table(Object.fromEntries(Object.entries(result).map(([name, value]) => [name, Number(value.toPrecision(5))])));
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ result, runs }, undefined, 2)}\n`);
await pool?.close();
await own.store.close();
await plain.store.close();
rmSync(path, { recursive: true, force: true });
