import { concat, readU32, writeU32 } from "../../protocol/bytes.ts";
import {
  DUTY_STATUSES,
  type DutyStatus,
  type EpochPerformance,
  type HistoryEntry,
} from "../../protocol/slashing/validator-statistics.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { SlotDuty } from "./slot-duties.ts";

/** Entries that are kept for each validator. */
interface SentinelLimits {
  slots: number;
  epochs: number;
}

/** Slots, both inclusive; undefined: no bound. */
interface SlotBounds {
  from: number | undefined;
  to: number | undefined;
}

const DUTY_BYTES = 5;
const EPOCH_BYTES = 12;

/**
 * What the sentinel recorded, by validator (docs/store-format.md#sentinel). Entries ascend by slot and by epoch; the
 * oldest are dropped beyond the limits.
 */
export class SentinelStore {
  readonly #store: Pick<Store, "transaction">;
  readonly #duties: Table;
  readonly #proven: Table;
  readonly #limits: SentinelLimits;

  constructor(store: Pick<Store, "table" | "transaction">, limits: SentinelLimits) {
    this.#store = store;
    this.#duties = store.table("sentinel-duties");
    this.#proven = store.table("sentinel-proven");
    this.#limits = limits;
  }

  /** Appends an entry for each duty. A validator with an entry of this or a later slot keeps what it has. */
  recordSlot(slot: number, duties: readonly SlotDuty[]): void {
    this.#store.transaction(() => {
      for (const { validator, status } of duties) {
        const before = this.#duties.get(validator) ?? new Uint8Array(0);
        if (before.length > 0 && readU32(before, before.length - DUTY_BYTES) >= slot) continue;
        this.#duties.put(validator, concat(newest(before, DUTY_BYTES, this.#limits.slots - 1), dutyRow(slot, status)));
      }
    });
  }

  /** Empty for a validator without entries in the range. */
  history(validator: Uint8Array, { from, to }: SlotBounds): HistoryEntry[] {
    const rows = this.#duties.get(validator) ?? new Uint8Array(0);
    const entries: HistoryEntry[] = [];
    for (let at = rows.length - DUTY_BYTES; at >= 0; at -= DUTY_BYTES) {
      const slot = readU32(rows, at);
      if (from !== undefined && slot < from) break;
      if (to === undefined || slot <= to) entries.push({ slot, status: DUTY_STATUSES[rows[at + 4] - 1] });
    }
    return entries.reverse();
  }

  hasHistory(validator: Uint8Array): boolean {
    return this.#duties.has(validator);
  }

  /** Validators with entries, in ascending order of their addresses. */
  validators(): Uint8Array[] {
    return Array.from(this.#duties.scan({}), ({ key }) => Uint8Array.from(key));
  }

  /** Replaces the validator's entry of the same epoch. */
  recordEpoch(epoch: number, performances: Iterable<{ validator: Uint8Array; missed: number; total: number }>): void {
    this.#store.transaction(() => {
      for (const { validator, missed, total } of performances) {
        const others = this.performance(validator).filter((entry) => entry.epoch !== epoch);
        const entries = [...others, { epoch, missed, total }].sort((a, b) => a.epoch - b.epoch);
        this.#proven.put(validator, newest(concat(...entries.map(epochRow)), EPOCH_BYTES, this.#limits.epochs));
      }
    });
  }

  performance(validator: Uint8Array): EpochPerformance[] {
    const rows = this.#proven.get(validator) ?? new Uint8Array(0);
    return Array.from({ length: rows.length / EPOCH_BYTES }, (_, i) => ({
      epoch: readU32(rows, i * EPOCH_BYTES),
      missed: readU32(rows, i * EPOCH_BYTES + 4),
      total: readU32(rows, i * EPOCH_BYTES + 8),
    }));
  }
}

function newest(rows: Uint8Array, rowBytes: number, count: number): Uint8Array {
  return rows.subarray(Math.max(0, rows.length - count * rowBytes));
}

function dutyRow(slot: number, status: DutyStatus): Uint8Array {
  const row = new Uint8Array(DUTY_BYTES);
  writeU32(row, 0, slot);
  row[4] = DUTY_STATUSES.indexOf(status) + 1;
  return row;
}

function epochRow({ epoch, missed, total }: EpochPerformance): Uint8Array {
  const row = new Uint8Array(EPOCH_BYTES);
  writeU32(row, 0, epoch);
  writeU32(row, 4, missed);
  writeU32(row, 8, total);
  return row;
}
