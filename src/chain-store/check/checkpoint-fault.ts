import type { ChainStore } from "../../archiver/chain-store.ts";
import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import { accumulatedFees } from "../../archiver/rebuild-checkpoint.ts";
import type { BlockRecord, CheckpointRecord } from "../../archiver/tables/records.ts";
import type { Core } from "../../core/core.ts";
import { blockHeadersHash } from "../../core/derive/block-headers-hash.ts";
import { HEADER_AT, headerSlotNumber } from "../../protocol/block-header.ts";
import { equal } from "../../protocol/bytes.ts";
import { blockWords } from "../../protocol/checkpoint-blob-writer.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { checkpointOutHash, inHash } from "../../protocol/sha-trees.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { CheckReport } from "./fault.ts";

interface CheckedChain {
  chain: ChainStore;
  core: Core;
}

/** What a checkpoint's row is wrong about: its blocks, or what its header says of them and of its messages. */
export function checkpointFault(
  checkpoint: CheckpointRecord,
  { chain, core }: CheckedChain,
  report: CheckReport,
): string | undefined {
  const { number, startBlock, blockCount, header, archiveRoot, outHash } = checkpoint;
  const slot = checkpointSlot(header);
  const blocks: BlockRecord[] = [];
  for (let i = 0; i < blockCount; i++) {
    const block = chain.block(startBlock + i);
    if (block === undefined) return `block ${startBlock + i} is missing`;
    const { checkpointNumber, indexWithinCheckpoint } = block;
    if (checkpointNumber !== number || indexWithinCheckpoint !== i || headerSlotNumber(block.header) !== slot) {
      return `block ${block.number} is not its block ${i}`;
    }
    if (chain.blockBody(block.number) === undefined) return `the body of block ${block.number} is missing`;
    blocks.push(block);
  }
  checkWords(blocks, { chain, core }, report);
  const broken = headerFault(header, blocks, { chain, core });
  if (broken !== undefined) return broken;
  if (!equal(archiveRoot, blocks[blocks.length - 1].archiveRoot))
    return "its archive root is not that of its last block";
  // An L1 that goes back takes the messages of later checkpoints away first, in a commit of their own.
  const isSettled = number <= chain.finalizedCheckpointNumber();
  const received = isSettled && inHash(messagesOfCheckpoint(chain.messages, number));
  if (received && !equal(received, header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.inHash + 32)))
    return "inHash of its header is not that of its L1-to-L2 messages";
  const sent = blocks.map((block) => chain.txEffects(block.number).map((tx) => items(tx.l2ToL1Msgs)));
  return equal(outHash, checkpointOutHash(sent)) ? undefined : "its out hash is not that of its messages";
}

/** Reports the first block whose words do not hash to its header's blob hash; those after it go on from its words. */
function checkWords(blocks: readonly BlockRecord[], { chain, core }: CheckedChain, report: CheckReport): void {
  const sponge = core.blobSponge();
  for (const [i, { number, header, txCount }] of blocks.entries()) {
    sponge.absorb(blockWords({ header, txCount, body: chain.blockBody(number)! }, i === 0));
    if (equal(sponge.squeeze(), header.subarray(HEADER_AT.spongeBlobHash, HEADER_AT.spongeBlobHash + 32))) continue;
    const rule = "its words do not hash to its header's blob hash";
    report.fault({ table: "chain-block-bodies", key: String(number), rule });
    return;
  }
}

function headerFault(
  header: Uint8Array,
  blocks: readonly BlockRecord[],
  { chain, core }: CheckedChain,
): string | undefined {
  const stated = (at: number) => header.subarray(at, at + 32);
  const { hashing, headers } = chain.generation;
  const hashes = blocks.map(({ hash }) => hash);
  if (!equal(blockHeadersHash(core, hashes, hashing.blockHeaderNodes), stated(CHECKPOINT_AT.blockHeadersHash)))
    return "its header does not hash the headers of its blocks";
  const before = blocks[0].header.subarray(HEADER_AT.lastArchive, HEADER_AT.lastArchive + 32);
  if (!equal(before, stated(CHECKPOINT_AT.lastArchiveRoot)))
    return "its header does not follow its first block's archive";
  // In the same order and form in both headers.
  const settings = header.subarray(CHECKPOINT_AT.timestamp, CHECKPOINT_AT.totalManaUsed);
  const [from, to] = [HEADER_AT.timestamp, HEADER_AT.timestamp + settings.length];
  if (!blocks.every((block) => equal(block.header.subarray(from, to), settings)))
    return "the timestamp, coinbase, fee recipient or fees of its header are not those of its blocks";
  if (headers.accumulatedFeesAt === undefined) return undefined;
  const blockHeaders = blocks.map((block) => block.header);
  return equal(accumulatedFees(blockHeaders, core), stated(headers.accumulatedFeesAt))
    ? undefined
    : "accumulatedFees of its header is not the sum of its blocks' fees";
}
