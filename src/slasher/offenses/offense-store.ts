import { bigUintBytes, concat, readBigUint, readUint, writeUint } from "../../protocol/bytes.ts";
import {
  isSlotOffense,
  OFFENSE_TYPES,
  type Offense,
  type OffenseType,
  slotOfOffense,
} from "../../protocol/slashing/offense.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

const SLOT_BYTES = 6;
const MAX_SLOT = 2 ** 48 - 1;
const MAX_AMOUNT = 2n ** 128n - 1n;
const SLASHED = 1;
const TYPES: readonly number[] = Object.values(OFFENSE_TYPES);

const REGISTRATION_SLOT = Buffer.from("registration-slot");

/** A stored offense. */
export interface StoredOffense extends Offense {
  /** Whether a payload that slashes for it was executed (empire model). */
  slashed: boolean;
}

/**
 * Offenses by slot, type and validator (docs/store-format.md#slasher), so that those of a round are a range of keys and
 * one offense is stored once.
 */
export class OffenseStore {
  readonly #store: Store;
  readonly #epochDuration: number;
  readonly #offenses: Table;
  readonly #settings: Table;

  constructor(store: Store, { epochDuration }: { epochDuration: number }) {
    this.#store = store;
    this.#epochDuration = epochDuration;
    this.#offenses = store.table("offenses");
    this.#settings = store.table("slasher-settings");
  }

  /**
   * Adds the offenses that are not stored yet, in one commit, and returns them. Throws a RangeError for one that has no
   * row: its slot is above 2^48 or its amount above 2^128.
   */
  add(offenses: readonly Offense[]): Offense[] {
    const rows = offenses.map((offense) => ({ offense, key: this.#keyOf(offense), value: rowOf(offense.amount) }));
    return this.#store.transaction(() =>
      rows.flatMap(({ offense, key, value }) => {
        if (this.#offenses.has(key)) return [];
        this.#offenses.put(key, value);
        return [offense];
      }),
    );
  }

  /** The offenses of slots from `first` to before `end`, or of all slots: by slot, type and validator. */
  *range(first = 0, end = MAX_SLOT): Generator<StoredOffense> {
    const keys = { start: slotKey(first), end: slotKey(end) };
    for (const { key, value } of this.#offenses.range(keys)) {
      const slot = readUint(key, 0, SLOT_BYTES);
      const offenseType = offenseTypeOf(key[SLOT_BYTES]);
      yield {
        validator: Uint8Array.from(key.subarray(SLOT_BYTES + 1)),
        amount: readBigUint(value, 1, 16),
        offenseType,
        epochOrSlot: BigInt(isSlotOffense(offenseType) ? slot : slot / this.#epochDuration),
        slashed: (value[0] & SLASHED) !== 0,
      };
    }
  }

  /** Marks offenses as slashed. Those that are not stored are ignored: a payload may name anything. */
  markSlashed(offenses: readonly Pick<Offense, "validator" | "offenseType" | "epochOrSlot">[]): void {
    this.#store.transaction(() => {
      for (const offense of offenses) {
        const slot = slotOfOffense(offense, { epochDuration: this.#epochDuration });
        const key = slot < BigInt(MAX_SLOT) ? this.#keyOf(offense) : undefined;
        const value = key && this.#offenses.get(key);
        if (key === undefined || value === undefined) continue;
        const marked = Uint8Array.from(value);
        marked[0] |= SLASHED;
        this.#offenses.put(key, marked);
      }
    });
  }

  /** Removes the offenses of earlier slots. Returns how many there were. */
  removeBefore(slot: number): number {
    return this.#store.transaction(() => {
      const keys = [...this.#offenses.range({ end: slotKey(slot) })].map(({ key }) => Uint8Array.from(key));
      for (const key of keys) this.#offenses.remove(key);
      return keys.length;
    });
  }

  /** Slot in which the rollup became canonical; undefined until it is put. */
  registrationSlot(): number | undefined {
    const row = this.#settings.get(REGISTRATION_SLOT);
    return row && readUint(row, 0, SLOT_BYTES);
  }

  putRegistrationSlot(slot: number): void {
    this.#store.transaction(() => this.#settings.put(REGISTRATION_SLOT, slotKey(slot)));
  }

  #keyOf(offense: Pick<Offense, "validator" | "offenseType" | "epochOrSlot">): Uint8Array {
    const slot = slotOfOffense(offense, { epochDuration: this.#epochDuration });
    if (slot < 0n || slot >= BigInt(MAX_SLOT)) throw new RangeError(`an offense's slot must be below 2^48, is ${slot}`);
    return concat(slotKey(Number(slot)), Uint8Array.of(offense.offenseType), offense.validator);
  }
}

function slotKey(slot: number): Uint8Array {
  const key = new Uint8Array(SLOT_BYTES);
  writeUint(key, 0, SLOT_BYTES, Math.min(slot, MAX_SLOT));
  return key;
}

function rowOf(amount: bigint): Uint8Array {
  if (amount < 0n || amount > MAX_AMOUNT) throw new RangeError(`an offense's amount must be below 2^128, is ${amount}`);
  return concat(Uint8Array.of(0), bigUintBytes(amount, 16));
}

/** Throws a RangeError for a number that is no type, which only a damaged row has. */
function offenseTypeOf(value: number): OffenseType {
  if (!TYPES.includes(value)) throw new RangeError(`an offense's type must be from 0 to 9, is ${value}`);
  return value as OffenseType;
}
