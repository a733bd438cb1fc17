import type { HashedTx } from "../../execution/executed-tx.ts";

/** A tx that another node sent. The hash is claimed. */
export interface CollectedTx extends HashedTx {
  /** Its binary form with that hash (src/protocol/tx/tx-bytes.ts), if it came in this form. */
  encoded?: Uint8Array;
}

export interface WantedTxs {
  /** 32 bytes each, in the order of the block. */
  hashes: readonly Uint8Array[];
  /** Archive root after the block, 32 bytes. */
  archive: Uint8Array;
  /** Slot for which found transactions are protected from eviction. */
  slot: number;
  /** Peer that sent the proposal, asked first; undefined if there is none. */
  peer: string | undefined;
  /** Transactions that came with the proposal. */
  embedded: readonly CollectedTx[];
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
