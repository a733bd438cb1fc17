import { concat, equal, fromHex, readUint, writeUint } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { DUTY_KINDS, type Duty } from "./duty.ts";

/** Slots whose duties are kept, counted back from the newest recorded one. */
const KEPT_SLOTS = 64;
const ROLLUP_BYTES = 20;
const SLOT_BYTES = 6;
const KEY_BYTES = ROLLUP_BYTES + SLOT_BYTES + 20 + 1 + 4;

/** A validator's message for a duty. */
export interface Claim {
  /** Lower-case 0x text. */
  readonly validator: string;
  readonly duty: Duty;
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** A duty of this slot or an earlier one is recorded only if it was recorded before; -1 allows all. */
  readonly knownUpTo: number;
}

/** `recorded`: the message is on disk as the only one of its duty. */
export type ClaimAnswer =
  | { readonly kind: "recorded" }
  | { readonly kind: "other"; readonly hash: Uint8Array }
  | { readonly kind: "unknown past"; readonly upTo: number };

function slotBytes(slot: number): Uint8Array {
  const bytes = new Uint8Array(SLOT_BYTES);
  writeUint(bytes, 0, SLOT_BYTES, slot);
  return bytes;
}

/**
 * What validators have signed for a rollup. A claim is checked and written in one transaction, so even two processes on
 * one folder record one message for a duty.
 */
export class SignedDuties {
  readonly #store: Store;
  readonly #duties: Table;
  readonly #floors: Table;
  readonly #rollup: Uint8Array;

  /** `rollup` is 0x text of 20 bytes. */
  constructor(store: Store, rollup: string) {
    this.#rollup = fromHex(rollup);
    if (this.#rollup.length !== ROLLUP_BYTES) throw new RangeError("a rollup address has 20 bytes");
    this.#store = store;
    this.#duties = store.table("signed_duties");
    this.#floors = store.table("signed_floors");
  }

  /** Answers each claim in order. What is recorded is on disk when this returns; if it throws, nothing is recorded. */
  claim(claims: readonly Claim[]): ClaimAnswer[] {
    return this.#store.transaction(() => claims.map((claim) => this.#claim(claim)));
  }

  #claim({ validator, duty, hash, knownUpTo }: Claim): ClaimAnswer {
    const key = this.#key(validator, duty);
    const recorded = this.#duties.get(key);
    if (recorded !== undefined) {
      return equal(recorded, hash) ? { kind: "recorded" } : { kind: "other", hash: Uint8Array.from(recorded) };
    }
    const upTo = Math.max(knownUpTo, this.#floor());
    if (duty.slot <= upTo) return { kind: "unknown past", upTo };
    this.#duties.put(key, hash);
    this.#dropBelow(duty.slot - KEPT_SLOTS);
    return { kind: "recorded" };
  }

  /** The newest slot whose duties were dropped; -1 if none was. */
  #floor(): number {
    const bytes = this.#floors.get(this.#rollup);
    return bytes === undefined ? -1 : readUint(bytes, 0, SLOT_BYTES);
  }

  #dropBelow(slot: number): void {
    if (slot - 1 <= this.#floor()) return;
    const range = { start: this.#rollup, end: concat(this.#rollup, slotBytes(slot)) };
    for (const { key } of [...this.#duties.range(range)]) this.#duties.remove(key);
    this.#floors.put(this.#rollup, slotBytes(slot - 1));
  }

  /** rollup 20 | slot u48 | validator 20 | kind u8 | index within the checkpoint u32, 0 for other kinds */
  #key(validator: string, duty: Duty): Uint8Array {
    const tail = new Uint8Array(5);
    tail[0] = DUTY_KINDS.indexOf(duty.kind);
    if (duty.kind === "BLOCK_PROPOSAL") writeUint(tail, 1, 4, duty.indexWithinCheckpoint);
    return concat(this.#rollup, slotBytes(duty.slot), fromHex(validator), tail);
  }

  /** The newest slot with a recorded duty; -1 if there is none. */
  newestSlot(): number {
    const last = this.#duties.atOrBefore(concat(this.#rollup, new Uint8Array(KEY_BYTES - ROLLUP_BYTES).fill(255)));
    const ofRollup = last !== undefined && equal(last.key.subarray(0, ROLLUP_BYTES), this.#rollup);
    return ofRollup ? readUint(last.key, ROLLUP_BYTES, SLOT_BYTES) : -1;
  }
}
