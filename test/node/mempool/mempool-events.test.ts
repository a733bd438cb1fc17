import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SyncEvents } from "../../../src/archiver/sync-services.ts";
import type { AddedBlock, TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { followChain } from "../../../src/node/mempool/mempool-events.ts";
import { HEADER_AT } from "../../../src/protocol/block-header.ts";
import { bigUintBytes, concat, mapKey, toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { GENESIS_BLOCK, IDENTITY, settledTx, wordOf } from "../../world/rpc/fakes.ts";

type Listeners = { [K in keyof SyncEvents]?: (...args: SyncEvents[K]) => void };

function setUp(isEmpty = false) {
  const listeners: Listeners = {};
  const calls: unknown[] = [];
  const pool = {
    isEmpty,
    blockAdded: ({ number, timestamp, txHashes, nullifierKeys }: AddedBlock) =>
      void calls.push(["block", number, timestamp, txHashes.map(toHex), [...nullifierKeys]]),
    slotStarted: (slot: number) => void calls.push(["slot", slot]),
    pruned: (tip: number, checkpoints: number) => void calls.push(["pruned", tip, checkpoints]),
    finalized: (block: number) => void calls.push(["finalized", block]),
  };
  const block = (number: number) => {
    const header = new Uint8Array(GENESIS_BLOCK.header);
    header.set(bigUintBytes(BigInt(1_000 + number), 8), HEADER_AT.timestamp);
    return { ...GENESIS_BLOCK, number, header, hash: wordOf(number) };
  };
  const effect = (number: number) => ({
    ...settledTx().effect,
    txHash: fr(number),
    nullifiers: concat(fr(number * 10), fr(number * 10 + 1)),
  });
  const errors: string[] = [];
  let seconds = IDENTITY.constants.l1GenesisTime + 72 * 5;
  const end = followChain({
    pool: pool as unknown as TxPool,
    synchronizer: {
      on: (event, listener) => {
        Object.assign(listeners, { [event]: listener });
        return () => delete listeners[event];
      },
    },
    chain: { block, txEffects: (number: number) => [effect(number)] },
    constants: IDENTITY.constants,
    minFees: undefined,
    slotCheckIntervalMs: 1_000,
    now: () => seconds * 1_000,
    logger: { error: (_, message) => void errors.push(message) },
  });
  return { listeners, calls, pool, errors, end, later: (by: number) => (seconds += by) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a pool is given every new block in order, then the slot", () => {
  const { listeners, calls, end } = setUp();
  listeners.blocksAdded?.({ first: 3, last: 4 });
  const keys = (number: number) => [fr(number * 10), fr(number * 10 + 1)].map(mapKey);
  expect(calls).toEqual([
    ["block", 3, 1_003n, [toHex(fr(3))], keys(3)],
    ["block", 4, 1_004n, [toHex(fr(4))], keys(4)],
    ["slot", 5],
  ]);
  end();
});

test("an empty pool is given the slot but no blocks", () => {
  const { listeners, calls, end } = setUp(true);
  listeners.blocksAdded?.({ first: 1, last: 1_000_000_000 });
  expect(calls).toEqual([["slot", 5]]);
  end();
});

test("reorgs and finality are passed on to the pool", () => {
  const { listeners, calls, end } = setUp();
  listeners.blocksRemoved?.({ reason: "l1-reorg", tip: 7, removed: [], checkpoints: 2, epoch: undefined });
  listeners.finalized?.({ blockNumber: 6 });
  expect(calls).toEqual([
    ["pruned", 7, 2],
    ["finalized", 6],
  ]);
  end();
});

test("slots start by the clock, a failed start is logged and retried, and nothing happens after the end", () => {
  const { listeners, calls, pool, errors, end, later } = setUp();
  vi.advanceTimersByTime(1_000);
  later(72);
  pool.slotStarted = () => {
    throw new Error("disk");
  };
  vi.advanceTimersByTime(1_000);
  expect(errors).toHaveLength(1);
  pool.slotStarted = (slot) => void calls.push(["slot", slot]);
  vi.advanceTimersByTime(1_000);
  expect(calls).toEqual([
    ["slot", 5],
    ["slot", 6],
  ]);
  end();
  vi.advanceTimersByTime(10_000);
  expect(calls).toHaveLength(2);
  expect(Object.keys(listeners)).toEqual([]);
});
