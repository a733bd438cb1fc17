import { MAX_CHECKPOINTS_PER_EPOCH } from "./constants.ts";
import { type LeafLocation, unbalancedRoot, unbalancedTree } from "./sha-trees.ts";

/** A message's position in the out-hash tree of an epoch. */
interface OutHashWitness {
  /** Path bits read from the root; unambiguous together with the length of the path. */
  leafIndex: bigint;
  /** From the leaf up: tx, block, checkpoint, epoch. */
  siblings: Uint8Array[];
}

interface MessagePlace {
  /** Index within the epoch. */
  checkpoint: number;
  /** Index within the checkpoint. */
  block: number;
  tx: number;
  message: number;
}

const ZERO = new Uint8Array(32);

/**
 * Witness of one message to L1 (docs/protocol/03-blocks-and-blobs.md#38-out-hashes,
 * docs/protocol/03-blocks-and-blobs.md#39-witness-of-a-message-to-l1). `blocks` are the messages of its checkpoint by
 * block and tx. `checkpointOutHashes` are those of the epoch, up to the last checkpoint that the root covers. Undefined
 * when there is no message at the position.
 */
export function outHashWitness(
  checkpointOutHashes: Uint8Array[],
  blocks: Uint8Array[][][],
  place: MessagePlace,
): OutHashWitness | undefined {
  const messages = blocks[place.block]?.[place.tx];
  if (messages?.[place.message] === undefined || place.checkpoint >= checkpointOutHashes.length) return undefined;
  const txRoots = (txs: Uint8Array[][]) => txs.map((own) => unbalancedRoot(own, false));
  const padding = Array.from({ length: MAX_CHECKPOINTS_PER_EPOCH - checkpointOutHashes.length }, () => ZERO);
  const blockRoots = blocks.map((txs) => unbalancedRoot(txRoots(txs), true));
  const levels: (LeafLocation | undefined)[] = [
    unbalancedTree(messages).locations[place.message],
    unbalancedTree(txRoots(blocks[place.block]), { compress: true }).locations[place.tx],
    unbalancedTree(blockRoots, { compress: true }).locations[place.block],
    unbalancedTree([...checkpointOutHashes, ...padding]).locations[place.checkpoint],
  ];
  let leafIndex = 0n;
  const siblings: Uint8Array[] = [];
  for (const location of levels) {
    // Only a subtree without messages has no location.
    if (location === undefined) return undefined;
    siblings.push(...location.siblings);
  }
  for (const location of levels.toReversed()) {
    leafIndex = (leafIndex << BigInt(location!.level)) + BigInt(location!.index);
  }
  return { leafIndex, siblings };
}
