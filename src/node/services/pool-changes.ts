import { randomBytes } from "node:crypto";
import { Listeners } from "../../events/listeners.ts";
import type { PendingChange } from "../../mempool/pool/pending-txs.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { PoolChange, PoolEvents } from "../../rpc/ports/pool-events.ts";

/** Hashes in the changes that are kept for listeners that come later, such as an RPC thread that was restarted. */
const MAX_HASHES = 16_384;

/** Numbers the changes of a pool's pending txs, one for each turn of the event loop that had some. */
export function poolChanges(pool: Pick<TxPool, "onPendingChange">, failed: (error: unknown) => void): PoolEvents {
  const listeners = new Listeners<[PoolChange]>(failed);
  const run = randomBytes(8).toString("hex");
  /** The first one says which run this is. */
  const kept: PoolChange[] = [{ run, number: 0, added: [], removed: [] }];
  let keptHashes = 0;
  let next = 1;
  let waiting: PendingChange | undefined;

  const emit = (): void => {
    const change = { run, number: next++, ...waiting! };
    waiting = undefined;
    kept.push(change);
    keptHashes += sizeOf(change);
    while (keptHashes > MAX_HASHES && kept.length > 1) keptHashes -= sizeOf(kept.shift()!);
    listeners.emit(change);
  };
  pool.onPendingChange(({ added, removed }) => {
    if (waiting === undefined) setImmediate(emit);
    waiting ??= { added: [], removed: [] };
    // Copies: a hash may be part of a large buffer, all of which would cross to other threads with it.
    waiting.added.push(...added.map((hash) => new Uint8Array(hash)));
    waiting.removed.push(...removed.map((hash) => new Uint8Array(hash)));
  });
  return {
    onChange(listener) {
      for (const change of kept) listener(change);
      return listeners.add(listener);
    },
  };
}

function sizeOf({ added, removed }: PendingChange): number {
  return added.length + removed.length;
}
