import { bigUintBytes, concat, equal, readBigUint } from "../../protocol/bytes.ts";
import type { HashingRules } from "../../protocol/generations/hashing.ts";
import type { Store } from "../../storage/store.ts";
import { openTables, type WorldStateTables } from "./tables.ts";

/** A public data entry that exists before the first block. */
export interface PrefilledEntry {
  slot: Uint8Array;
  value: Uint8Array;
}

/** What a chain begins with. Plain data: it crosses threads. */
export interface GenesisContent {
  /** Separators of the inner nodes, by tree. */
  readonly treeNodes: HashingRules["treeNodes"];
  readonly publicData: readonly PrefilledEntry[];
  /** 32 bytes each. */
  readonly nullifiers: readonly Uint8Array[];
  /** Seconds; of the header of block 0. */
  readonly timestamp: bigint;
}

/** In the table "meta": the prefilled public data, each slot 32 | value 32. */
const GENESIS_KEY = Buffer.from("genesis");
/** In the table "meta", only if either is given: timestamp u64 | prefilled nullifiers, 32 each. */
const MORE_KEY = Buffer.from("genesis-nullifiers");

/** What a stored world state was made with; the separators follow from the store's generation. */
type StoredContent = Omit<GenesisContent, "treeNodes">;

function publicDataRow({ publicData }: StoredContent): Uint8Array {
  return concat(...publicData.flatMap(({ slot, value }) => [slot, value]));
}

function moreRow({ timestamp, nullifiers }: StoredContent): Uint8Array | undefined {
  if (timestamp === 0n && nullifiers.length === 0) return undefined;
  return concat(bigUintBytes(timestamp, 8), ...nullifiers);
}

/** To be called in a transaction. */
export function putContent({ meta }: WorldStateTables, content: StoredContent): void {
  meta.put(GENESIS_KEY, publicDataRow(content));
  const more = moreRow(content);
  if (more !== undefined) meta.put(MORE_KEY, more);
}

/** Undefined if no world state was stored. */
export function readContent({ meta }: Pick<WorldStateTables, "meta">): StoredContent | undefined {
  const row = meta.get(GENESIS_KEY)?.slice();
  if (row === undefined) return undefined;
  const more = meta.get(MORE_KEY)?.slice() ?? new Uint8Array(8);
  const publicData: readonly PrefilledEntry[] = Array.from({ length: Math.floor(row.length / 64) }, (_, i) => ({
    slot: row.subarray(64 * i, 64 * i + 32),
    value: row.subarray(64 * i + 32, 64 * i + 64),
  }));
  const nullifiers = Array.from({ length: Math.floor((more.length - 8) / 32) }, (_, i) =>
    more.subarray(8 + 32 * i, 40 + 32 * i),
  );
  return { publicData, nullifiers, timestamp: readBigUint(more, 0, 8) };
}

export function sameContent(a: StoredContent, b: StoredContent): boolean {
  const none = new Uint8Array(0);
  return equal(publicDataRow(a), publicDataRow(b)) && equal(moreRow(a) ?? none, moreRow(b) ?? none);
}

/** The content of a store's genesis; undefined if there is none yet. */
export function storedContent(store: Store): StoredContent | undefined {
  return readContent(openTables(store));
}
