import { equal, toHex } from "./bytes.ts";
import { MAX_CHECKPOINTS_PER_EPOCH } from "./constants.ts";
import { checkpointOutHash, epochOutHash, type LeafLocation, unbalancedRoot, unbalancedTree } from "./sha-trees.ts";

/** L2-to-L1 messages of an epoch by checkpoint, block and transaction, each in chain order. Messages are 32 bytes. */
export type EpochMessages = readonly Uint8Array[][][][];

/** Where a transaction stands in its epoch; every index counts from 0 within the level above. */
export interface TxPosition {
  checkpoint: number;
  block: number;
  tx: number;
}

/** Proof that a message is below a root of the outbox (sheet 04 section 7.4). */
export interface L2ToL1MembershipWitness {
  epoch: number;
  /** Checkpoints that the root covers. */
  numCheckpointsInEpoch: number;
  root: Uint8Array;
  leafIndex: bigint;
  /** Message side first. */
  siblingPath: Uint8Array[];
}

/** What was asked for as a message of a transaction is none, or not one alone. Texts are those of the network's nodes (sheet 03 section 8.1). */
export class L2ToL1MessageError extends Error {
  readonly l2ToL1Message: Uint8Array;
  /** Positions in the transaction at which the message was found, or the one where it was expected. */
  readonly indexes: readonly number[];

  constructor(text: string, l2ToL1Message: Uint8Array, indexes: readonly number[]) {
    super(text);
    this.name = "L2ToL1MessageError";
    this.l2ToL1Message = l2ToL1Message;
    this.indexes = indexes;
  }
}

/** The outbox has a root for the epoch that no number of its known checkpoints gives. */
export class EpochOutHashMismatchError extends Error {
  readonly epoch: number;
  readonly numCheckpointsInEpoch: number;
  readonly local: Uint8Array;
  readonly outbox: Uint8Array;

  constructor(epoch: number, numCheckpointsInEpoch: number, local: Uint8Array, outbox: Uint8Array) {
    super(
      `Local epoch out-hash does not match Outbox at epoch ${epoch} numCheckpointsInEpoch ${numCheckpointsInEpoch}: ` +
        `local=${toHex(local)} outbox=${toHex(outbox)}`,
    );
    this.name = "EpochOutHashMismatchError";
    this.epoch = epoch;
    this.numCheckpointsInEpoch = numCheckpointsInEpoch;
    this.local = local;
    this.outbox = outbox;
  }
}

function messagePosition(messages: readonly Uint8Array[], wanted: Uint8Array, index: number | undefined): number {
  if (index !== undefined) {
    if (index >= 0 && index < messages.length && equal(messages[index], wanted)) return index;
    const text = `Message at index ${index} in tx does not match the expected message ${toHex(wanted)}`;
    throw new L2ToL1MessageError(text, wanted, [index]);
  }
  const found = messages.flatMap((message, i) => (equal(message, wanted) ? [i] : []));
  if (found.length === 0) {
    throw new L2ToL1MessageError(
      "The L2ToL1Message you are trying to prove inclusion of does not exist",
      wanted,
      found,
    );
  }
  if (found.length > 1) {
    const text =
      `Multiple messages with the same value ${toHex(wanted)} found in tx (indices: ${found.join(", ")}). ` +
      "Provide messageIndexInTx to disambiguate.";
    throw new L2ToL1MessageError(text, wanted, found);
  }
  return found[0];
}

const txOutHash = (messages: Uint8Array[]) => unbalancedRoot(messages, false);
const blockOutHash = (txs: Uint8Array[][]) => unbalancedRoot(txs.map(txOutHash), true);

/** A leaf that holds a message is never compressed away. */
function located(leaves: Uint8Array[], position: number, compress: boolean): LeafLocation {
  return unbalancedTree(leaves, { compress }).locations[position]!;
}

/**
 * How many checkpoints the root of an outbox covers: the smallest number that gives it. A checkpoint without messages changes no root, so
 * several numbers may give one; all have the same tree. Undefined when none does.
 */
export function checkpointsUnderRoot(checkpointOutHashes: readonly Uint8Array[], root: Uint8Array): number | undefined {
  for (let count = 1; count <= checkpointOutHashes.length; count++) {
    if (equal(epochOutHash(checkpointOutHashes.slice(0, count)), root)) return count;
  }
  return undefined;
}

export interface WitnessRequest {
  epoch: number;
  /** All known checkpoints of the epoch. */
  messages: EpochMessages;
  position: TxPosition;
  message: Uint8Array;
  /** Which message of the transaction is meant; without it the message must be there once. */
  messageIndexInTx?: number;
  /** Root that the outbox has for the epoch. */
  outboxRoot: Uint8Array;
  /** Checkpoints of the epoch that are proven, named when no number of checkpoints gives the root; all known ones when unset. */
  provenCheckpoints?: number;
}

/**
 * Witness of a message under the root that the outbox has for its epoch. Undefined when that root covers fewer checkpoints than the
 * message needs. Throws EpochOutHashMismatchError and L2ToL1MessageError.
 */
export function l2ToL1MembershipWitness(request: WitnessRequest): L2ToL1MembershipWitness | undefined {
  const { epoch, messages, position, message, messageIndexInTx, outboxRoot } = request;
  const checkpoints = messages.map((blocks) => checkpointOutHash(blocks));
  const least = checkpointsUnderRoot(checkpoints, outboxRoot);
  if (least === undefined) {
    const count = request.provenCheckpoints ?? messages.length;
    throw new EpochOutHashMismatchError(epoch, count, epochOutHash(checkpoints.slice(0, count)), outboxRoot);
  }
  const count = Math.max(least, position.checkpoint + 1);
  const covered = checkpoints.slice(0, count);
  if (count > least && !equal(epochOutHash(covered), outboxRoot)) return undefined;

  const blocks = messages[position.checkpoint];
  const txs = blocks[position.block];
  const own = txs[position.tx];
  const inTx = located(own, messagePosition(own, message, messageIndexInTx), false);
  const inBlock = located(txs.map(txOutHash), position.tx, true);
  const inCheckpoint = located(blocks.map(blockOutHash), position.block, true);
  const padding = Array.from({ length: MAX_CHECKPOINTS_PER_EPOCH - count }, () => new Uint8Array(32));
  const inEpoch = located([...covered, ...padding], position.checkpoint, false);
  const leafIndex = [inCheckpoint, inBlock, inTx].reduce(
    (index, { level, index: own }) => (index << BigInt(level)) + BigInt(own),
    BigInt(position.checkpoint),
  );
  const siblingPath = [inTx, inBlock, inCheckpoint, inEpoch].flatMap(({ siblings }) => siblings);
  return { epoch, numCheckpointsInEpoch: count, root: outboxRoot, leafIndex, siblingPath };
}

/** Identifies a consumed message on L1. It stays the same when a longer proof of the epoch replaces the root. */
export function l2ToL1LeafId({ siblingPath, leafIndex }: Pick<L2ToL1MembershipWitness, "siblingPath" | "leafIndex">) {
  return (1n << BigInt(siblingPath.length)) + leafIndex;
}
