import type { L1Block, RollupStatus } from "../l1/types.ts";
import { equal } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { epochOfSlot } from "../protocol/time.ts";
import { lastBlockOf } from "./chain-store.ts";
import { InconsistentL1Error } from "./errors.ts";
import type { ApplyServices, ProvenTip, SyncServices } from "./sync-services.ts";
import type { L1Position } from "./tables/chain-state.ts";

/** The rollup's status and, where it was read from L1, the L1 block of that state. */
export type StatusAtL1 = RollupStatus & { l1: L1Position };

/**
 * Adopts L1's proven checkpoint (docs/protocol/04-l1-contracts.md#417-chain-tips) if the stored checkpoint of that
 * number has the proven archive; zero is always adopted. Runs inside Store.transaction. Returns what "proven" is to say
 * after the commit, if the tip went up.
 */
export function applyProven(
  { chain, reader }: ApplyServices,
  status: Pick<RollupStatus, "provenCheckpointNumber" | "provenArchive"> & { l1?: L1Position },
): ProvenTip | undefined {
  const number = status.provenCheckpointNumber;
  const before = chain.state.checkpoint("proven");
  if (number === before) return undefined;
  const checkpoint = chain.checkpoint(number);
  if (number !== 0 && (checkpoint === undefined || !equal(checkpoint.archiveRoot, status.provenArchive))) {
    return undefined;
  }
  chain.state.putCheckpoint("proven", number);
  if (status.l1 === undefined || number === 0) chain.provenL1Block.clear();
  else chain.provenL1Block.put(number, status.l1);
  if (checkpoint === undefined || number < before) return undefined;
  const slot = checkpointSlot(checkpoint.header);
  return { blockNumber: lastBlockOf(checkpoint), slot, epoch: epochOfSlot(slot, reader.identity.constants) };
}

/**
 * Tracks the checkpoint that was proven at L1's finalized block. Endpoints without historical state cannot answer this:
 * that is logged once, and the finalized tip stays.
 */
export class FinalityFollower {
  #unavailable = false;

  /**
   * @param current L1's head. Whatever is final there is also proven there; otherwise the endpoint contradicts itself.
   */
  async update(services: SyncServices, current: L1Block): Promise<void> {
    const { chain, reader, store, logger, emit } = services;
    let number: number;
    let l1Block: number | undefined;
    try {
      const block = await reader.finalizedBlock();
      if (block === undefined || block.number < reader.identity.constants.l1StartBlock) return;
      l1Block = block.number;
      const [final, { provenCheckpointNumber: proven }] = await Promise.all([
        reader.provenCheckpointNumber(block.number),
        reader.status(chain.latestCheckpointNumber(), current.number),
      ]);
      if (final > proven || block.number > current.number) {
        throw new InconsistentL1Error("L1 says that more is final than is proven", { final, proven });
      }
      number = final;
    } catch (error) {
      if (services.interruption.signal.aborted) throw error;
      const facts = { l1Block, rule: error instanceof Error ? error.message : String(error) };
      if (this.#unavailable) logger.debug(facts, "the finalized checkpoint is still unknown");
      else
        logger.info(
          facts,
          "the L1 endpoint cannot tell the finalized checkpoint: the finalized tip stays until it can",
        );
      this.#unavailable = true;
      return;
    }
    if (this.#unavailable) logger.info({ l1Block }, "the L1 endpoint tells the finalized checkpoint again");
    this.#unavailable = false;
    if (number !== chain.state.checkpoint("finalized")) {
      store.transaction(() => {
        chain.state.putCheckpoint("finalized", number);
        settleWorldState(services);
      });
      emit("finalized", { blockNumber: chain.finalizedBlockNumber() });
    }
  }
}

/**
 * Finalizes the world state up to the finalized block and prunes history older than `checkpointHistory` checkpoints
 * before it (docs/protocol/02-trees.md#219-unwinding-finality-and-pruning). A long history, of a node that kept more
 * before, is pruned over several commits. Runs inside Store.transaction.
 */
export function settleWorldState({ chain, worldState, options }: ApplyServices): void {
  const before = worldState.status();
  // During a replay the world state is behind the chain.
  const block = Math.min(chain.finalizedBlockNumber(), before.tip);
  if (block < 1 || block < before.oldest) return;
  if (block > before.finalized) worldState.setFinalized(block);
  if (options.checkpointHistory < 1) return;
  const oldestKept = chain.finalizedCheckpointNumber() - options.checkpointHistory + 1;
  const keepFrom = Math.min(oldestKept > 1 ? chain.checkpoint(oldestKept)!.startBlock : 0, block);
  if (keepFrom > worldState.status().oldest) worldState.pruneTo(keepFrom);
}
