import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Core } from "../../../src/core/core.ts";
import { blockHash } from "../../../src/core/derive/block-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { type BlockHeader, HEADER_AT, HEADER_SNAPSHOT_AT } from "../../../src/protocol/block-header.ts";
import { concat, fromHex, writeU32 } from "../../../src/protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  TREE_IDS,
} from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { TxEffect } from "../../../src/protocol/tx-effect.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import type { Fork } from "../../../src/world-state/fork.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import type { PrefilledEntry } from "../../../src/world-state/tables/genesis-row.ts";
import { WORLD_STATE_TABLES } from "../../../src/world-state/tables/tables.ts";
import type { TileHasher } from "../../../src/world-state/tree-batch.ts";
import type { BlockEffects } from "../../../src/world-state/types.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";

export const core: Core = loadCore();

export interface OpenState {
  store: Store;
  state: WorldState;
  path: string;
  reopen(): Promise<OpenState>;
  close(): Promise<void>;
}

export function openState(
  prefilled: PrefilledEntry[] = [],
  path = mkdtempSync(join(tmpdir(), "svc-ws-")),
  hasher?: TileHasher,
  generation: Pick<Generation, "hashing"> = V4,
): OpenState {
  const store = openStore({ path, temporary: true });
  return {
    store,
    path,
    state: new WorldState(core, store, genesisContent(generation, prefilled), hasher),
    reopen: async () => {
      await store.close();
      return openState(prefilled, path, hasher, generation);
    },
    close: async () => {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Every row of every table of the world state, as text. */
export function dump(store: Store): Record<string, [string, string][]> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  return Object.fromEntries(
    Object.values(WORLD_STATE_TABLES).map((name) => [
      name,
      [...store.table(name).range({})].map(({ key, value }): [string, string] => [hex(key), hex(value)]),
    ]),
  );
}

export interface TxParts {
  noteHashes?: Uint8Array[];
  nullifiers?: Uint8Array[];
  publicDataWrites?: { leafSlot: Uint8Array; value: Uint8Array }[];
}

export function txEffect({ noteHashes = [], nullifiers = [], publicDataWrites = [] }: TxParts): TxEffect {
  const empty = new Uint8Array(0);
  return {
    words: empty,
    revertCode: 0,
    txHash: fr(1),
    transactionFee: fr(0),
    noteHashes: concat(...noteHashes),
    nullifiers: concat(...nullifiers),
    l2ToL1Msgs: empty,
    publicDataWrites: concat(...publicDataWrites.flatMap(({ leafSlot, value }) => [leafSlot, value])),
    privateLogs: [],
    publicLogs: [],
    contractClassLogs: [],
  };
}

export function writeSnapshot(header: BlockHeader, fork: Fork, tree: (typeof TREE_IDS)[number]): void {
  const { root, size } = fork.snapshot(tree);
  header.set(root, HEADER_SNAPSHOT_AT[tree]);
  writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
}

/** A valid next block; its header has the roots of applying the effects one by one. */
export function makeBlock(state: WorldState, txs: TxParts[], messages: Uint8Array[] | undefined): BlockEffects {
  const number = state.status().tip + 1;
  const fork = state.fork();
  const header = new Uint8Array(440);
  writeSnapshot(header, fork, ARCHIVE);
  if (messages !== undefined) fork.append(L1_TO_L2_MESSAGE_TREE, messages, 1024);
  for (const { noteHashes = [], nullifiers = [], publicDataWrites = [] } of txs) {
    fork.append(NOTE_HASH_TREE, noteHashes, 64);
    fork.insertSequentially(
      NULLIFIER_TREE,
      nullifiers.map((key) => ({ key })),
    );
    fork.skip(NULLIFIER_TREE, 64 - nullifiers.length);
    fork.insertSequentially(
      PUBLIC_DATA_TREE,
      publicDataWrites.map(({ leafSlot, value }) => ({ key: leafSlot, value })),
    );
  }
  for (const tree of TREE_IDS) if (tree !== ARCHIVE) writeSnapshot(header, fork, tree);
  writeU32(header, HEADER_AT.blockNumber, number);
  const hash = blockHash(core, header);
  fork.append(ARCHIVE, [hash]);
  const effects = txs.map(txEffect);
  return { header, blockHash: hash, archiveRoot: fork.snapshot(ARCHIVE).root, txs: effects, l1ToL2Messages: messages };
}

export async function apply(open: { store: Store; state: WorldState }, blocks: BlockEffects[]): Promise<void> {
  const prepared = await open.state.prepare(blocks);
  open.store.transaction(() => open.state.write(prepared));
}

/** Field elements from vector text: "0x..", or "a..b" for consecutive integers. */
export function fields(texts: string[]): Uint8Array[] {
  return texts.flatMap((text) => {
    const range = /^(\d+)\.\.(\d+)$/.exec(text);
    if (range === null) return [fromHex(text)];
    const [from, to] = [Number(range[1]), Number(range[2])];
    return Array.from({ length: to - from + 1 }, (_, i) => fr(from + i));
  });
}
