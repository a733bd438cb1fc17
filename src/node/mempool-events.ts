import type { ChainStore } from "../archiver/chain-store.ts";
import type { Synchronizer } from "../archiver/synchronizer.ts";
import type { TxPool } from "../mempool/pool/tx-pool.ts";
import { headerTimestamp } from "../protocol/block-header.ts";
import { type L1Constants, slotAt } from "../protocol/time.ts";
import { items } from "../protocol/tx-effect.ts";
import { mapKey } from "../world-state/indexed-overlay.ts";

/** A longer pause would be none. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Tells a pool what a block holds. */
export function tellBlock(pool: TxPool, chain: Pick<ChainStore, "block" | "txEffects">, number: number): void {
  const block = chain.block(number);
  if (block === undefined) return;
  const effects = chain.txEffects(number);
  pool.blockAdded({
    number,
    hash: block.hash,
    timestamp: headerTimestamp(block.header),
    txHashes: effects.map(({ txHash }) => txHash),
    nullifierKeys: new Set(effects.flatMap(({ nullifiers }) => items(nullifiers).map(mapKey))),
  });
}

export interface MempoolEventsOptions {
  pool: TxPool;
  synchronizer: Pick<Synchronizer, "on">;
  chain: Pick<ChainStore, "block" | "txEffects">;
  constants: L1Constants;
  slotCheckIntervalMs: number;
  /** Unix time in milliseconds. */
  now(): number;
  logger: { error(facts: object, message: string): void };
}

/** Keeps a pool in step with the chain and the clock. Returns the way to end it. */
export function followChain(options: MempoolEventsOptions): () => void {
  const { pool, synchronizer, chain, constants, slotCheckIntervalMs, now, logger } = options;
  const beginSlot = (): void => pool.slotStarted(slotAt(Math.floor(now() / 1000), constants));
  const leave = [
    synchronizer.on("blocksAdded", ({ first, last }) => {
      for (let number = first; number <= last && !pool.isEmpty; number++) tellBlock(pool, chain, number);
      beginSlot();
    }),
    synchronizer.on("blocksRemoved", ({ tip, checkpoints }) => pool.pruned(tip, checkpoints)),
    synchronizer.on("finalized", ({ blockNumber }) => pool.finalized(blockNumber)),
  ];
  const timer = setInterval(
    () => {
      try {
        beginSlot();
      } catch (error) {
        logger.error({ err: error }, "the pool could not begin a slot: trying again");
      }
    },
    Math.min(slotCheckIntervalMs, LONGEST_TIMER_MS),
  );
  timer.unref();
  return () => {
    clearInterval(timer);
    for (const end of leave) end();
  };
}
