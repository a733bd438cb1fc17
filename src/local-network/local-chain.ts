import type { Values } from "../config/options.ts";
import type { RollupIdentity } from "../l1/types.ts";
import type { ChainParts } from "../node/node.ts";
import { hasProver } from "../node/settings/roles.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { headerSlotNumber } from "../protocol/block-header.ts";
import { AwaitedProofs } from "./awaited-proofs.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import { EpochSettler } from "./epoch-settler.ts";
import { warnOfLostBlocks } from "./lost-blocks.ts";
import { setUp } from "./set-up.ts";
import type { StartProgress } from "./start-progress.ts";
import { TimeControl } from "./time-control.ts";

interface LocalChainOptions {
  l1: DevelopmentL1;
  /** Settled when L1 has loaded what it checks blobs with. It loads that twice if a blob comes earlier. */
  blobChecks: Promise<void>;
  values: Values;
  progress: StartProgress;
  loggerFor: LoggerFor;
  signal: AbortSignal;
}

/** Longest wait for the proof of an epoch. */
const PROOF_PATIENCE_MS = 120_000;
/** Least time that pending txs wait in an open slot without a builder before the next slot begins. Milliseconds. */
const PATIENCE_MS = 300;

export interface StartedChain {
  identity: RollupIdentity;
  /** Latest block. */
  block: number;
  time: TimeControl;
}

/**
 * Starts the parts that only a local network's node has: control of time, settlement of epochs, set-up transactions.
 * Resolves once the network is ready for users (docs/protocol/08-building-and-checkpoints.md#828-local-network). Throws
 * a SetUpError or the reason of the signal.
 */
export async function startLocalChain(parts: ChainParts, options: LocalChainOptions): Promise<StartedChain> {
  const { l1, blobChecks, values, progress, loggerFor, signal } = options;
  const { chain, clock, reader, synchronizer, mempool, sequencer, store, teardown } = parts;
  if (sequencer === undefined) throw new TypeError("a local network has a sequencer");
  const { identity, fees } = reader;
  warnOfLostBlocks(synchronizer, chain, loggerFor("local-network"));
  const { timestamp } = await l1.latest();
  if (timestamp * 1000 > clock.now()) clock.set(timestamp * 1000);
  await synchronizer.waitForInitialSync();

  const { constants, addresses } = identity;
  const logger = loggerFor("local-network");
  const settler = new EpochSettler({ l1, chain, constants, addresses });
  const proofs = hasProver(values)
    ? new AwaitedProofs({ settler, l1, chain, constants, patienceMs: PROOF_PATIENCE_MS, logger })
    : undefined;
  const time = new TimeControl({
    l1,
    clock,
    constants,
    chain,
    settler: proofs ?? settler,
    pendingTxs: () => mempool.pool.pendingCount,
    building: () => {
      const { state } = sequencer.status();
      return !RESTING.has(state) && !(state === "WAITING_FOR_TXS" && mempool.pool.pendingCount === 0);
    },
    publishing: () => {
      const unpublished = chain.block(chain.checkpointedBlockNumber() + 1);
      return unpublished !== undefined && sequencer.isPublishing(headerSlotNumber(unpublished.header));
    },
    buildWait: () => sequencer.buildWait,
    clockMoved: () => sequencer.wake(),
    hold: () => sequencer.hold(),
    allowEmptyBlocks: () => sequencer.allowEmptyBlocks(),
    slotBegan: () => {
      synchronizer.poke();
      sequencer.wake();
    },
    patienceMs: PATIENCE_MS + values.minTxPoolAgeMs,
    logger,
  });
  const duringBreak = (): void => {
    if (sequencer.buildWait !== undefined) time.nudge();
  };
  const leave = [
    synchronizer.on("progress", () => time.nudge()),
    sequencer.onPublished(() => synchronizer.poke()),
    sequencer.onStateChange(duringBreak),
    mempool.pool.onPending(duringBreak),
  ];
  teardown.add("time control", () => {
    for (const end of leave) end();
    proofs?.stop();
    return time.stop();
  });
  time.start();

  const started = async (): Promise<StartedChain> => {
    await l1.followClock();
    return { identity, block: chain.latestBlockNumber(), time };
  };
  if (!values.testAccounts) return started();
  progress.step("setting up accounts");
  if (chain.latestBlockNumber() === 0) await blobChecks;
  await setUp({
    store,
    chain,
    identity,
    fees,
    pool: mempool.pool,
    validator: mempool.validator,
    now: clock.now,
    onBlock: (done, of) => progress.part(done, of),
    signal,
  });
  return started();
}

/** Sequencer states in which a slot may end: nothing is being built. */
export const RESTING: ReadonlySet<string> = new Set(["STOPPED", "STOPPING", "IDLE", "SYNCHRONIZING"]);
