import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  claimStore,
  readIdentity,
  SCHEMA_VERSION,
  StoreIdentityError,
  StoreSchemaError,
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

test("a store with an older or newer schema, or with an unreadable record, is refused", () => {
  for (const schemaVersion of [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1]) {
    write(JSON.stringify({ ...chain, schemaVersion }));
    expect(() => claimStore(store, chain)).toThrow(`has schema version ${schemaVersion}`);
  }
  write("{");
  expect(() => claimStore(store, chain)).toThrow(StoreSchemaError);
});
