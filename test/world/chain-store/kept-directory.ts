import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract } from "tar";
import { openStore, type Store } from "../../../src/storage/store.ts";

const FOLDER = fileURLToPath(new URL("../../fixtures/store/", import.meta.url));

/** Unpacks the data directory of a schema version, as the program of that version left it, to a new folder. */
export function keptDirectory(schemaVersion: number): string {
  const folder = mkdtempSync(join(tmpdir(), `svc-schema-${schemaVersion}-`));
  extract({ file: join(FOLDER, `schema-${schemaVersion}.tar.br`), cwd: folder, sync: true, strict: true });
  return folder;
}

/** The chain of the kept directories. */
export const KEPT_CHAIN = {
  l1ChainId: 31337,
  rollupVersion: 344372055,
  rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44",
} as const;

/** Every row of a table as hex. */
export function rowsOf(store: Store, table: string): string[] {
  return [...store.table(table).range({})].map(
    ({ key, value }) => `${Buffer.from(key).toString("hex")} ${Buffer.from(value).toString("hex")}`,
  );
}

export async function withStore<T>(path: string, use: (store: Store) => T | Promise<T>): Promise<T> {
  const store = openStore({ path });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
