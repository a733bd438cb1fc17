import type { L1Block } from "../l1/types.ts";
import { headerBlockNumber, headerSlotNumber, headerSnapshot } from "../protocol/block-header.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import { slotAt } from "../protocol/time.ts";
import { readTxEffects } from "../protocol/tx-effect.ts";
import { ProposedBlockRefusedError, type ProposedBlockRule } from "./errors.ts";
import { messagesOfCheckpoint } from "./message-chain.ts";
import type { ProposedBlock, RebuiltBlock } from "./rebuilt-checkpoint.ts";
import { reportRefusedEvents } from "./refused-events.ts";
import { blockEffects, replayWorldState } from "./replay-world-state.ts";
import type { ApplyServices } from "./sync-services.ts";
import { unwindProposed } from "./unwind-chain.ts";

/**
 * Stores a block on top of the chain before its checkpoint is on L1
 * (docs/protocol/04-l1-contracts.md#420-proposed-blocks), and updates the trees, in one transaction. Runs inside
 * ApplyServices.exclusive. Throws ProposedBlockRefusedError; DecodeError for a malformed body; StateMismatchError or
 * WorldStateError if the block's header does not match its effects.
 */
export async function addProposedBlock(services: ApplyServices, given: ProposedBlock): Promise<void> {
  const block = ofItsBody(given);
  const { chain, worldState, store, emit } = services;
  await replayWorldState(services);
  checkProposed(services, block);
  const { number, checkpointNumber } = block.record;
  const effects = blockEffects(block, messagesOfCheckpoint(chain.messages, checkpointNumber));
  const prepared = await worldState.prepare([effects]).catch((error: unknown) => {
    // The chain may have been unwound during the await; report that as the reason.
    checkProposed(services, block);
    throw error;
  });
  store.transaction(() => {
    checkProposed(services, block);
    worldState.write(prepared);
    chain.addBlock(block);
  });
  reportRefusedEvents(services, block);
  emit("blocksAdded", { first: number, last: number });
}

/** The block with the txs of its body: the body is what gets stored, and stored positions refer to it. */
function ofItsBody({ record, body, contractEvents }: ProposedBlock): ProposedBlock {
  const txs = readTxEffects(body);
  return { record: { ...record, txCount: txs.length }, body, txs, contractEvents };
}

/** Lowest slot of a checkpoint in the next L1 block. L1's time counts, not this machine's. */
function slotAtNextL1Block({ reader }: ApplyServices, { timestamp }: Pick<L1Block, "timestamp">): number {
  const { constants } = reader.identity;
  return slotAt(timestamp + constants.ethereumSlotDuration, constants);
}

function checkProposed(services: ApplyServices, { record }: ProposedBlock): void {
  const { chain, reader } = services;
  const { number, header, checkpointNumber, indexWithinCheckpoint } = record;
  const require = (holds: boolean, rule: ProposedBlockRule, text: string): void => {
    if (!holds) throw new ProposedBlockRefusedError(number, rule, text);
  };
  const slot = headerSlotNumber(header);
  const processed = chain.state.processed();
  const next = processed === undefined ? 0 : slotAtNextL1Block(services, processed);
  require(slot >= next, "slot", `its slot ${slot} has passed: the next L1 block is in slot ${next}`);

  const checkpointed = chain.checkpointedBlockNumber();
  require(number > checkpointed, "checkpointed", `the chain is checkpointed up to block ${checkpointed}`);
  const latest = chain.block(chain.latestBlockNumber())!;
  require(number === latest.number + 1, "number", `its number must be ${latest.number + 1}`);
  const stated = headerBlockNumber(header);
  require(stated === number, "number", `its header has the number ${stated}`);
  const checkpoint = chain.checkpoint(chain.latestCheckpointNumber());
  const expected = (checkpoint?.number ?? 0) + 1;
  require(checkpointNumber === expected, "checkpoint", `its checkpoint must be ${expected}, is ${checkpointNumber}`);

  const isFirst = latest.number === checkpointed;
  const index = isFirst ? 0 : latest.indexWithinCheckpoint + 1;
  const place = `its index within the checkpoint must be ${index}, is ${indexWithinCheckpoint}`;
  require(indexWithinCheckpoint === index, "index", place);
  if (isFirst) {
    const before = checkpoint === undefined ? -1 : checkpointSlot(checkpoint.header);
    require(slot > before, "slot", `its slot ${slot} must be after ${before}, that of the latest checkpoint`);
  } else {
    const shared = headerSlotNumber(latest.header);
    require(slot === shared, "slot", `its slot ${slot} must be ${shared}, that of its checkpoint`);
  }
  const archive = latest.number === 0 ? reader.identity.genesisArchiveRoot : latest.archiveRoot;
  const { root } = headerSnapshot(header, ARCHIVE);
  require(equal(root, archive), "lastArchive", `its lastArchive must be ${toHex(archive)}, is ${toHex(root)}`);
}

/** Removes the proposed blocks if no L1 block after `current` can contain their checkpoint. */
export function pruneProposed(services: ApplyServices, current: L1Block): void {
  const { chain } = services;
  const checkpointed = chain.checkpointedBlockNumber();
  if (chain.latestBlockNumber() === checkpointed) return;
  const slot = headerSlotNumber(chain.block(checkpointed + 1)!.header);
  if (slot < slotAtNextL1Block(services, current)) unwindProposed(services, checkpointed, "slot-passed");
}

/**
 * Compares the proposed blocks with `blocks`, the blocks of the checkpoint on L1. Equal ones stay; from the first
 * difference on, and beyond the end of `blocks`, they are removed. Returns the blocks that remain to be added.
 */
export function keepProposed(services: ApplyServices, blocks: readonly RebuiltBlock[]): RebuiltBlock[] {
  const { chain } = services;
  const proposed = chain.latestBlockNumber() - chain.checkpointedBlockNumber();
  if (proposed === 0) return [...blocks];
  const differing = blocks.slice(0, proposed).findIndex((block) => !chain.holds(block));
  const kept = differing === -1 ? Math.min(proposed, blocks.length) : differing;
  if (kept < proposed) unwindProposed(services, chain.checkpointedBlockNumber() + kept, "replaced");
  return blocks.slice(kept);
}
