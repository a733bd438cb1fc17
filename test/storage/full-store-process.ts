/**
 * Fills the disk below the folder that the first argument names (or, with "fsize", the size that a file of this process
 * may have) and goes on writing to a store there. Writes one JSON object: what the writes threw, and what could be read
 * and written afterwards.
 */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/storage/store.ts";
import { StoreFullError } from "../../src/storage/store-errors.ts";

const [folder, kind] = process.argv.slice(2);
const path = join(folder, "store");
mkdirSync(path);
const faults: string[] = [];
const store = openStore({ path, onFault: (fault) => faults.push(fault.name) });
const table = store.table("rows");
let rows = 0;

/** Rows of sizes that need pages of all kinds: rows in leaf pages, and values with pages of their own. */
function commit(count: number, bytes: number): void {
  const before = rows;
  try {
    store.transaction(() => {
      for (let i = 0; i < count; i++) {
        const key = Buffer.alloc(8);
        key.writeUInt32BE(Math.imul(++rows, 2_654_435_761) >>> 0);
        key.writeUInt32BE(rows, 4);
        // One nested transaction per row, as in large commits.
        store.transaction(() => table.put(key, Buffer.alloc(bytes, rows)));
      }
    });
  } catch (error) {
    rows = before;
    throw error;
  }
}

for (let i = 0; i < 20; i++) commit(32, 20_000);
const filler = join(folder, "filler");
if (kind !== "fsize") {
  const file = openSync(filler, "w");
  try {
    while (writeSync(file, Buffer.alloc(4096)) > 0);
  } catch {}
  closeSync(file);
}
const thrown: Record<string, number> = {};
for (let i = 0; i < 400; i++) {
  try {
    commit(1 + (i % 5), 200 + 997 * (i % 100));
  } catch (error) {
    const name = error instanceof StoreFullError ? `${error.name} ${error.reason}` : String(error);
    thrown[name] = (thrown[name] ?? 0) + 1;
  }
}
const read = [...table.range({})].length;
rmSync(filler, { force: true });
let writable = true;
try {
  for (let i = 0; i < 40; i++) commit(8, 20_000);
} catch {
  writable = false;
}
await store.close();
process.stdout.write(
  JSON.stringify({ thrown, faults: new Set(faults).size, rowsLost: read - rows + (writable ? 320 : 0), writable }),
);
