import { concat, readU32, writeU32 } from "../../protocol/bytes.ts";
import { openStore, type Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { versionedHashOf } from "../blobs/blob-offer.ts";
import { L1TxStoreError } from "./errors.ts";
import type { BlobSidecars } from "./transaction.ts";
import { isUnfinished, readTxState, type TxState, writeTxState } from "./tx-state.ts";

/** Maximum transactions stored per account; the oldest are deleted first. */
export const KEPT_STATES = 32;
const SCHEMA = "1";
const BLOB = 131_072;
const POINT = 48;

/** `<account>-<10-digit id>`, so that byte order is the order of ids. */
function key(account: string, id: number): Uint8Array {
  return Buffer.from(`${account}-${String(id).padStart(10, "0")}`);
}

/** u32 blobs | u32 proofs | u32 1 for cell proofs | blobs | commitments | proofs */
function writeSidecars({ blobs, commitments, proofs, cellProofs }: BlobSidecars): Uint8Array {
  const head = new Uint8Array(12);
  writeU32(head, 0, blobs.length);
  writeU32(head, 4, proofs.length);
  writeU32(head, 8, cellProofs ? 1 : 0);
  return concat(head, ...blobs, ...commitments, ...proofs);
}

function readSidecars(bytes: Uint8Array): BlobSidecars {
  let at = 12;
  const take = (count: number, length: number) =>
    Array.from({ length: count }, () => {
      at += length;
      return bytes.slice(at - length, at);
    });
  const count = readU32(bytes, 0);
  const blobs = take(count, BLOB);
  const commitments = take(count, POINT);
  const proofs = take(readU32(bytes, 4), POINT);
  return { blobs, commitments, proofs, versionedHashes: commitments.map(versionedHashOf), cellProofs: bytes[11] === 1 };
}

/** Sent transactions of all accounts, by account (lower-case 0x text). */
export interface TxStates {
  /** States of an account in the order in which they were sent. */
  load(account: string): TxState[];
  sidecars(account: string, id: number): BlobSidecars | undefined;
  /** Stores a new transaction under the account's next id. Deletes the oldest ones beyond the limit. */
  add(account: string, state: Omit<TxState, "id">, sidecars: BlobSidecars | undefined): TxState;
  /** Stores the changed state. Blobs are deleted once the transaction can no longer be resent. */
  update(account: string, state: TxState): void;
  remove(account: string, state: TxState): void;
  close(): Promise<void>;
}

/**
 * Sent transactions of all accounts. The store is separate from the chain store, since it belongs to no rollup
 * (docs/protocol/08-building-and-checkpoints.md#825-watching-l1-transactions
 *). A transaction is on disk before it is sent.
 */
export class L1TxStore implements TxStates {
  readonly #store: Store;
  readonly #states: Table;
  readonly #blobs: Table;
  readonly #counters: Table;

  /** Opens or creates the store in a folder. Throws L1TxStoreError if its schema version is unknown. */
  constructor(path: string) {
    this.#store = openStore({ path });
    this.#states = this.#store.table("l1_tx_states");
    this.#blobs = this.#store.table("l1_tx_blobs");
    this.#counters = this.#store.table("l1_tx_state_id_counter");
    const about = this.#store.table("about");
    const field = Buffer.from("schema version");
    const found = about.get(field);
    if (found === undefined) this.#store.transaction(() => about.put(field, Buffer.from(SCHEMA)));
    else if (Buffer.from(found).toString() !== SCHEMA) throw new L1TxStoreError(path, Buffer.from(found).toString());
  }

  load(account: string): TxState[] {
    const end = concat(key(account, 0).subarray(0, account.length), Buffer.from("."));
    return [...this.#states.range({ start: key(account, 0), end })].map(({ value }) => readTxState(value));
  }

  sidecars(account: string, id: number): BlobSidecars | undefined {
    const bytes = this.#blobs.get(key(account, id));
    return bytes && readSidecars(Uint8Array.from(bytes));
  }

  add(account: string, state: Omit<TxState, "id">, sidecars: BlobSidecars | undefined): TxState {
    const counter = Buffer.from(account);
    return this.#store.transaction(() => {
      const last = this.#counters.get(counter);
      const id = last === undefined ? 1 : Number(Buffer.from(last).toString()) + 1;
      const added = { ...state, id };
      this.#counters.put(counter, Buffer.from(String(id)));
      this.#states.put(key(account, id), writeTxState(added));
      if (sidecars) this.#blobs.put(key(account, id), writeSidecars(sidecars));
      const all = this.load(account);
      for (const old of all.slice(0, Math.max(0, all.length - KEPT_STATES))) this.#remove(account, old.id);
      return added;
    });
  }

  update(account: string, state: TxState): void {
    this.#store.transaction(() => {
      this.#states.put(key(account, state.id), writeTxState(state));
      if (!isUnfinished(state)) this.#blobs.remove(key(account, state.id));
    });
  }

  remove(account: string, { id }: TxState): void {
    this.#store.transaction(() => this.#remove(account, id));
  }

  #remove(account: string, id: number): void {
    this.#states.remove(key(account, id));
    this.#blobs.remove(key(account, id));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
