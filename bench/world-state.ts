import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCore } from "../src/core/load-core.ts";
import { CorePool } from "../src/core/pool.ts";
import { HEADER_AT, HEADER_SNAPSHOT_AT } from "../src/protocol/block-header.ts";
import { concat, writeU32 } from "../src/protocol/bytes.ts";
import { TREE_IDS } from "../src/protocol/constants.ts";
import { openStore } from "../src/storage/store.ts";
import type { applyBlock } from "../src/world-state/apply-block.ts";
import { BlockSealer, writeBlockChanges } from "../src/world-state/block-changes.ts";
import { Fork } from "../src/world-state/fork.ts";
import { StoredState } from "../src/world-state/stored-state.ts";
import { openTables } from "../src/world-state/tables.ts";
import { TILE_HEIGHT } from "../src/world-state/tile-address.ts";
import { WorldState } from "../src/world-state/world-state.ts";

/**
 * Nullifier insertion and witnesses over a growing tree: `node bench/world-state.ts [leaves] [nullifiers per block] [threads]`.
 * Without threads everything runs on one; bytes are the growth of the LMDB file, all history kept.
 */
const leaves = Number(process.argv[2] ?? 50_000);
const perBlock = Number(process.argv[3] ?? 1024);
const threads = Number(process.argv[4] ?? 0);
const core = loadCore();
const pool = threads > 0 ? new CorePool({ size: threads }) : undefined;
const path = mkdtempSync(join(tmpdir(), "svc-bench-"));
const store = openStore({ path });
const state = new WorldState(core, store, []);
const tables = openTables(store);
const empty = new Uint8Array(0);

function nullifier(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(32));
  bytes[0] &= 0x1f;
  return bytes;
}

/** A block whose header is filled from the fork itself, since the bench measures work and not correctness. */
async function applyRandomBlock(number: number, times: { prepare: number; commit: number }): Promise<Uint8Array[]> {
  const nullifiers = Array.from({ length: perBlock }, nullifier);
  const txs = Array.from({ length: Math.ceil(perBlock / 64) }, (_, i) => ({
    words: empty,
    revertCode: 0,
    txHash: empty,
    transactionFee: empty,
    noteHashes: empty,
    nullifiers: concat(...nullifiers.slice(i * 64, i * 64 + 64)),
    l2ToL1Msgs: empty,
    publicDataWrites: empty,
    privateLogs: [],
    publicLogs: [],
    contractClassLogs: [],
  }));
  const start = performance.now();
  const fork = new Fork(core, new StoredState(tables, number - 1));
  const header = new Uint8Array(440);
  writeU32(header, HEADER_AT.blockNumber, number);
  await fillAndApply(fork, header, txs);
  const changes = new BlockSealer(fork).seal(number);
  const prepared = performance.now();
  store.transaction(() => writeBlockChanges(tables, changes));
  times.prepare += prepared - start;
  times.commit += performance.now() - prepared;
  return nullifiers;
}

type Txs = Parameters<typeof applyBlock>[1]["txs"];

async function fillAndApply(fork: Fork, header: Uint8Array, txs: Txs): Promise<void> {
  const effects = { header, blockHash: nullifier(), archiveRoot: empty, txs, l1ToL2Messages: undefined };
  const fill = (tree: (typeof TREE_IDS)[number]) => {
    const { root, size } = fork.snapshot(tree);
    header.set(root, HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
    return root;
  };
  const first = fork.size(0);
  fill(4);
  fork.insertNullifiers(
    txs.flatMap((tx) =>
      Array.from({ length: tx.nullifiers.length / 32 }, (_, k) => tx.nullifiers.subarray(k * 32, k * 32 + 32)),
    ),
    txs.flatMap((tx, i) => Array.from({ length: tx.nullifiers.length / 32 }, (_, k) => first + i * 64 + k)),
  );
  fork.skip(0, txs.length * 64);
  fork.append(4, [effects.blockHash]);
  await fork.settle(pool);
  for (const tree of TREE_IDS) fork.snapshot(tree);
}

const rate = (count: number, ms: number) => Math.round((count / ms) * 1000).toLocaleString("en");
const fileBytes = () => statSync(join(path, "data.mdb")).size;

const all: Uint8Array[] = [];
const before = fileBytes();
const times = { prepare: 0, commit: 0 };
let recent = { prepare: 0, commit: 0, blocks: 0 };
const blocks = Math.ceil(leaves / perBlock);
for (let number = 1; number <= blocks; number++) {
  const own = { prepare: 0, commit: 0 };
  all.push(...(await applyRandomBlock(number, own)));
  times.prepare += own.prepare;
  times.commit += own.commit;
  if (number > blocks - Math.max(3, blocks / 10)) {
    recent = { prepare: recent.prepare + own.prepare, commit: recent.commit + own.commit, blocks: recent.blocks + 1 };
  }
}

function witnesses(block: number, count: number): number {
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    const { leaf } = state.lowLeaf(block, 0, nullifier());
    state.siblingPath(block, 0, leaf.index);
  }
  return performance.now() - start;
}

const count = 20_000;
witnesses(blocks, 2000);
const latest = witnesses(blocks, count);
const past = Math.max(1, Math.floor(blocks / 2));
witnesses(past, 1000);
const historical = witnesses(past, count);

console.table({
  "tile height": TILE_HEIGHT,
  leaves: all.length,
  "per block": perBlock,
  "nullifiers/s, hash only, at full size": rate(recent.blocks * perBlock, recent.prepare),
  "nullifiers/s, with commit, at full size": rate(recent.blocks * perBlock, recent.prepare + recent.commit),
  "nullifiers/s, with commit, from empty": rate(all.length, times.prepare + times.commit),
  "low-leaf witnesses/s, latest": rate(count, latest),
  [`low-leaf witnesses/s, ${blocks - past} blocks back`]: rate(count, historical),
  "bytes per nullifier": Math.round((fileBytes() - before) / all.length),
});
await pool?.close();
await store.close();
rmSync(path, { recursive: true, force: true });
