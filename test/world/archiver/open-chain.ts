import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import type { Table } from "../../../src/storage/table.ts";
import { CONSTANTS, seeded } from "./synthetic-chain.ts";

export const GENESIS = { header: new Uint8Array(440), hash: seeded("genesis block") };

export const CHAIN_TABLES = [
  "chain-block-headers",
  "chain-block-bodies",
  "chain-block-hashes",
  "chain-archives",
  "chain-checkpoints",
  "chain-slots",
  "chain-txs",
  "chain-messages",
  "chain-message-leaves",
  "chain-message-count",
  "chain-state",
  "chain-private-log-tags",
  "chain-public-log-tags",
  "chain-log-txs",
  "chain-contract-classes",
  "chain-contract-instances",
  "chain-contract-updates",
];

export function openChain(path = mkdtempSync(join(tmpdir(), "svc-chain-"))) {
  const store = openStore({ path });
  const chain = new ChainStore({ store, genesis: GENESIS, epochDuration: CONSTANTS.epochDuration, generation: V4 });
  return {
    path,
    store,
    chain,
    content: new ContentStore({ store, chain }),
    close: async () => {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Every row of every table as text. */
export function dump(store: Store): Record<string, [string, string][]> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const rows = (table: Table) => [...table.range({})].map(({ key, value }): [string, string] => [hex(key), hex(value)]);
  return Object.fromEntries(CHAIN_TABLES.map((name) => [name, rows(store.table(name))]));
}
