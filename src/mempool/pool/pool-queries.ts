import { mapKey } from "../../protocol/bytes.ts";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { DropReason } from "../../protocol/tx/drop-reasons.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { TxSummary } from "../digest/tx-facts.ts";
import type { PoolChainView } from "./pool-chain-view.ts";
import type { PoolContents, PoolState } from "./pool-contents.ts";
import type { PoolEntry } from "./pool-entry.ts";
import type { TxArchive } from "./tx-bodies.ts";

/** Queries about the pool's txs. They change nothing. */
export class PoolQueries {
  readonly #contents: PoolContents;
  readonly #archive: TxArchive;
  readonly #chain: Pick<PoolChainView, "now">;

  constructor(contents: PoolContents, archive: TxArchive, chain: Pick<PoolChainView, "now">) {
    this.#contents = contents;
    this.#archive = archive;
    this.#chain = chain;
  }

  /** Undefined for a tx that the pool does not know. */
  status(hash: Uint8Array): PoolState | "deleted" | undefined {
    const key = mapKey(hash);
    const entry = this.#contents.entries.get(key);
    if (entry !== undefined) return this.#contents.stateOf(entry);
    return this.#contents.retired.isDeleted(key) ? "deleted" : undefined;
  }

  /** Why a tx was dropped, as far as that is remembered: the last ones since the start. */
  dropReason(hash: Uint8Array): DropReason | undefined {
    return this.#contents.dropReasons.of(hash);
  }

  /** A tx whose body is stored, in whatever state. */
  get(hash: Uint8Array): Tx | undefined {
    return this.#contents.bodies.get(hash)?.tx;
  }

  /** Whether the body of a tx is stored, in whatever state. */
  hasTx(hash: Uint8Array): boolean {
    return this.#contents.bodies.has(hash);
  }

  /** The binary form (src/protocol/tx/tx-bytes.ts) of a tx whose body is stored, in whatever state. */
  txBytes(hash: Uint8Array): Uint8Array | undefined {
    return this.#contents.bodies.bytes(hash);
  }

  /** The summary of a tx in the pool, without reading its body. */
  summary(hash: Uint8Array): TxSummary | undefined {
    return this.#contents.entries.get(mapKey(hash));
  }

  /** A finalized tx without its proof. */
  archived(hash: Uint8Array): Tx | undefined {
    return this.#archive.get(hash)?.tx;
  }

  /** Whether there is no tx at all, pending, protected or mined. */
  get isEmpty(): boolean {
    return this.#contents.entries.size === 0;
  }

  /** Number of txs in each state. */
  countByState(): Record<PoolState, number> {
    const counts = { pending: 0, protected: 0, mined: 0 };
    for (const entry of this.#contents.entries.values()) counts[this.#contents.stateOf(entry)]++;
    return counts;
  }

  /** Bytes of a tx of the pool; undefined if it is not there. */
  bytesOf(hash: Uint8Array): number | undefined {
    return this.#contents.entries.get(mapKey(hash))?.bytes;
  }

  get pendingCount(): number {
    return this.#contents.pending.size;
  }

  /** A pending tx without its body. */
  pendingEntry(hash: Uint8Array): PoolEntry | undefined {
    return this.#contents.pending.get(mapKey(hash));
  }

  /** Hashes of pending txs after `after`, highest priority first; none if `after` is not pending. */
  pendingHashes(limit: number, after?: Uint8Array): Uint8Array[] {
    const from = after && this.#contents.pending.get(mapKey(after));
    if (after !== undefined && from === undefined) return [];
    const hashes: Uint8Array[] = [];
    for (const { hash } of this.#contents.pending.order.descending(from)) {
      if (hashes.length >= limit) break;
      hashes.push(hash);
    }
    return hashes;
  }

  /** Hashes of pending txs that arrived at least `minAgeMs` ago, highest priority first. */
  eligible(minAgeMs: number): Uint8Array[] {
    const latest = this.#chain.now() - minAgeMs;
    return [...this.#contents.pending.order.descending()]
      .filter((entry) => entry.receivedAt <= latest)
      .map(({ hash }) => hash);
  }

  /** Priority fees of the pending tx of highest priority; zero when there is none. */
  maxPriorityFees(): GasFees {
    return {
      ...(this.#contents.pending.order.highest()?.maxPriorityFeesPerGas ?? { feePerDaGas: 0n, feePerL2Gas: 0n }),
    };
  }
}
