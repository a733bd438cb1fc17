import { completeRecord, isPartial } from "../core/tile-record.ts";
import { equal } from "../protocol/bytes.ts";
import { historyKey, readVersioned, type Versioned, type WorldStateTables } from "./tables.ts";
import { tileHeightAt, tileOfKey } from "./tile-address.ts";

/** The version of a tile that held after `block` and has ended since; undefined when the tile did not exist then. */
export function oldTile(tables: WorldStateTables, key: Uint8Array, block: number): Versioned | undefined {
  const records: Uint8Array[] = [];
  let since: number | undefined;
  let complete = false;
  for (const row of tables.tileHistory.range({ start: historyKey(key, block) })) {
    if (!equal(row.key.subarray(0, key.length), key)) break;
    const version = readVersioned(row.value);
    since ??= version.since;
    if (since > block) return undefined;
    records.push(version.bytes);
    complete = !isPartial(version.bytes);
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
