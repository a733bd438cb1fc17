/**
 * The pool, and the steps before a tx enters it:
 *
 *   node bench/mempool.ts [--help]
 *
 * Times are CPU time of one thread that does all steps, medians of the repeats. A node hashes txs on other threads, so
 * its main thread spends only the time of "checks" and "pool". The txs are copies of a recorded private one and of a
 * recorded one with public calls, with other nullifiers. The pool's store is LMDB on disk.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCore } from "../src/core/load-core.ts";
import { digestParts } from "../src/mempool/digest/digest-tx.ts";
import type { TxDigest } from "../src/mempool/digest/tx-digest.ts";
import type { NewTx } from "../src/mempool/pool/pool-admission.ts";
import { TxPool } from "../src/mempool/pool/tx-pool.ts";
import { runChecks } from "../src/mempool/validation/check-groups.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../src/protocol/tx/tx.ts";
import { openStore } from "../src/storage/store.ts";
import { contextFor } from "../test/world/mempool/context.ts";
import { freshTx, txJson } from "../test/world/mempool/fresh-txs.ts";
import { ModelWorld } from "../test/world/mempool/model-world.ts";
import { seeded } from "../test/world/mempool/pool-txs.ts";
import { digestTx, RPC_CHECKS, txFacts } from "../test/world/mempool/v4-digests.ts";
import { type RecordedTx, recordedTxs } from "../test/world/protocol/recorded-txs.ts";
import { txParameter } from "../test/world/protocol/v4-txs.ts";
import { JSON_FILE, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { median } from "./lib/statistics.ts";

const {
  repeats,
  txs: count,
  json,
} = scriptOptions("bench/mempool.ts", {
  repeats: wholeOption("rounds, whose medians count", 5),
  txs: wholeOption("txs of a round", 200),
  json: JSON_FILE,
});
const core = loadCore();
const CLIENT = { by: "fee", bumpPercentage: 10n } as const;

/** CPU milliseconds of some work. */
function cpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Txs per second, from the CPU milliseconds that runs of `n` txs took. */
const rate = (n: number, runs: number[]) => Math.round((n / median(runs)) * 1000);

const recorded = recordedTxs();
const find = (form: number): RecordedTx => {
  const found = recorded.find(({ tx }) => tx.data[0] === form && tx.contractClassLogFields.length === 0);
  if (found === undefined) throw new Error("the recording has no such tx");
  return found;
};
const templates = { private: find(0), "public calls": find(1) };

/** A tx that passes the checks and enters the pool, with its own hash. */
function candidate(template: RecordedTx, nullifier: string, fee: number, digest: TxDigest): NewTx {
  const tx = freshTx(template, { nullifier, priorityFee: BigInt(fee) });
  return txFacts(tx, { ...digest, hash: seeded(`${nullifier} ${fee}`) });
}

interface Opened {
  pool: TxPool;
  close(): Promise<void>;
}

