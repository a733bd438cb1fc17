import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleKeys } from "../../../src/cli/bench-witness/sample-keys.ts";
import { TREE_TEXTS } from "../../../src/cli/bench-witness/tree-texts.ts";
import { TREES } from "../../../src/cli/bench-witness/witness-kinds.ts";
import { openStore } from "../../../src/storage/store.ts";
import { runSvc, spawnSvc } from "../../world/cli/run-svc.ts";
import { MAP_SIZE_KB, type SyncedChain, syncRecordedChain } from "../../world/snapshots/synced-chain.ts";

const BLOCKS = 59;
const SHORT = ["--duration", "0.2", "--warm-up", "0", "--threads", "2", "--keys", "200"];
/** Enough for some witnesses of every tree on a stalled machine. */
const LONG = SHORT.with(1, "2");

let folder: string;
let chain: SyncedChain;
/** Data directory of a stopped node. */
let stopped: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-bench-witness-test-"));
  chain = await syncRecordedChain();
  stopped = join(folder, "stopped");
  mkdirSync(stopped);
  await chain.services.store.copyTo(join(stopped, "chain"));
});
afterAll(async () => {
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
});

const bench = (directory: string, ...options: string[]) =>
  runSvc(["bench-witness", "--data-directory", directory, ...options]);

describe("results", () => {
  test("bench-witness prints a table with rates and latencies of each tree and of all", async () => {
    const { code, stdout, stderr } = await bench(stopped, ...SHORT);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "measuring for 0.2 s\n" });
    const [chainLine, whatLine, , headings, ...rows] = stdout.trimEnd().split("\n");
    expect(chainLine).toContain(
      `${stopped}: L1 chain 31337, rollup version 344372055, states of blocks 1 to ${BLOCKS}`,
    );
    expect(whatLine).toBe(`witnesses as of block ${BLOCKS}, 0 behind the tip; 2 threads, 0.2 s`);
    expect(headings.split(/ {2,}/)).toEqual([
      ...["tree", "witnesses", "per second"],
      ...["p50 µs", "p90 µs", "p99 µs", "p99.9 µs", "max µs"],
    ]);
    expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual(["nullifier", "public-data", "all"]);
    for (const row of rows) {
      const figures = row
        .split(/ {2,}/)
        .slice(1)
        .map((text) => Number(text.replaceAll(",", "")));
      expect(figures).toHaveLength(7);
      expect(figures.every((figure) => figure > 0)).toBe(true);
      expect(figures.slice(2)).toEqual(figures.slice(2).toSorted((a, b) => a - b));
    }
  });

  test("bench-witness --json measures every tree at an older block", async () => {
    const { code, stdout, stderr } = await bench(
      ...[stopped, ...LONG, "--json", "--depth", "20", "--trees", TREE_TEXTS.join(",")],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "measuring for 2 s\n" });
    const figures = JSON.parse(stdout);
    expect(figures).toMatchObject({
      block: BLOCKS - 20,
      tip: BLOCKS,
      oldest: 1,
      threads: 2,
      seconds: 2,
      skipped: [],
    });
    expect(Object.keys(figures.trees)).toEqual([...TREE_TEXTS]);
    const counts = Object.values<{ witnesses: number }>(figures.trees).map(({ witnesses }) => witnesses);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(figures.total.witnesses).toBe(counts.reduce((a, b) => a + b));
  });

  test("weights determine how often bench-witness asks a tree", async () => {
    const { stdout } = await bench(stopped, ...LONG, "--json", "--trees", "nullifier=9,archive");
    const { trees, total } = JSON.parse(stdout);
    const share = trees.nullifier.witnesses / total.witnesses;
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(0.98);
  });

  test("bench-witness writes nothing to the data directory", async () => {
    const digest = () =>
      createHash("sha256")
        .update(readFileSync(join(stopped, "chain", "data.mdb")))
        .digest("hex");
    const before = digest();
    expect((await bench(stopped, ...SHORT)).code).toBe(0);
    expect(digest()).toBe(before);
  });
});

