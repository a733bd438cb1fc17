import type { HashedTx } from "../../execution/executed-tx.ts";

export interface WantedTxs {
  /** 32 bytes each, in the order of the block. */
  hashes: readonly Uint8Array[];
  /** Archive root after the block, 32 bytes. */
  archive: Uint8Array;
  /** Slot for which found transactions are protected from eviction. */
  slot: number;
  /** Peer that sent the proposal, asked first; undefined if there is none. */
  peer: string | undefined;
  /** Transactions that came with the proposal, with the hashes that they claim. */
  embedded: readonly HashedTx[];
  /** Unix milliseconds. */
  deadline: number;
  signal?: AbortSignal;
}

export interface FoundTxs {
  /** In the order of the wanted hashes, without those in `missing`. */
  txs: HashedTx[];
  missing: Uint8Array[];
}

/** Gathers the transactions of a proposed block from wherever they are. */
export interface ProposalTxs {
  get(wanted: WantedTxs): Promise<FoundTxs>;
}
