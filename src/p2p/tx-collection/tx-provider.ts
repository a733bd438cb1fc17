import type { Tx } from "../../protocol/tx/tx.ts";

export interface WantedTxs {
  /** 32 bytes each. */
  hashes: Uint8Array[];
  /** Archive root of the block they are in, 32 bytes. */
  archive: Uint8Array;
  /** Slot for which found transactions are protected from eviction. */
  slot: number;
  /** Peer that sent the proposal, asked first; undefined if there is none. */
  peer: string | undefined;
  /** Transactions that came with the proposal. */
  embedded: Tx[];
  /** Unix milliseconds. */
  deadline: number;
  signal?: AbortSignal;
}

/** Gathers the transactions of a proposed block from the pool, the proposal and the network. */
export interface TxProvider {
  /** `txs` in the order of the wanted hashes, without those in `missing`. */
  get(wanted: WantedTxs): Promise<{ txs: Tx[]; missing: Uint8Array[] }>;
}
