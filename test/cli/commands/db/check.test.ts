import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStores } from "../../../../src/chain-store/check/check-stores.ts";
import type { Fault } from "../../../../src/chain-store/check/fault.ts";
import { putIdentity, readIdentity } from "../../../../src/storage/identity.ts";
import { openStore } from "../../../../src/storage/store.ts";
import { runSvc } from "../../../world/cli/run-svc.ts";
import { core, type SyncedChain, syncRecordedChain } from "../../../world/snapshots/synced-chain.ts";

/** Tables of the chain store whose rows can be checked by hashes or against other rows. */
const TABLES = [
  "chain-archives",
  "chain-block-bodies",
  "chain-block-hashes",
  "chain-block-headers",
  "chain-checkpoints",
  "chain-contract-classes",
  "chain-contract-instances",
  "chain-log-txs",
  "chain-message-count",
  "chain-message-leaves",
  "chain-messages",
  "chain-private-log-tags",
  "chain-public-log-tags",
  "chain-slots",
  "chain-txs",
  "ws-keys",
  "ws-leaves",
  "ws-positions",
  "ws-sizes",
  "ws-states",
  "ws-tile-history",
  "ws-tiles",
  "ws-undo",
];

/** Byte of the row to damage, where the default byte 4 cannot be checked: behind the first block of a version. */
const AT: Record<string, number> = { "ws-tile-history": 20 };

let chain: SyncedChain;
let folder: string;
let whole: string;
let copies = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-db-check-"));
  whole = join(folder, "whole");
  chain = await syncRecordedChain();
  mkdirSync(join(whole, "chain"), { recursive: true });
  await chain.services.store.copyTo(join(whole, "chain"));
});

afterAll(async () => {
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
});

async function faultsOf(directory: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  await checkStores(directory, core, { fault: (fault) => void faults.push(fault), stage() {}, step() {} });
  return faults;
}

/** A copy of the whole data directory with one flipped bit in the chain store's file, at the byte `place` returns. */
function withFlippedBit(place: (file: Buffer) => number): string {
  const path = join(folder, `copy-${++copies}`);
  cpSync(whole, path, { recursive: true });
  const file = join(path, "chain", "data.mdb");
  const bytes = readFileSync(file);
  bytes[place(bytes)] ^= 0x10;
  writeFileSync(file, bytes);
  return path;
}

/** Offset in the file of the value of a table's middle row: behind its key, or on overflow pages. */
async function placeOfRow(table: string): Promise<number> {
  const store = openStore({ path: join(whole, "chain"), readOnly: true });
  try {
    const rows = [...store.table(table).range({})];
    const { key, value } = rows[Math.floor(rows.length / 2)];
    const file = readFileSync(join(whole, "chain", "data.mdb"));
    const beside = file.indexOf(Buffer.concat([key, value]));
    return beside >= 0 ? beside + key.length : file.indexOf(value);
  } finally {
    await store.close();
  }
}

test("svc db check finds no fault in an intact data directory, even while a node writes to it", async () => {
  expect(await faultsOf(whole)).toEqual([]);
  mkdirSync(join(folder, "used"));
  const { path } = chain.services.store;
  cpSync(path, join(folder, "used", "chain"), { recursive: true });
  const { code, stdout } = await runSvc(["db", "check", "--data-directory", join(folder, "used")]);
  expect(stdout).toMatch(/^no faults in .*used, checked in [\d.]+ s\n$/);
  expect(code).toBe(0);
});

test("svc db check finds no fault in a data directory with pruned states", async () => {
  const path = join(folder, "pruned");
  cpSync(whole, path, { recursive: true });
  const { store, world } = await chain.open(join(path, "chain"));
  store.transaction(() => {
    world.setFinalized(40);
    world.pruneTo(20);
  });
  await store.close();
  expect(await faultsOf(path)).toEqual([]);
});

test.each(TABLES)("svc db check finds and names a flipped bit in a row of %s", async (table) => {
  const at = (await placeOfRow(table)) + (AT[table] ?? 3);
  const faults = await faultsOf(withFlippedBit(() => at));
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.every(({ key, rule }) => key.length > 0 && rule.length > 0)).toBe(true);
});

test("svc db check prints a line for each fault and exits with 1", async () => {
  const at = await placeOfRow("chain-block-hashes");
  const path = withFlippedBit(() => at + 3);
  const { code, stdout } = await runSvc(["db", "check", "--data-directory", path]);
  expect(stdout).toMatch(/^fault: chain-block-hashes 0x[0-9a-f]{64}: does not lead to block \d+\n1 fault in /);
  expect(code).toBe(1);
});

test("svc db check finds a flipped bit in a page number before LMDB reads the page", async () => {
  const path = withFlippedBit((file) => 4096 * Math.floor(file.length / 8192));
  const faults = await faultsOf(path);
  expect(faults).toEqual([
    { table: "pages", key: join(path, "chain", "data.mdb"), rule: expect.stringMatching(/page/) },
  ]);
});

test("svc db check names a generation that this program does not know", async () => {
  const path = join(folder, "unknown-generation");
  cpSync(whole, path, { recursive: true });
  const store = openStore({ path: join(path, "chain") });
  store.transaction(() => putIdentity(store, { ...readIdentity(store)!, generation: "v9" }));
  await store.close();
  expect(await faultsOf(path)).toEqual([
    {
      table: "identity",
      key: "identity",
      rule: expect.stringContaining("protocol v9 is not known to this program, which knows v4 or v5"),
    },
  ]);
});

test("svc db check refuses a directory without a chain store", async () => {
  const { code, stderr } = await runSvc(["db", "check", "--data-directory", folder]);
  expect(stderr).toBe(`error: data directory ${folder} holds no chain store\n`);
  expect(code).toBe(1);
});

test("svc db check reports a damaged page that ends the process which reads it, and what it found before", async () => {
  const damaged = join(folder, "damaged");
  mkdirSync(join(damaged, "chain"), { recursive: true });
  const file = new URL("../../../fixtures/store/damaged-chain.mdb.gz", import.meta.url);
  writeFileSync(join(damaged, "chain", "data.mdb"), gunzipSync(readFileSync(file)));
  const { code, stdout } = await runSvc(["db", "check", "--data-directory", damaged]);
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.at(-2)).toMatch(
    /^fault: pages .*data.mdb: reading them ended the process \(SIG[A-Z]+\) while checking .+$/,
  );
  expect(lines.at(-1)).toMatch(new RegExp(`^${lines.length - 1} faults in ${damaged}, checked in`));
  expect(lines.length).toBeGreaterThan(10);
});