function openPool(maxPending: number): Opened {
  const path = mkdtempSync(join(tmpdir(), "svc-bench-pool-"));
  const store = openStore({ path });
  const world = new ModelWorld(new Map());
  world.admission = () => () => true;
  world.feeJuice = () => 10n ** 60n;
  const pool = new TxPool(store, world, { rules: V4, maxPending, archived: 0, deleteAfterReorg: false });
  return {
    pool,
    async close() {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** CPU milliseconds to add txs to a pool that already has some, with one commit for every `together` txs. */
async function poolRun(first: NewTx[], then: NewTx[], maxPending: number, together: number): Promise<number> {
  const { pool, close } = openPool(maxPending);
  pool.add(first, CLIENT);
  const ms = cpu(() => {
    for (let at = 0; at < then.length; at += together) pool.add(then.slice(at, at + together), CLIENT);
  });
  await close();
  return ms;
}

// Measured first, before anything else fills the heap.
const memory = await memoryOfFullPool();
const rows: Record<string, string | number>[] = [];
for (const [name, template] of Object.entries(templates)) {
  const { json } = txJson(core, freshTx(template, { nullifier: "json" }));
  const text = JSON.stringify(json);
  const parsed: Tx = txParameter.read(json, [], []);
  const digest = digestTx(core, parsed);
  const context = contextFor(parsed, { target: { timestamp: 1n, blockNumber: 13 } });
  const facts = txFacts(parsed, digest);
  const many = (prefix: string, fee: (i: number) => number) =>
    Array.from({ length: count }, (_, i) => candidate(template, `${prefix} ${i}`, fee(i), digest));
  const txs = many("a", (i) => i);
  const rivals = many("a", (i) => 2 * i + 10);
  const losers = many("a", () => 0);
  const runs: Record<string, number[]> = {};
  const note = (what: string, ms: number) => {
    runs[what] = [...(runs[what] ?? []), ms];
  };
  for (let i = 0; i < repeats; i++) {
    note(
      "JSON to tx",
      cpu(() => void Array.from({ length: 20 }, () => txParameter.read(JSON.parse(text), [], []))),
    );
    note(
      "digest",
      cpu(() => void Array.from({ length: 20 }, () => digestTx(core, parsed))),
    );
    note(
      "digest of content",
      cpu(
        () =>
          void Array.from({ length: 20 }, () =>
            digestParts({ core, contracts: V4.contracts }, [{ tx: parsed, parts: ["content"] }]),
          ),
      ),
    );
    note(
      "checks",
      cpu(() => void Array.from({ length: 500 }, () => runChecks(RPC_CHECKS, txFacts(parsed, digest), context))),
    );
    note("pool, new", await poolRun([], txs, 0, 1));
    note("pool, new, 32 a commit", await poolRun([], txs, 0, 32));
    note("pool, replacing", await poolRun(txs, rivals, 0, 1));
    note("pool, refused", await poolRun(txs, losers, 0, 1));
    note(
      "pool, full, evicting",
      await poolRun(
        txs,
        many("b", (k) => count * 2 + 2 * k),
        count,
        1,
      ),
    );
  }
  if (runChecks(RPC_CHECKS, facts, context).result !== "valid") throw new Error("the tx that is measured is not valid");
  const perSecond = {
    "JSON to tx": rate(20, runs["JSON to tx"]),
    digest: rate(20, runs.digest),
    "digest of content": rate(20, runs["digest of content"]),
    checks: rate(500, runs.checks),
    ...Object.fromEntries(
      Object.keys(runs)
        .filter((what) => what.startsWith("pool"))
        .map((what) => [what, rate(count, runs[what])]),
    ),
  };
  const perTx = (what: keyof typeof perSecond) => 1 / perSecond[what];
  const whole = (digest: "digest" | "digest of content", pool: number) =>
    Math.round(1 / (perTx("JSON to tx") + perTx(digest) + perTx("checks") + pool));
  const pool = (what: string) => 1 / rate(count, runs[what]);
  rows.push({
    tx: name,
    ...perSecond,
    "isValidTx/s": whole("digest of content", 0),
    "sendTx/s, valid": whole("digest", pool("pool, new")),
    "sendTx/s, replacing": whole("digest", pool("pool, replacing")),
    "sendTx/s, refused": whole("digest", pool("pool, refused")),
  });
}

/** Resident and heap bytes that a full pool of 1,000 txs adds to the process. */
async function memoryOfFullPool(): Promise<Record<string, number>> {
  const digest = digestTx(core, templates.private.tx);
  const { pool, close } = openPool(1_000);
  const used = () => {
    globalThis.gc?.();
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    return { rss, heap: heapUsed + arrayBuffers };
  };
  const before = used();
  for (let i = 0; i < 1_000; i += 50) {
    pool.add(
      Array.from({ length: 50 }, (_, k) => candidate(templates.private, `memory ${i + k}`, i + k, digest)),
      CLIENT,
    );
  }
  const after = used();
  const mib = (bytes: number) => Math.round((bytes / 2 ** 20) * 10) / 10;
  await close();
  return {
    "txs pending": pool.pendingCount,
    "heap and buffers, MiB more": mib(after.heap - before.heap),
    "resident with LMDB's pages, MiB more": mib(after.rss - before.rss),
  };
}

for (const { tx, ...figures } of rows) {
  console.log(`\n${tx}: txs per second of CPU time`);
  console.table(figures);
}
console.table(memory);
if (json !== undefined) {
  writeFileSync(json, `${JSON.stringify([...rows, { tx: "a full pool", ...memory }], undefined, 1)}\n`);
}
