import { blockHash } from "../../core/derive/block-hash.ts";
import { HEADER_AT } from "../../protocol/block-header.ts";
import { isZero, readU32 } from "../../protocol/bytes.ts";
import { blockWords } from "../../protocol/checkpoint-blob-writer.ts";
import { ARCHIVE, L1_TO_L2_MESSAGE_TREE } from "../../protocol/constants.ts";
import { FR_ZERO, type Fr, fr } from "../../protocol/field.ts";
import { encode } from "../codec/codec.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { ConstraintError, requireEqual } from "./layouts/constraint-error.ts";
import type { BlockConstants, BlockRollup, CheckpointConstants, Parity, TxRollup } from "./layouts/rollups.ts";
import type { BlockRootEmptyTxFirstInput, BlockRootFirstInput, BlockRootInput } from "./layouts/upper-inputs.ts";
import { BlockHeader, type GlobalVariables, Snapshot, type SpongeBlob, type State } from "./layouts/values.ts";
import { appendSubtree, pairOfTree } from "./merkle-path.ts";
import { absorb, initialSponge, squeeze } from "./sponge.ts";
import { mergeTxs } from "./tx-merge.ts";

/** Height of the subtree of a checkpoint's 1024 messages to L2. */
const MESSAGE_SUBTREE_HEIGHT = 10;

/** The first block of a checkpoint, which brings the checkpoint's messages. */
export function blockRootFirst(context: CircuitContext, input: BlockRootFirstInput): BlockRollup {
  const txs = mergeTxs(input.children);
  const before = input.previousL1ToL2MessageTree;
  const after = appendMessages(context, before, input.parity.publicInputs, input.messageSubtreePath);
  requireEqual(
    Snapshot,
    txs.constants.l1ToL2MessageTree,
    after,
    "constants.l1ToL2MessageTree",
    "the appended messages",
  );
  return closeBlock(context, { ...blockOfTxs(txs, before), inHash: input.parity.publicInputs.shaRoot }, input);
}

/** The first block of a checkpoint, without transactions. */
export function blockRootEmptyTxFirst(context: CircuitContext, input: BlockRootEmptyTxFirstInput): BlockRollup {
  const { constants, previousState, previousArchive, timestamp } = input;
  const { publicInputs: parity } = input.parity;
  const sponge = initialSponge();
  const block: OpenBlock = {
    constants,
    numTxs: 0,
    lastArchive: previousArchive,
    startState: previousState,
    endState: {
      ...previousState,
      l1ToL2MessageTree: appendMessages(context, previousState.l1ToL2MessageTree, parity, input.messageSubtreePath),
    },
    startSponge: sponge,
    sponge,
    timestamp,
    inHash: parity.shaRoot,
    outHash: FR_ZERO,
    fees: FR_ZERO,
    mana: FR_ZERO,
  };
  return closeBlock(context, block, input);
}

/** A later block of a checkpoint. */
export function blockRoot(context: CircuitContext, input: BlockRootInput): BlockRollup {
  const txs = mergeTxs(input.children);
  return closeBlock(context, { ...blockOfTxs(txs, txs.constants.l1ToL2MessageTree), inHash: FR_ZERO }, input);
}

function appendMessages(
  context: CircuitContext,
  before: Snapshot,
  { convertedRoot }: Parity,
  siblingPath: Uint8Array,
): Snapshot {
  return appendSubtree(pairOfTree(context, L1_TO_L2_MESSAGE_TREE), before, {
    root: convertedRoot,
    height: MESSAGE_SUBTREE_HEIGHT,
    siblingPath,
  });
}

/** A block whose header is not made yet. */
interface OpenBlock {
  constants: CheckpointConstants;
  numTxs: number;
  lastArchive: Snapshot;
  startState: State;
  endState: State;
  startSponge: SpongeBlob;
  /** After the transactions. */
  sponge: SpongeBlob;
  timestamp: bigint;
  /** Zero for later blocks of a checkpoint. */
  inHash: Fr;
  outHash: Fr;
  fees: Fr;
  mana: Fr;
}

function blockOfTxs(txs: TxRollup, l1ToL2Before: Snapshot): Omit<OpenBlock, "inHash"> {
  const { constants } = txs;
  return {
    constants: checkpointConstants(constants),
    numTxs: txs.numTxs,
    lastArchive: constants.lastArchive,
    startState: { l1ToL2MessageTree: l1ToL2Before, partial: txs.startTrees },
    endState: { l1ToL2MessageTree: constants.l1ToL2MessageTree, partial: txs.endTrees },
    startSponge: txs.startSponge,
    sponge: txs.endSponge,
    timestamp: constants.globalVariables.timestamp,
    outHash: txs.outHash,
    fees: txs.accumulatedFees,
    mana: txs.accumulatedManaUsed,
  };
}

/** Makes the header, and appends its hash to the archive. */
function closeBlock(
  context: CircuitContext,
  block: OpenBlock,
  { newArchivePath }: { newArchivePath: Uint8Array },
): BlockRollup {
  const { core } = context;
  const isFirst = !isZero(block.inHash);
  const header = encode(BlockHeader, {
    lastArchive: block.lastArchive,
    state: block.endState,
    spongeBlobHash: FR_ZERO,
    globalVariables: globalsOf(block),
    totalFees: block.fees,
    totalManaUsed: block.mana,
  });
  const end = blockWords({ header, body: new Uint8Array(), txCount: block.numTxs }, isFirst);
  const endSponge = absorb(core, block.sponge, end);
  header.set(squeeze(core, endSponge), HEADER_AT.spongeBlobHash);
  const hash = blockHash(core, header);
  return {
    constants: block.constants,
    previousArchive: block.lastArchive,
    newArchive: appendSubtree(pairOfTree(context, ARCHIVE), block.lastArchive, {
      root: hash,
      height: 0,
      siblingPath: newArchivePath,
    }),
    startState: block.startState,
    endState: block.endState,
    startSponge: block.startSponge,
    endSponge,
    timestamp: block.timestamp,
    blockHeadersHash: hash,
    inHash: block.inHash,
    outHash: block.outHash,
    accumulatedFees: block.fees,
    accumulatedManaUsed: block.mana,
  };
}

/** Blocks are numbered by their place in the archive. */
function globalsOf({ constants, lastArchive, timestamp }: OpenBlock): GlobalVariables {
  const { chainId, version, slotNumber, coinbase, feeRecipient, gasFees } = constants;
  if (!isZero(slotNumber.subarray(0, 28))) throw new ConstraintError("constants.slotNumber", "must fit 32 bits");
  return {
    chainId,
    version,
    blockNumber: lastArchive.nextAvailableLeafIndex,
    slotNumber: readU32(slotNumber, 28),
    timestamp,
    coinbase,
    feeRecipient,
    gasFees,
  };
}

/** What the blocks of a checkpoint have in common. */
export function checkpointConstants({ globalVariables, ...constants }: BlockConstants): CheckpointConstants {
  const { chainId, version, slotNumber, coinbase, feeRecipient, gasFees } = globalVariables;
  const { vkTreeRoot, protocolContractsHash, proverId } = constants;
  return {
    chainId,
    version,
    vkTreeRoot,
    protocolContractsHash,
    proverId,
    slotNumber: fr(slotNumber),
    coinbase,
    feeRecipient,
    gasFees,
  };
}
