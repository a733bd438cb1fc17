import { mapKey } from "../../../protocol/bytes.ts";

/** The transactions that peers may ask for, in any state of the pool. */
export interface ServedTxs {
  /** The binary form as it is stored (src/protocol/tx/tx-bytes.ts); undefined if there is none. */
  txBytes(hash: Uint8Array): Uint8Array | undefined;
  hasTx(hash: Uint8Array): boolean;
}

/** The transactions that are there, in the order of `hashes`, each once, as long as they fit into `room` bytes. */
export function gatherTxs(txs: ServedTxs, hashes: Iterable<Uint8Array>, room: number): Uint8Array[] {
  const found = new Map<string, Uint8Array>();
  let left = room;
  for (const hash of hashes) {
    const key = mapKey(hash);
    const bytes = found.has(key) ? undefined : txs.txBytes(hash);
    if (bytes === undefined) continue;
    if (bytes.length > left) break;
    left -= bytes.length;
    found.set(key, bytes);
  }
  return [...found.values()];
}
