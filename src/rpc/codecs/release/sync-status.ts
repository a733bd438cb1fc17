import { encoder } from "../json/encoder.ts";
import { about, BOOLEAN, record } from "../json/json-schema.ts";
import { BLOCK_HASH, BLOCK_NUMBER } from "../json/scalars.ts";

export interface SyncStatus {
  latestBlockNumber: number;
  latestBlockHash: Uint8Array;
  finalizedBlockNumber: number;
  oldestHistoricBlockNumber: number;
}

const SYNC_STATUS = record("WorldStateSyncStatus", "How far the trees have come.", {
  latestBlockNumber: about(BLOCK_NUMBER, "The block after which they stand."),
  latestBlockHash: about(BLOCK_HASH, "Its hash."),
  finalizedBlockNumber: about(BLOCK_NUMBER, "The last finalized block."),
  oldestHistoricBlockNumber: about(BLOCK_NUMBER, "The oldest block as of which they can be read."),
  treesAreSynched: about(BOOLEAN, "Whether all trees stand at the same block; always so."),
});

/**
 * WorldStateSyncStatus (docs/protocol/05-rpc.md#519-tips-and-synced-time). All trees change in one transaction, so they
 * always agree.
 */
export const encodeSyncStatus = encoder<SyncStatus>(SYNC_STATUS, (out, status) => {
  out.text('{"latestBlockNumber":').number(status.latestBlockNumber);
  out.text(',"latestBlockHash":').word(status.latestBlockHash);
  out.text(',"finalizedBlockNumber":').number(status.finalizedBlockNumber);
  out.text(',"oldestHistoricBlockNumber":').number(status.oldestHistoricBlockNumber);
  out.text(',"treesAreSynched":true}');
});
