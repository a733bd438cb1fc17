import { concat } from "../../protocol/bytes.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { withoutProof } from "../../protocol/tx/tx.ts";
import { type ClaimedTx, txFromBytes, txToBytes } from "../../protocol/tx/tx-bytes.ts";
import type { Table } from "../../storage/table.ts";
import { type TxFacts, type TxSummary, txFacts, txSummary } from "../digest/tx-facts.ts";
import type { PoolStore } from "./pool-store.ts";

type StoredTx = Pick<ClaimedTx, "hash" | "tx">;
/** Form of the txs, and the contract that their fees are paid in. */
export type TxRules = Pick<Generation, "transactions" | "contracts">;
export type NewBody = Pick<TxFacts, "hash" | "anchorHash" | "tx" | "encoded">;

/**
 * Bodies of the pool's txs by hash: anchor hash 32 | the tx's binary form (tx-bytes.ts). Storing the anchor hash saves
 * hashing at the start. Writes run inside Store.transaction.
 */
export class TxBodies {
  readonly #table: Table;
  readonly #rules: TxRules;

  constructor(store: PoolStore, rules: TxRules) {
    this.#table = store.table("pool-txs");
    this.#rules = rules;
  }

  put({ hash, anchorHash, tx, encoded = txToBytes(hash, tx) }: NewBody): void {
    this.#table.put(hash, concat(anchorHash, encoded));
  }

  remove(hash: Uint8Array): void {
    this.#table.remove(hash);
  }

  clear(): void {
    this.#table.clear();
  }

  /** Bytes of a body, 0 if it is not stored. */
  size(hash: Uint8Array): number {
    const row = this.#table.get(hash);
    return row === undefined ? 0 : row.length - 32;
  }

  has(hash: Uint8Array): boolean {
    return this.#table.has(hash);
  }

  /** The tx's binary form as it is stored. */
  bytes(hash: Uint8Array): Uint8Array | undefined {
    return this.#table.get(hash)?.subarray(32);
  }

  get(hash: Uint8Array): StoredTx | undefined {
    const bytes = this.#table.get(hash);
    return bytes && txFromBytes(bytes, 32, this.#rules.transactions.proofFields);
  }

  /** The tx's summary and the size of its body. Throws as txFromBytes for a damaged row. */
  summary(hash: Uint8Array): BodySummary | undefined {
    const bytes = this.#table.get(hash);
    return bytes && summaryOf(bytes, this.#rules);
  }

  /** All rows except the skipped ones, by hash. The summary is undefined for a damaged row. */
  *summaries(skip: (hash: Uint8Array) => boolean): Generator<{ hash: Uint8Array; summary: BodySummary | undefined }> {
    for (const { key, value } of this.#table.range({})) {
      const hash = new Uint8Array(key);
      if (!skip(hash)) yield { hash, summary: readable(value, this.#rules) };
    }
  }
}

type BodySummary = TxSummary & { bytes: number };

/** Undefined only for a damaged row: a row is written from a tx whose form was checked. */
function readable(row: Uint8Array, rules: TxRules): BodySummary | undefined {
  try {
    return summaryOf(row, rules);
  } catch {
    return undefined;
  }
}

function summaryOf(row: Uint8Array, { transactions, contracts }: TxRules): BodySummary {
  const { hash, tx } = txFromBytes(row, 32, transactions.proofFields);
  const digest = {
    hash,
    anchorHash: row.subarray(0, 32),
    dataFault: undefined,
    instanceFault: undefined,
    contractsReadable: true,
  };
  return { ...txSummary(txFacts(tx, digest, contracts)), bytes: row.length - 32 };
}

/**
 * The most recently mined txs without their proofs, oldest first: index u64 to the binary form, and hash to index.
 * Writes run inside Store.transaction.
 */
export class TxArchive {
  readonly #rules: TxRules;
  readonly #txs: Table;
  readonly #indexes: Table;
  #limit: number;

  /** `limit` is in txs; 0 keeps none. */
  constructor(store: PoolStore, rules: TxRules, limit: number) {
    this.#rules = rules;
    this.#txs = store.table("pool-archive");
    this.#indexes = store.table("pool-archive-hashes");
    this.#limit = limit;
  }

  get enabled(): boolean {
    return this.#limit > 0;
  }

  /** Takes effect at the next write. */
  set limit(limit: number) {
    this.#limit = limit;
  }

  add({ hash, tx }: StoredTx): void {
    if (!this.enabled || this.#indexes.has(hash)) return;
    const last = this.#txs.atOrBefore(indexKey(2n ** 64n - 1n));
    const index = last === undefined ? 0n : indexOf(last.key) + 1n;
    this.#txs.put(indexKey(index), txToBytes(hash, withoutProof(tx)));
    this.#indexes.put(hash, indexKey(index));
    this.#trim(index + 1n);
  }

  clear(): void {
    this.#txs.clear();
    this.#indexes.clear();
  }

  get(hash: Uint8Array): StoredTx | undefined {
    const index = this.#indexes.get(hash);
    const bytes = index && this.#txs.get(index);
    return bytes && txFromBytes(bytes, 0, this.#rules.transactions.proofFields);
  }

  /** Removes all but the `limit` entries before `end`. */
  #trim(end: bigint): void {
    const oldest = end - BigInt(this.#limit);
    if (oldest <= 0n) return;
    for (const { key, value } of [...this.#txs.range({ end: indexKey(oldest) })]) {
      this.#indexes.remove(value.subarray(0, 32));
      this.#txs.remove(key);
    }
  }
}

function indexKey(index: bigint): Uint8Array {
  const key = new Uint8Array(8);
  new DataView(key.buffer).setBigUint64(0, index);
  return key;
}

function indexOf(key: Uint8Array): bigint {
  return Buffer.from(key).readBigUInt64BE(0);
}
