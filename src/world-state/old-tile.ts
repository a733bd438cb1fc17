import { completeRecord, isPartial } from "../core/tile-record.ts";
import { readU32 } from "../protocol/bytes.ts";
import { historyKey } from "./tables/row-keys.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import { tileHeightAt, tileOfKey } from "./tables/tile-address.ts";
import { readVersioned, type Versioned } from "./tables/versioned.ts";

function startsWith(key: Uint8Array, prefix: Uint8Array): boolean {
  for (let i = 0; i < prefix.length; i++) if (key[i] !== prefix[i]) return false;
  return true;
}

/** The version of a tile after `block` that has been replaced since; undefined if the tile did not exist then. */
export function oldTile(tables: WorldStateTables, key: Uint8Array, block: number): Versioned | undefined {
  const records: Uint8Array[] = [];
  let since: number | undefined;
  let complete = false;
  for (const row of tables.tileHistory.scan({ start: historyKey(key, block) })) {
    if (!startsWith(row.key, key)) break;
    since ??= readU32(row.value, 0);
    if (since > block) return undefined;
    const record = row.value.slice(4);
    records.push(record);
    complete = !isPartial(record);
    if (complete) break;
  }
  if (since === undefined) return undefined;
  if (!complete) {
    const current = tables.tiles.get(key);
    if (current === undefined) throw new Error("a tile with earlier versions is missing");
    records.push(readVersioned(current).bytes);
  }
  if (records.length === 1) return { since, bytes: records[0] };
  const { tree, level } = tileOfKey(key);
  return { since, bytes: completeRecord(records, tileHeightAt(tree, level)) };
}
