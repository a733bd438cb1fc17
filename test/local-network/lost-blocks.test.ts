import { expect, test } from "vitest";
import type { SyncEvents } from "../../src/archiver/sync-services.ts";
import { Listeners } from "../../src/events/listeners.ts";
import { warnOfLostBlocks } from "../../src/local-network/lost-blocks.ts";

const LAST = 8;

/** A chain up to block LAST with manual events, and the logged warnings. */
function watched() {
  const failed = (error: unknown): never => {
    throw error;
  };
  const listeners = {
    blocksRemoved: new Listeners<SyncEvents["blocksRemoved"]>(failed),
    blocksAdded: new Listeners<SyncEvents["blocksAdded"]>(failed),
  };
  const on = (event: keyof typeof listeners, listener: never) => listeners[event].add(listener);
  const warnings: object[] = [];
  const warn = (facts: object) => void warnings.push(facts);
  warnOfLostBlocks({ on } as never, { latestBlockNumber: () => LAST }, { warn } as never);
  return {
    warnings,
    removedAfter: (tip: number) =>
      listeners.blocksRemoved.emit({ reason: "slot-passed", tip, removed: [], checkpoints: 0, epoch: undefined }),
    added: (number: number) => listeners.blocksAdded.emit({ first: number, last: number }),
  };
}

test("blocks of the last run that are not on L1 are warned of once", () => {
  const { warnings, removedAfter } = watched();
  removedAfter(6);
  removedAfter(5);
  expect(warnings).toEqual([{ fromBlock: 7, toBlock: LAST }]);
});

test("blocks of this run, and later removals, are not reported as lost by the last run", () => {
  const { warnings, removedAfter, added } = watched();
  added(LAST + 1);
  removedAfter(LAST);
  removedAfter(LAST - 1);
  expect(warnings).toEqual([]);
});
