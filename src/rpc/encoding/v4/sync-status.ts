import type { JsonWriter } from "../json-writer.ts";

export interface SyncStatus {
  latestBlockNumber: number;
  latestBlockHash: Uint8Array;
  finalizedBlockNumber: number;
  oldestHistoricBlockNumber: number;
}

/** WorldStateSyncStatus (sheet 02 section 3.2). The trees change in one transaction, so they always agree. */
export function encodeSyncStatus(out: JsonWriter, status: SyncStatus): void {
  out.text('{"latestBlockNumber":').number(status.latestBlockNumber);
  out.text(',"latestBlockHash":').word(status.latestBlockHash);
  out.text(',"finalizedBlockNumber":').number(status.finalizedBlockNumber);
  out.text(',"oldestHistoricBlockNumber":').number(status.oldestHistoricBlockNumber);
  out.text(',"treesAreSynched":true}');
}
