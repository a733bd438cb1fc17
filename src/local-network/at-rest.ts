import { setTimeout as sleep } from "node:timers/promises";
import type { ChainParts } from "../node/node.ts";
import { RESTING } from "./local-chain.ts";
import { LocalNetworkError } from "./local-network-error.ts";
import type { TimeControl } from "./time-control.ts";

const LOOK_MS = 5;
/** Milliseconds of real time within which a block that was begun must be on L1. */
const REST_LIMIT_MS = 60_000;

/**
 * Runs `work` while no block is begun, all blocks are on L1 and time stands still. Pending transactions stay pending.
 * Throws LocalNetworkError when a block does not get to L1.
 */
export async function atRest<T>(
  { sequencer, chain }: Pick<ChainParts, "sequencer" | "chain">,
  time: TimeControl,
  work: () => Promise<T>,
): Promise<T> {
  const release = sequencer?.hold();
  const rests = (): boolean =>
    (sequencer === undefined || RESTING.has(sequencer.status().state)) &&
    chain.latestBlockNumber() === chain.checkpointedBlockNumber();
  try {
    for (const end = performance.now() + REST_LIMIT_MS; ; await sleep(LOOK_MS)) {
      if (performance.now() > end)
        throw new LocalNetworkError(`a block was not on L1 within ${REST_LIMIT_MS / 1000} s`);
      // Time may have to move on until then: a block that L1 does not take is dropped when its slot has passed.
      if (!rests()) continue;
      const resume = await time.pause();
      try {
        if (rests()) return await work();
      } finally {
        resume();
      }
    }
  } finally {
    release?.();
  }
}
