import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkStores } from "../../../src/chain-store/check/check-stores.ts";
import { CHAIN_MIGRATIONS, POOL_MIGRATIONS } from "../../../src/chain-store/migrations/migrations.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { putIdentity, readIdentity, SCHEMA_VERSION, StoreIdentityError } from "../../../src/storage/identity.ts";
import { type Migration, migrateStore } from "../../../src/storage/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { NODE_OPTIONS } from "../../support/program.ts";
import { KEPT_CHAIN, keptDirectory, rowsOf, withStore } from "../../world/chain-store/kept-directory.ts";
import { goldenCases, NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";

const OLD_VERSIONS = CHAIN_MIGRATIONS.map(({ from }) => from);
/** Kills of whole nodes at random moments of a start over an old directory; a long run sets more. */
const KILLS = Number(process.env.SVC_MIGRATION_KILLS ?? 4);
const KILL_WITHIN_MS = 2_500;

const folders: string[] = [];
const kept = (version: number): string => {
  const folder = keptDirectory(version);
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const TABLES = [
  ...["identity", "ws-meta", "ws-states", "ws-leaves", "ws-keys", "ws-tiles", "ws-tile-history", "ws-undo"],
  ...["ws-positions", "ws-value-history", "ws-sizes", "chain-state", "chain-block-headers", "chain-block-bodies"],
  ...["chain-checkpoints", "chain-messages", "chain-txs", "chain-log-txs", "chain-contract-classes"],
];
const tablesOf = (directory: string) =>
  withStore(join(directory, "chain"), (store) => TABLES.map((name) => [name, rowsOf(store, name)]));

async function identityIn(directory: string) {
  return await withStore(join(directory, "chain"), (store) => readIdentity(store));
}

async function migrate(directory: string): Promise<void> {
  const current = await identityIn(keptNow);
  if (current === undefined) throw new Error("the kept directory has an identity");
  const { schemaVersion: _, ...chain } = current;
  await withStore(join(directory, "chain"), (store) => migrateStore(store, chain, { migrations: CHAIN_MIGRATIONS }));
  await withStore(join(directory, "pool"), (store) => migrateStore(store, chain, { migrations: POOL_MIGRATIONS }));
}

async function faults(directory: string): Promise<object[]> {
  const found: object[] = [];
  const fault = (one: object) => void found.push(one);
  await checkStores(directory, loadCore(), { stage: () => {}, step: () => {}, fault });
  return found;
}

/** The directory of this schema version, which a fresh sync made. */
let keptNow: string;
beforeAll(() => {
  keptNow = kept(SCHEMA_VERSION);
});

test("every schema version since the first migration has a step to the next one, in both stores", () => {
  const wanted = Array.from({ length: SCHEMA_VERSION - OLD_VERSIONS[0] }, (_, i) => OLD_VERSIONS[0] + i);
  expect(OLD_VERSIONS).toEqual(wanted);
  expect(POOL_MIGRATIONS.map(({ from }) => from)).toEqual(wanted);
});

describe.each(OLD_VERSIONS)("a data directory of schema version %i", (version) => {
  test("has, when migrated, the very rows of a fresh sync, and no fault", async () => {
    const directory = kept(version);
    await migrate(directory);
    expect(await tablesOf(directory)).toEqual(await tablesOf(keptNow));
    // A node adds the tables that came without a new version.
    await withStore(join(directory, "chain"), (store) => {
      for (const table of ["recent-l1-blocks", "proven-l1-block"]) store.table(table);
    });
    expect(await faults(directory)).toEqual([]);
  });

  test("is the old one or the new one when its migration is killed before any of its writes", async () => {
    const script = fileURLToPath(new URL("killed-migration.ts", import.meta.url));
    const before = await tablesOf(kept(version));
    for (let write = 0, ended = false; !ended; write++) {
      const directory = kept(version);
      const child = spawn(process.execPath, [...NODE_OPTIONS, script, directory, String(write)]);
      const [code, signal] = await new Promise<unknown[]>((done) => child.once("exit", (...how) => done(how)));
      ended = code === 0;
      expect(ended || signal === "SIGKILL").toBe(true);
      if (!ended) expect(await tablesOf(directory)).toEqual(before);
      await migrate(directory);
      expect(await tablesOf(directory)).toEqual(await tablesOf(keptNow));
      expect(write).toBeLessThan(100);
    }
  });

  test("of another chain is refused and stays as it is", async () => {
    const directory = kept(version);
    const before = await tablesOf(directory);
    const other = { ...KEPT_CHAIN, rollupVersion: 1, genesisArchiveRoot: "0x00" };
    await withStore(join(directory, "chain"), async (store) => {
      await expect(migrateStore(store, other, { migrations: CHAIN_MIGRATIONS })).rejects.toThrow(StoreIdentityError);
    });
    expect(await tablesOf(directory)).toEqual(before);
  });
});

describe("migrations in parts", () => {
  const chain = { ...KEPT_CHAIN, genesisArchiveRoot: "0x01" };
  const ROWS = 10;
  const key = (i: number) => Uint8Array.of(i);

  /** Doubles the rows 1 to ROWS, one in each part. */
  const doubling = (before: (row: number) => void = () => {}): Migration => ({
    from: SCHEMA_VERSION - 1,
    change: "rows are doubled",
    part(store, cursor) {
      const row = (cursor?.[0] ?? 0) + 1;
      before(row);
      const table = store.table("rows");
      table.put(key(row), Uint8Array.of(2 * table.get(key(row))![0]));
      return row === ROWS ? { done: 1 } : { next: key(row), done: row / ROWS };
    },
  });

  async function withOldStore(use: (store: Store) => Promise<void>, version = SCHEMA_VERSION - 1): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "svc-migrate-"));
    folders.push(folder);
    await withStore(folder, async (store) => {
      for (const name of ["identity", "rows"]) store.table(name);
      store.transaction(() => {
        putIdentity(store, { schemaVersion: version, ...chain });
        for (let row = 1; row <= ROWS; row++) store.table("rows").put(key(row), Uint8Array.of(row));
      });
      await use(store);
    });
  }
  const values = (store: Store) => [...store.table("rows").range({})].map(({ value }) => value[0]);
  const doubled = Array.from({ length: ROWS }, (_, i) => 2 * (i + 1));

  test("a migration that fails in any part goes on there, and does no part twice", async () => {
    for (let failing = 1; failing <= ROWS; failing++) {
      await withOldStore(async (store) => {
        const fail = (row: number) => {
          if (row === failing) throw new Error(`part ${row}`);
        };
        await expect(migrateStore(store, chain, { migrations: [doubling(fail)] })).rejects.toThrow(`part ${failing}`);
        expect(() => readIdentity(store)).toThrow("schema version");
        await migrateStore(store, chain, { migrations: [doubling()] });
        expect(values(store)).toEqual(doubled);
        expect(readIdentity(store)).toEqual({ schemaVersion: SCHEMA_VERSION, ...chain });
        expect(rowsOf(store, "identity")).toHaveLength(1);
      });
    }
  });

  test("a stop signal ends a migration between two parts, and progress is reported", async () => {
    await withOldStore(async (store) => {
      const stop = new AbortController();
      const seen: number[] = [];
      const report = {
        begin: () => {},
        end: () => {},
        progress: (_: Migration, done: number) => {
          seen.push(done);
          if (done >= 0.3) stop.abort(new Error("stopped"));
        },
      };
      const migrations = [doubling()];
      await expect(migrateStore(store, chain, { migrations, report, signal: stop.signal })).rejects.toThrow("stopped");
      expect(seen).toEqual([0.1, 0.2, 0.3]);
      expect(values(store).slice(0, 5)).toEqual([2, 4, 6, 4, 5]);
      await migrateStore(store, chain, { migrations, report });
      expect(seen.at(-1)).toBe(1);
      expect(values(store)).toEqual(doubled);
    });
  });

  test("a newer schema version, and one older than all migrations, is refused", async () => {
    for (const version of [SCHEMA_VERSION + 1, OLD_VERSIONS[0] - 1]) {
      await withOldStore(async (store) => {
        await expect(migrateStore(store, chain, { migrations: CHAIN_MIGRATIONS })).rejects.toThrow(
          `has schema version ${version}, this node reads version ${SCHEMA_VERSION}`,
        );
      }, version);
    }
  });
});

