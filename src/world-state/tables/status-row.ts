import { concat, readU32 } from "../../protocol/bytes.ts";

import { blockKey } from "./row-keys.ts";
import { archiveRootIn } from "./state-row.ts";
import type { WorldStateTables } from "./tables.ts";

export interface WorldStateStatus {
  readonly tip: number;
  readonly finalized: number;
  readonly oldest: number;
}

const STATUS_KEY = Buffer.from("status");

/** Bytes of the row of "status". */
export const STATUS_BYTES = 12 + 32;
const NO_STATUS = new Uint8Array(STATUS_BYTES);

/** Copies the row of "status" to `out`: zeros before genesis is stored. */
export function readStatusRow(tables: WorldStateTables, out: Uint8Array): void {
  if (tables.meta.readInto(STATUS_KEY, out) < 0) out.set(NO_STATUS);
}

/** Tip, finalized and oldest block. */
export function parseStatus(row: Uint8Array): WorldStateStatus {
  return { tip: readU32(row, 0), finalized: readU32(row, 4), oldest: readU32(row, 8) };
}

/** Changes the status; the rows of the tip have to be written before. */
export function updateStatus(tables: WorldStateTables, change: Partial<WorldStateStatus>): void {
  const row = new Uint8Array(STATUS_BYTES);
  readStatusRow(tables, row);
  const { tip, finalized, oldest } = { ...parseStatus(row), ...change };
  const state = tables.states.get(blockKey(tip));
  const archiveRoot = state === undefined ? NO_STATUS.subarray(12) : archiveRootIn(state);
  tables.meta.put(STATUS_KEY, concat(blockKey(tip), blockKey(finalized), blockKey(oldest), archiveRoot));
}
