/** Migrates the chain store of a data directory and kills itself right before the n-th write: <directory> <n>. */
import { join } from "node:path";
import { CHAIN_MIGRATIONS } from "../../../src/chain-store/migrations/migrations.ts";
import { storedIdentity } from "../../../src/storage/identity.ts";
import { migrateStore } from "../../../src/storage/migrate.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import type { Table } from "../../../src/storage/table.ts";

const [directory, writes] = process.argv.slice(2);
let left = Number(writes);

function killing(table: Table): Table {
  const write =
    (name: "put" | "remove") =>
    (...args: [Uint8Array, Uint8Array]): void => {
      if (--left < 0) process.kill(process.pid, "SIGKILL");
      table[name](...args);
    };
  return new Proxy(table, {
    get(target, key) {
      if (key === "put" || key === "remove") return write(key);
      const member: unknown = Reflect.get(target, key);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const store = openStore({ path: join(directory, "chain") });
const watched: Store = new Proxy(store, {
  get(target, key) {
    if (key === "table") return (name: string) => killing(target.table(name));
    const member: unknown = Reflect.get(target, key);
    return typeof member === "function" ? member.bind(target) : member;
  },
});
const identity = storedIdentity(store);
if (identity === undefined) throw new Error("a kept directory has an identity");
await migrateStore(watched, identity, { migrations: CHAIN_MIGRATIONS });
await store.close();
