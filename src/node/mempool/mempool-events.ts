import type { ChainStore } from "../../archiver/chain-store.ts";
import type { Synchronizer } from "../../archiver/synchronizer.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import { headerTimestamp } from "../../protocol/block-header.ts";
import { mapKey } from "../../protocol/bytes.ts";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import { type L1Constants, slotAt } from "../../protocol/time.ts";
import { items } from "../../protocol/tx-effect.ts";

/** Maximum delay of a Node.js timer; a timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Notifies a pool of a block's txs. */
function notifyBlock(pool: TxPool, chain: Pick<ChainStore, "block" | "txEffects">, number: number): void {
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

interface MempoolEventsOptions {
  pool: TxPool;
  synchronizer: Pick<Synchronizer, "on">;
  chain: Pick<ChainStore, "block" | "txEffects">;
  constants: L1Constants;
  /** Undefined where pending txs may offer less than the current min fees. */
  minFees: (() => Promise<GasFees>) | undefined;
  slotCheckIntervalMs: number;
  /** Unix time in milliseconds. */
  now(): number;
  logger: { error(facts: object, message: string): void };
}

/** Notifies a pool of new blocks, prunes and slots. Returns an unsubscribe function. */
export function followChain(options: MempoolEventsOptions): () => void {
  const { pool, synchronizer, chain, constants, minFees, slotCheckIntervalMs, now, logger } = options;
  let isOver = false;
  const evict = (fees: GasFees): void => {
    try {
      pool.minFeesAre(fees);
    } catch (error) {
      logger.error({ err: error }, "the pool failed to take the current min fees, trying again at the next block");
    }
  };
  const beginSlot = (): void => pool.slotStarted(slotAt(Math.floor(now() / 1000), constants));
  const leave = [
    synchronizer.on("blocksAdded", ({ first, last }) => {
      for (let number = first; number <= last && !pool.isEmpty; number++) notifyBlock(pool, chain, number);
      beginSlot();
      // While L1 does not tell the fees, the next block is waited for.
      if (minFees !== undefined && !pool.isEmpty)
        void minFees().then(
          (fees) => {
            if (!isOver) evict(fees);
          },
          () => {},
        );
    }),
    synchronizer.on("blocksRemoved", ({ tip, checkpoints }) => pool.pruned(tip, checkpoints)),
    synchronizer.on("finalized", ({ blockNumber }) => pool.finalized(blockNumber)),
  ];
  const timer = setInterval(
    () => {
      try {
        beginSlot();
      } catch (error) {
        logger.error({ err: error }, "the pool failed to start a slot, trying again");
      }
    },
    Math.min(slotCheckIntervalMs, MAX_TIMER_MS),
  );
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
    for (const end of leave) end();
  };
}