describe("a node over a data directory of an earlier schema version", () => {
  let l1: RecordedL1;
  beforeAll(async () => {
    l1 = await startRecordedL1();
  });
  afterAll(() => l1?.stop());

  test("that is killed at random moments of its start gives the answers of a fresh sync in the end", async () => {
    const directory = kept(OLD_VERSIONS[0]);
    for (let kill = 0; kill < KILLS; kill++) {
      const node = await NodeProcess.start(l1, directory);
      await new Promise((done) => setTimeout(done, KILL_WITHIN_MS * Math.random()));
      expect(node.running).toBe(true);
      await node.end("SIGKILL");
    }
    const [migrated, fresh] = [await NodeProcess.start(l1, directory), await NodeProcess.start(l1)];
    try {
      await Promise.all([migrated.ready(), fresh.ready()]);
      // The old pool has a pending tx.
      expect((await migrated.ask("getPendingTxCount")).body.result).toBe(1);
      const cases = goldenCases().filter(({ method }, i) => i % 7 === 0 && !method.includes("Pending"));
      expect(cases.length).toBeGreaterThan(200);
      for (const { method, params } of cases) {
        const wanted = await fresh.ask(method, params);
        expect((await migrated.ask(method, params)).text, `${method} ${JSON.stringify(params)}`).toBe(wanted.text);
      }
    } finally {
      await fresh.remove();
      await migrated.end("SIGTERM");
    }
    expect(await faults(directory)).toEqual([]);
  }, 180_000);
});
