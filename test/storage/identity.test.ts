import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import {
  claimStore,
  readIdentity,
  SCHEMA_VERSION,
  StoreGenerationError,
  StoreIdentityError,
  StoreSchemaError,
  storedGeneration,
} from "../../src/storage/identity.ts";
import { openStore, type Store } from "../../src/storage/store.ts";

const chain = { l1ChainId: 31337, rollupVersion: 344372055, rollupAddress: "0x32", genesisArchiveRoot: "0x2d" };
let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-identity-"));
  store = openStore({ path: folder });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const write = (record: string) =>
  store.transaction(() => store.table("identity").put(Buffer.from("identity"), Buffer.from(record)));

test("a new store takes the identity of its first chain and accepts that chain again", () => {
  expect(readIdentity(store)).toBeUndefined();
  claimStore(store, chain);
  expect(readIdentity(store)).toEqual({ schemaVersion: SCHEMA_VERSION, ...chain });
  expect(() => claimStore(store, chain)).not.toThrow();
});

test.each(["l1ChainId", "rollupVersion", "rollupAddress", "genesisArchiveRoot"] as const)(
  "another %s is another chain",
  (field) => {
    claimStore(store, chain);
    const other = { ...chain, [field]: field.startsWith("rollupA") || field.startsWith("g") ? "0xff" : 1 };
    expect(() => claimStore(store, other)).toThrow(StoreIdentityError);
    expect(() => claimStore(store, other)).toThrow(`its ${field} is`);
  },
);

test("the record of a chain of the first generation has no name of it, and another generation is another chain", () => {
  claimStore(store, chain);
  const row = Buffer.from(store.table("identity").get(Buffer.from("identity"))!).toString("utf8");
  expect(row).toBe(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...chain }));
  expect(storedGeneration(store)).toBe(V4);
  expect(() => claimStore(store, { ...chain, generation: "v5" })).toThrow("its generation is v4, this node follows v5");
});

test("a store keeps the generation of its chain", () => {
  claimStore(store, { ...chain, generation: "v5" });
  expect(storedGeneration(store)).toBe(V5);
  expect(() => claimStore(store, { ...chain, generation: "v5" })).not.toThrow();
  expect(() => claimStore(store, chain)).toThrow("its generation is v5, this node follows v4");
});

test("a store of an unknown generation is refused with its folder and the generations that are known", () => {
  write(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...chain, generation: "v6" }));
  const rule = "protocol v6 is not known to this program, which knows v4 or v5";
  for (const read of [() => storedGeneration(store), () => claimStore(store, chain), () => readIdentity(store)]) {
    expect(read).toThrow(StoreGenerationError);
    expect(read).toThrow(`data directory ${folder}: ${rule}. Name another`);
  }
  write(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...chain, generation: 6 }));
  expect(() => readIdentity(store)).toThrow("its identity record cannot be read");
});

test("the generation that a later schema records is not judged", () => {
  write(JSON.stringify({ schemaVersion: SCHEMA_VERSION + 1, ...chain, generation: "v6" }));
  expect(() => readIdentity(store)).toThrow(`has schema version ${SCHEMA_VERSION + 1}`);
});

test("a store with an older or newer schema, or with an unreadable record, is refused", () => {
  for (const schemaVersion of [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1]) {
    write(JSON.stringify({ ...chain, schemaVersion }));
    expect(() => claimStore(store, chain)).toThrow(`has schema version ${schemaVersion}`);
  }
  write("{");
  expect(() => claimStore(store, chain)).toThrow(StoreSchemaError);
});
