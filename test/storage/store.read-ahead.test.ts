import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openChainServices } from "../../src/chain-store/chain-services.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";
import { openStore } from "../../src/storage/store.ts";
import { fakeServices } from "../world/rpc/fakes.ts";

let path: string;

beforeEach(() => {
  path = realpathSync(mkdtempSync(join(tmpdir(), "svc-read-ahead-")));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

/** Flags of each mapping of the store in this process, as Linux tells them; `rr`: read at random places. */
function mappings(): string[][] {
  const maps = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  return maps
    .filter((map) => map.split("\n")[0].endsWith(join(path, "data.mdb")))
    .map((map) => /^VmFlags: (.*)$/m.exec(map)?.[1].trim().split(" ") ?? []);
}

test("a store of single pages is mapped for reads at random places", async () => {
  const store = openStore({ path, singlePages: true });
  const maps = mappings();
  expect(maps.length).toBeGreaterThan(0);
  for (const flags of maps) expect(flags).toContain("rr");
  await store.close();
});

test("another store is left to the system's read-ahead", async () => {
  const store = openStore({ path });
  const maps = mappings();
  expect(maps.length).toBeGreaterThan(0);
  for (const flags of maps) expect(flags).not.toContain("rr");
  await store.close();
});

test("a node opens its chain store for single pages", async () => {
  const hasher = new CorePool({ size: 1 });
  const { identity } = fakeServices();
  const options = { path, mapSizeKb: 64 * 1024, core: loadCore(), identity, publicData: [], hasher };
  const { store } = await openChainServices(options);
  expect(mappings().length).toBeGreaterThan(0);
  for (const flags of mappings()) expect(flags).toContain("rr");
  await store.close();
  await hasher.close();
});
