import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStores } from "../../../../src/chain-store/check/check-stores.ts";
import type { Fault } from "../../../../src/chain-store/check/fault.ts";
import { databasesIn } from "../../../../src/cli/db/stats/read-stats.ts";
import { loadCore } from "../../../../src/core/load-core.ts";
import { SignedDuties } from "../../../../src/validator/signing/signed-duties.ts";
import { openSigningStore } from "../../../../src/validator/signing/signing-store.ts";
import { runSvc } from "../../../world/cli/run-svc.ts";

const ROLLUP = `0x${"1a".repeat(20)}`;
const VALIDATOR = `0x${"2b".repeat(20)}`;
const core = loadCore();
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "svc-db-signatures-"));
  mkdirSync(join(directory, "signing"));
  const store = openSigningStore(join(directory, "signing"));
  const duties = new SignedDuties(store, ROLLUP);
  const hash = new Uint8Array(32).fill(3);
  for (const slot of [7, 100]) {
    duties.claim([{ validator: VALIDATOR, duty: { kind: "ATTESTATION", slot }, hash, knownUpTo: -1 }]);
  }
  await store.close();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function signingFaults(): Promise<Fault[]> {
  const faults: Fault[] = [];
  await checkStores(directory, core, { fault: (fault) => void faults.push(fault), stage() {}, step() {} });
  return faults.filter(({ table }) => table.startsWith("signed_"));
}

test("svc db stats has the tables of each database with their rows, as lines and as JSON", async () => {
  expect(databasesIn(directory)).toEqual(["signing"]);
  const json = await runSvc(["db", "stats", "--data-directory", directory, "--json"]);
  expect(json).toMatchObject({ code: 0, stderr: "" });
  const { databases } = JSON.parse(json.stdout) as { databases: { tables: Record<string, { entries: number }> }[] };
  expect(databases).toMatchObject([{ name: "signing", pageBytes: 4096, readers: expect.any(Number) }]);
  expect(databases[0].tables).toMatchObject({ signed_duties: { entries: 1 }, signed_floors: { entries: 1 } });
  const lines = await runSvc(["db", "stats", "--data-directory", directory]);
  expect(lines.stdout).toMatch(/^signing: .* on disk, \d+ free pages .*\n {2}table +entries +bytes\n/);
  expect(lines.stdout).toMatch(/\n {2}signed_duties +1 +4\.00 KiB\n/);
});

test("svc db stats of a folder without databases fails with the folder's name", async () => {
  const { code, stderr } = await runSvc(["db", "stats", "--data-directory", join(directory, "signing")]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("holds no database") });
});

test("svc db check names a signed duty at its rollup's floor, and one of an unknown form", async () => {
  expect(await signingFaults()).toEqual([]);
  const store = openSigningStore(join(directory, "signing"));
  const table = store.table("signed_duties");
  const key = Buffer.alloc(51, 0x1a);
  key.writeUIntBE(35, 20, 6);
  key[46] = 1;
  const other = Buffer.from(key);
  other[46] = 9;
  store.transaction(() => {
    table.put(key, new Uint8Array(32));
    table.put(other, new Uint8Array(32));
    table.put(Buffer.alloc(3, 0xff), new Uint8Array(32));
  });
  await store.close();
  const faults = await signingFaults();
  expect(faults.map(({ rule }) => rule)).toEqual([
    "is at or below its rollup's floor",
    "names the unknown kind of duty 9",
    "its key must have 51 bytes",
  ]);
});
