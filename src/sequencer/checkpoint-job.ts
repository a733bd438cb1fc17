import { messagesOfCheckpoint } from "../archiver/message-chain.ts";
import type { CompletedCheckpoint } from "../checkpoints/checkpoint-terms.ts";
import { headerTotalMana } from "../protocol/block-header.ts";
import { inHash } from "../protocol/sha-trees.ts";
import { epochOfSlot } from "../protocol/time.ts";
import { type BlockBuilding, buildBlocks } from "./build-blocks.ts";
import { checkpointTerms } from "./globals/checkpoint-terms.ts";
import type { ProposerTurn } from "./proposer-turn.ts";
import type { CheckpointInProgress, SequencerParts } from "./sequencer-parts.ts";
import type { SequencerSettings } from "./settings.ts";
import { SlotSkipped } from "./skip.ts";
import { SlotRequests } from "./slot-requests.ts";
import type { StateMachine } from "./state-machine.ts";
import { buildStartMs } from "./timetable/slot-clock.ts";
import { latestEntry, type Timetable } from "./timetable/timetable.ts";

interface CheckpointJobOptions {
  settings: Readonly<SequencerSettings>;
  timetable: Timetable;
  states: StateMachine;
  /** Aborts the job at its next step. */
  stop: AbortSignal;
  /** Once it is aborted, no further block is begun; the blocks already built are published. */
  pause: AbortSignal;
  woken: BlockBuilding["woken"];
  onWait: BlockBuilding["onWait"];
}

/** A checkpoint of this node that L1 accepted. */
export interface PublishedCheckpoint {
  slot: number;
  checkpointNumber: number;
  firstBlock: number;
  lastBlock: number;
  txs: number;
  /** Hash of the L1 transaction; 0x text. */
  txHash: string;
  l1BlockNumber: number;
}

/**
 * Builds a checkpoint for this node's slot and publishes it to L1
 * (docs/protocol/08-building-and-checkpoints.md#84-one-turn). Rejects with a SlotSkipped or an L1Error.
 */
export async function runCheckpointJob(
  parts: SequencerParts,
  turn: ProposerTurn,
  options: CheckpointJobOptions,
): Promise<PublishedCheckpoint> {
  const { slot, checkpointNumber, parentBlock, coinbase, feeRecipient, invalidation } = turn;
  const { states, settings } = options;
  const { chain, reader, logger } = parts;
  states.enter("INITIALIZING_CHECKPOINT", slot);
  const { constants } = reader.identity;
  const limits = { rollupManaLimit: constants.rollupManaLimit, maxTxsPerCheckpoint: settings.maxTxsPerCheckpoint };
  const [terms, modifier] = await Promise.all([
    checkpointTerms(
      { slot, checkpointNumber, parentBlock, coinbase, feeRecipient, limits, pending: invalidation?.pending },
      reader.identity,
      reader.proposals,
    ),
    reader.proposals.feeAssetPriceModifier(),
  ]);
  const earlier = chain.checkpointsOfEpoch(epochOfSlot(slot, constants)).map(({ outHash }) => outHash);
  const messages = messagesOfCheckpoint(chain.messages, checkpointNumber);
  logger.debug(
    { slot, checkpoint: checkpointNumber, messages: messages.length, feePerL2Gas: terms.gasFees.feePerL2Gas },
    "beginning a checkpoint",
  );
  const { proposer, committee } = turn;
  const { governanceProposerPayload: payload } = settings;
  const others = invalidation === undefined ? [] : [invalidation.request];
  // L1 counts the votes of a slot's proposer. Without a committee a slot has no proposer.
  const voter = committee.length === 0 ? undefined : { slot, proposer, payload };
  const requests = new SlotRequests(parts, { slot, proposer, voter, others }, options.stop);
  const began = performance.now();
  const builder = await parts.startCheckpoint(terms, messages, earlier);
  try {
    const signal = AbortSignal.any([options.stop, options.pause]);
    const { timetable, woken, onWait } = options;
    const offer: BlockBuilding["offer"] = async (block) => {
      await parts.attestations.offerBlock({ slot, proposer, block, inHash: inHash(messages), signal: options.stop });
    };
    const building = { parts, settings, timetable, states, slot, builder, signal, woken, offer, onWait };
    const blocks = await buildBlocks(building);
    const least = settings.minBlocksForCheckpoint ?? 1;
    if (blocks.length < least) throw new SlotSkipped("too few blocks", { blocks: blocks.length, least });
    const checkpoint = await assemble(builder, turn, options);
    parts.record?.checkpoint({
      ms: performance.now() - began,
      blocks: blocks.length,
      txs: sum(blocks, ({ txs }) => txs.length),
      mana: sum(blocks, ({ record }) => headerTotalMana(record.header)),
    });
    parts.dutyTimes.done(slot, "built", { duty: "propose checkpoint" });
    return await publish(parts, turn, { checkpoint, modifier, requests }, options);
  } finally {
    builder.close();
    await requests.sendRest(options.stop);
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

async function assemble(
  builder: CheckpointInProgress,
  { slot }: ProposerTurn,
  { states }: CheckpointJobOptions,
): Promise<CompletedCheckpoint> {
  states.enter("ASSEMBLING_CHECKPOINT", slot);
  try {
    return await builder.complete();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new SlotSkipped("assembly failed", { error: message }, { cause: error });
  }
}

async function publish(
  { attestations, publisher, reader, dutyTimes, record, logger, sync }: SequencerParts,
  { slot, committee, proposer, checkpointNumber, invalidation }: ProposerTurn,
  { checkpoint, modifier, requests }: { checkpoint: CompletedCheckpoint; modifier: bigint; requests: SlotRequests },
  { states, timetable, stop }: CheckpointJobOptions,
): Promise<PublishedCheckpoint> {
  states.enter("COLLECTING_ATTESTATIONS", slot);
  const begin = buildStartMs(slot, reader.identity.constants);
  const latest = latestEntry(timetable, "PUBLISHING_CHECKPOINT") ?? timetable.slotDuration;
  const deadline = begin + latest * 1000;
  const request = { slot, committee, checkpoint, feeAssetPriceModifier: modifier, proposer, deadline, signal: stop };
  const packed = await attestations.collect(request).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new SlotSkipped("attestations missing", { error: message }, { cause: error });
  });
  record?.proposed();
  states.enter("PUBLISHING_CHECKPOINT", slot);
  const facts = { slot, checkpoint: checkpointNumber, blobs: checkpoint.blobs.length };
  logger.debug(facts, "publishing the checkpoint");
  const outcome = await publisher.publishCheckpoint({
    checkpoint,
    attestations: packed,
    slot,
    feeAssetPriceModifier: Number(modifier),
    timeoutAt: begin + timetable.slotDuration * 1000,
    attester: proposer,
    others: await requests.take(),
    pending: invalidation?.pending,
    signal: stop,
  });
  // L1 may have new blocks, whatever the outcome.
  sync.poke();
  if (outcome.kind !== "published") {
    throw new SlotSkipped("publishing failed", { outcome: outcome.kind, why: outcome.reason });
  }
  dutyTimes.done(slot, "published", { duty: "propose checkpoint" });
  const { blocks } = checkpoint;
  return {
    slot,
    checkpointNumber,
    firstBlock: blocks[0].record.number,
    lastBlock: blocks[blocks.length - 1].record.number,
    txs: sum(blocks, ({ txs }) => txs.length),
    txHash: outcome.txHash,
    l1BlockNumber: outcome.l1BlockNumber,
  };
}
