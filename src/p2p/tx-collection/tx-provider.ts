import type { FoundTxs, ProposalTxs, WantedTxs } from "../../checkpoints/proposals/proposal-txs.ts";

/** Gathers the transactions of a proposed block from the pool, the proposal and the network. */
export type TxProvider = ProposalTxs;
export type { FoundTxs, WantedTxs };
