import type { LogRange, TagRange } from "./content-types.ts";
import type { LogPosition } from "./tables/log-keys.ts";
import type { TxLocation } from "./tables/txs.ts";

/** Higher than any block number. */
const BEYOND_BLOCKS = 2 ** 32 - 1;
const COUNTS = 2 ** 16;

/** First position and the position after the last. */
interface PositionBounds {
  from: LogPosition;
  end: LogPosition;
}

/**
 * Positions that a search by tag covers; undefined if there are none. `after` replaces `fromBlock`
 * (docs/protocol/05-rpc.md#527-logs-by-tag).
 * @param tx location of `range.txHash`; required with it.
 */
export function positionBounds(range: TagRange, tx: TxLocation | undefined): PositionBounds | undefined {
  let from = range.after === undefined ? blockStart(range.fromBlock ?? 1) : firstAfter(range.after);
  let end = blockStart(range.toBlock ?? BEYOND_BLOCKS);
  if (range.txHash !== undefined) {
    if (tx === undefined) return undefined;
    const ofTx = { blockNumber: tx.block, txIndexInBlock: tx.indexInBlock, logIndexWithinTx: 0 };
    const afterTx = firstAfter({ ...ofTx, logIndexWithinTx: COUNTS - 1 });
    if (isBefore(from, ofTx)) from = ofTx;
    if (isBefore(afterTx, end)) end = afterTx;
  }
  return isBefore(from, end) ? { from, end } : undefined;
}

/**
 * Blocks that a search over a range of logs covers, `end` exclusive; `inverted` if the range ends before it begins
 * (docs/protocol/05-rpc.md#526-logs-by-range). `after` replaces `fromBlock`.
 */
export function blockBounds(range: LogRange): { from: number; end: number; inverted: boolean } {
  const first = range.after?.blockNumber ?? Math.max(range.fromBlock ?? 1, 1);
  const inverted = range.toBlock !== undefined && range.toBlock < first;
  return { from: blockNumber(first), end: blockNumber(range.toBlock ?? BEYOND_BLOCKS), inverted };
}

/** Rounds up to a block number that a key can hold. */
function blockNumber(value: number): number {
  return Math.min(Math.max(Math.ceil(value), 0), BEYOND_BLOCKS);
}

function blockStart(block: number): LogPosition {
  return { blockNumber: blockNumber(block), txIndexInBlock: 0, logIndexWithinTx: 0 };
}

/** The next position; counts beyond a block's limits carry over. */
function firstAfter(position: LogPosition): LogPosition {
  if (position.txIndexInBlock >= COUNTS) return blockStart(position.blockNumber + 1);
  if (position.logIndexWithinTx < COUNTS - 1) {
    return { ...position, logIndexWithinTx: Math.max(position.logIndexWithinTx + 1, 0) };
  }
  if (position.txIndexInBlock === COUNTS - 1) return blockStart(position.blockNumber + 1);
  return { ...position, txIndexInBlock: position.txIndexInBlock + 1, logIndexWithinTx: 0 };
}

function isBefore(a: LogPosition, b: LogPosition): boolean {
  return (
    (a.blockNumber - b.blockNumber || a.txIndexInBlock - b.txIndexInBlock || a.logIndexWithinTx - b.logIndexWithinTx) <
    0
  );
}