test("bench-witness runs beside a node that writes to the directory", async () => {
  const beside = join(folder, "beside");
  mkdirSync(beside);
  symlinkSync(chain.services.store.path, join(beside, "chain"));
  const { store } = chain.services;
  const table = store.table("bench-witness-test");
  let commits = 0;
  const running = bench(beside, "--duration", "1", "--warm-up", "0", "--threads", "1", "--json");
  let done = false;
  const ended = running.finally(() => {
    done = true;
  });
  for (; !done; commits++) {
    store.transaction(() => table.put(Buffer.from("commits"), Buffer.alloc(4096, commits)));
    await sleep(5);
  }
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "measuring for 1 s\n" });
  expect(JSON.parse(stdout).total.witnesses).toBeGreaterThan(0);
  expect(commits).toBeGreaterThan(10);
});

test("Ctrl-C ends bench-witness early", async () => {
  const svc = spawnSvc(["bench-witness", "--data-directory", stopped, "--duration", "600", "--threads", "1"]);
  await svc.shows(/measuring for/);
  svc.child.kill("SIGINT");
  expect(await svc.ended).toEqual({ code: 130, stdout: "", stderr: "measuring for 601 s\n" });
});

test.each(TREE_TEXTS)("sampled keys of the %s tree are leaves of the block, except for the absent share", (tree) => {
  const { world } = chain.services;
  const { id, indexed } = TREES[tree];
  const keys = sampleKeys(world, 30, tree, { count: 100, absent: 0.3 });
  const present = keys.filter((key) => world.findLeaf(30, id, key) !== undefined);
  expect(keys).toHaveLength(100);
  expect(present).toHaveLength(indexed ? 70 : 100);
});

test("a tree without leaves has no sampled keys", () => {
  expect(sampleKeys(chain.services.world, 1, "l1-to-l2", { count: 10, absent: 0 })).toEqual([]);
});

describe("refusals", () => {
  const refused = async (directory: string, ...options: string[]) => {
    const { code, stdout, stderr } = await bench(directory, ...SHORT, ...options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    return stderr.trimEnd();
  };

  test("bench-witness without a data directory exits with 1", async () => {
    const { code, stderr } = await runSvc(["bench-witness"]);
    expect(code).toBe(1);
    expect(stderr).toBe("error: --data-directory must name the data directory of a node\n");
  });

  test("bench-witness on a missing directory, a file or an empty directory exits with 1", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const empty = join(folder, "empty");
    mkdirSync(empty);
    expect(await refused(join(folder, "nowhere"))).toMatch(/does not exist$/);
    expect(await refused(file)).toMatch(/is not a folder$/);
    expect(await refused(empty)).toMatch(/contains no chain store; a node that uses the directory creates one$/);
  });

  test("bench-witness on a damaged store exits with 1", async () => {
    const damaged = join(folder, "damaged");
    mkdirSync(damaged);
    await chain.services.store.copyTo(join(damaged, "chain"));
    truncateSync(join(damaged, "chain", "data.mdb"), 8192);
    expect(await refused(damaged)).toMatch(/^error: database file .*data\.mdb is damaged: /);
  });

  test("bench-witness on a store without a chain exits with 1", async () => {
    const fresh = join(folder, "fresh", "chain");
    mkdirSync(fresh, { recursive: true });
    const store = openStore({ path: fresh, mapSizeKb: MAP_SIZE_KB });
    store.table("identity");
    await store.close();
    expect(await refused(join(folder, "fresh"))).toMatch(/belongs to no chain yet$/);
  });

  test("bench-witness with a depth beyond the kept states exits with 1", async () => {
    expect(await refused(stopped, "--depth", String(BLOCKS))).toBe(
      `error: --depth may be at most ${BLOCKS - 1}: the states of blocks 1 to ${BLOCKS} are kept; got ${BLOCKS}`,
    );
  });

  test("bench-witness on a tree without leaves at that depth exits with 1", async () => {
    expect(await refused(stopped, "--trees", "l1-to-l2", "--depth", String(BLOCKS - 1))).toBe(
      "error: tree l1-to-l2 holds no leaf as of block 1; leave it out of --trees",
    );
  });
});
