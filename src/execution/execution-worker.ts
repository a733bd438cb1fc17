import { type ChainReadsOptions, openChainReads } from "../archiver/chain-reads.ts";
import { lowerThreadPriority } from "../core/thread-priority.ts";
import { equal } from "../protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../protocol/constants.ts";
import { workerData } from "../threads/in-worker.ts";
import { BlockState } from "./block-state.ts";
import { type BlockOutcome, type BlockTask, endTreesOf, packOutcome } from "./block-task.ts";
import { globalsOfHeader } from "./globals.ts";
import { processTxs } from "./process-txs.ts";
import { Siloing } from "./siloing.ts";
import { Vm } from "./vm/vm.ts";

/**
 * Runs in the threads of an ExecutionPool. Each has its own core, VM, caches and read-only view of the chain store.
 * Their priority is below that of threads for short calls.
 */

lowerThreadPriority();
const { core, store, world, chain, content: contracts } = openChainReads(workerData<ChainReadsOptions>());
const siloing = new Siloing(core, chain.generation);
const vm = new Vm(chain.generation);

/** The task reads one snapshot of the store, taken at its start. Returns "stale" when the base block is not stored. */
export async function processBlock(task: BlockTask): Promise<BlockOutcome | "stale"> {
  const { base, header, l1ToL2Messages, overrides, txs, endTrees, options, limitMs } = task;
  const deadline = limitMs === undefined ? undefined : Date.now() + limitMs;
  const interrupt = task.interrupt && new Int32Array(task.interrupt);
  const interrupted = interrupt && (() => Atomics.load(interrupt, 0) !== 0);
  // Between two tasks the thread blocks without running its event loop, so it would keep the first task's snapshot.
  store.version();
  const found = base.number === 0 ? world.genesisBlockHash() : chain.block(base.number)?.hash;
  if (found === undefined || !equal(found, base.hash)) return "stale";
  const fork = world.fork(base.number);
  if (l1ToL2Messages !== undefined) {
    fork.append(L1_TO_L2_MESSAGE_TREE, l1ToL2Messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
  }
  const state = new BlockState({ core, fork, globals: globalsOfHeader(header), contracts, siloing });
  if (overrides !== undefined) state.override(overrides);
  const processed = await processTxs(vm, state, txs, { ...options, deadline, interrupted, uninterrupted: true });
  return packOutcome(processed, endTrees === true ? endTreesOf(state) : undefined);
}
