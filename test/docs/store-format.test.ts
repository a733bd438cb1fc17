import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainOf } from "../../src/archiver/chain-reads.ts";
import { ContentStore } from "../../src/archiver/content-store.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { L1TxStore } from "../../src/l1/tx/tx-store.ts";
import { AttestationPool } from "../../src/mempool/attestations/attestation-pool.ts";
import { TxPool } from "../../src/mempool/pool/tx-pool.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { EpochStore } from "../../src/prover/broker/epoch-store.ts";
import { OffenseStore } from "../../src/slasher/offenses/offense-store.ts";
import { SentinelStore } from "../../src/slasher/sentinel/sentinel-store.ts";
import { claimStore, SCHEMA_VERSION } from "../../src/storage/identity.ts";
import { openStore } from "../../src/storage/store.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { SignedDuties } from "../../src/validator/signing/signed-duties.ts";
import { openSigningStore } from "../../src/validator/signing/signing-store.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { ModelWorld } from "../world/mempool/model-world.ts";
import { V4_ROLLUP } from "../world/protocol/message-rollup.ts";

const DOCUMENT = readFileSync(new URL("../../docs/store-format.md", import.meta.url), "utf8");
const IDENTITY = {
  l1ChainId: 31337,
  rollupVersion: 1,
  rollupAddress: `0x${"11".repeat(20)}`,
  genesisArchiveRoot: `0x${"00".repeat(32)}`,
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-store-format-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names of an environment's tables; on disk each ends with a zero byte. */
async function tablesOf(path: string): Promise<string[]> {
  const root = open<Buffer, Buffer>({ path, encoding: "binary", keyEncoding: "binary", readOnly: true });
  const names = Array.from(root.getKeys(), (key) => key.toString().replace(/\0$/, "")).toSorted();
  await root.close();
  return names;
}

/** Tables that a chapter of the document describes. */
function described(chapter: string): string[] {
  const [, text] = DOCUMENT.split(`\n## ${chapter}\n`);
  const names = Array.from(text.split("\n## ")[0].matchAll(/^#### `([^`]+)`$/gm), ([, name]) => name);
  return names.toSorted();
}

async function chainStore(): Promise<string> {
  const path = join(folder, "chain");
  mkdirSync(path);
  const store = openStore({ path });
  claimStore(store, IDENTITY);
  const world = new WorldState(loadCore(), store, genesisContent(V4, []));
  const chain = chainOf(store, world, { epochDuration: 32, generation: V4 });
  new ContentStore({ store, chain });
  await store.close();
  return path;
}

async function poolStore(): Promise<string> {
  const path = join(folder, "pool");
  mkdirSync(path);
  const store = openStore({ path });
  claimStore(store, IDENTITY);
  new TxPool(store, new ModelWorld(new Map()), { rules: V4, maxPending: 10, archived: 10, deleteAfterReorg: false });
  new AttestationPool(store, V4_ROLLUP, silentLogger);
  new SentinelStore(store, { slots: 1, epochs: 1 });
  new OffenseStore(store, { epochDuration: 32 });
  await store.close();
  return path;
}

async function l1TxStore(): Promise<string> {
  const path = join(folder, "l1-tx-utils");
  mkdirSync(path);
  await new L1TxStore(path).close();
  return path;
}

async function signingStore(): Promise<string> {
  const path = join(folder, "signing");
  const store = openSigningStore(path);
  new SignedDuties(store, IDENTITY.rollupAddress);
  await store.close();
  return path;
}

async function brokerStore(): Promise<string> {
  const path = join(folder, "broker");
  await new EpochStore(path, 1, undefined).close();
  return join(path, "1");
}

test("docs/store-format.md describes exactly the tables of the chain store", async () => {
  expect([...described("Stores"), ...described("Chain store")].toSorted()).toEqual(await tablesOf(await chainStore()));
});

test("docs/store-format.md describes exactly the tables of the pool store", async () => {
  expect([...described("Stores"), ...described("Pool store")].toSorted()).toEqual(await tablesOf(await poolStore()));
});

test("docs/store-format.md describes exactly the tables of the store of L1 transactions", async () => {
  expect(described("Store of L1 transactions")).toEqual(await tablesOf(await l1TxStore()));
});

test("docs/store-format.md describes exactly the tables of the store of signatures", async () => {
  expect(described("Store of signatures")).toEqual(await tablesOf(await signingStore()));
});

test("docs/store-format.md describes exactly the tables of a broker's stores", async () => {
  expect(described("Stores of the broker")).toEqual(await tablesOf(await brokerStore()));
});

test("docs/store-format.md describes every table that the source opens", () => {
  const root = new URL("../../", import.meta.url);
  const sources = globSync("src/**/*.ts", { cwd: root.pathname });
  const named = sources.flatMap((file) =>
    Array.from(readFileSync(new URL(file, root), "utf8").matchAll(/\.table\("([^"]+)"\)/g), ([, name]) => name),
  );
  const all = [
    ...["Stores", "Chain store", "Pool store"],
    ...["Store of L1 transactions", "Store of signatures", "Stores of the broker"],
  ].flatMap(described);
  expect([...new Set(named)].filter((name) => !all.includes(name))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThan(20);
  expect(new Set(all).size).toBe(all.length);
});

test("docs/store-format.md has the program's schema version", () => {
  expect(DOCUMENT).toContain(`"schemaVersion":${SCHEMA_VERSION},`);
});
