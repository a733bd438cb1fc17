import { concat } from "../../protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  SEPARATOR,
  type TreeId,
} from "../../protocol/constants.ts";
import { FR_ZERO } from "../../protocol/field.ts";
import type { IndexedLeaf } from "../../world-state/types.ts";
import { encodeWord } from "../encoding/json-writer.ts";
import { encodeSyncStatus } from "../encoding/v4/sync-status.ts";
import {
  encodeLeafLocations,
  encodeMembershipWitness,
  encodeMessageWitness,
  encodeNullifierWitness,
  encodePublicDataWitness,
  type LeafLocation,
  type LeafWitness,
  type PathWitness,
} from "../encoding/v4/witness.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import { blockParameter } from "../params/block-parameter.ts";
import { array } from "../params/codec.ts";
import { field, l2Address } from "../params/field.ts";
import { treeId } from "../params/tree-id.ts";
import { type Method, method, param } from "../registry.ts";
import { stateBefore, stateOf } from "./reference-block.ts";
import type { NodeServices } from "./services.ts";

const MOST_LEAVES = 100;
const referenceParam = param("referenceBlock", blockParameter);

/** Reads of the trees as of a block (sheet 02 section 3.3). */
export function worldStateMethods({ chain, world, core }: Pick<NodeServices, "chain" | "world" | "core">): Method[] {
  /** undefined when no leaf holds the value. */
  const pathWitness = (block: number, tree: TreeId, value: Uint8Array): PathWitness | undefined => {
    const index = world.findLeaf(block, tree, value);
    return index === undefined ? undefined : { index, path: world.siblingPath(block, tree, index) };
  };
  const leafWitness = (block: number, tree: 0 | 2, leaf: IndexedLeaf): LeafWitness => {
    return { leaf, path: world.siblingPath(block, tree, leaf.index) };
  };
  /** Of the leaf of the key, or the one with the largest smaller key. */
  const lowLeafWitness = (block: number, tree: 0 | 2, key: Uint8Array): LeafWitness =>
    leafWitness(block, tree, world.lowLeaf(block, tree, key).leaf);
  const location = (block: number, tree: TreeId, value: Uint8Array): LeafLocation | undefined => {
    const index = world.findLeaf(block, tree, value);
    const origin = index === undefined ? undefined : world.blockOfLeaf(tree, index);
    const record = origin === undefined ? undefined : chain.block(origin);
    return record && { blockNumber: record.number, blockHash: record.hash, index: index! };
  };

  return [
    method({
      name: "getPublicStorageAt",
      params: [referenceParam, param("contract", l2Address), param("slot", field)],
      handle: (reference, contract, slot) => {
        const block = stateOf(chain, world, reference);
        const leafSlot = core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(contract, slot));
        const { leaf, present } = world.lowLeaf(block, PUBLIC_DATA_TREE, leafSlot);
        return present ? leaf.value! : FR_ZERO;
      },
      encode: { node: encodeWord },
    }),
    method({
      name: "findLeavesIndexes",
      params: [referenceParam, param("treeId", treeId), param("leafValues", array(field, MOST_LEAVES))],
      handle: (reference, tree, values) => {
        const block = stateOf(chain, world, reference);
        if (tree === PUBLIC_DATA_TREE && values.length > 0) {
          // A leaf of this tree is a slot and a value: it cannot be asked for by one field. The text is the network's.
          const read = "Attempted to read beyond buffer length. Start index: 32, Num bytes to read: 32";
          throw new ExecutionError(`${read}, Buffer length: 32`);
        }
        return values.map((value) => location(block, tree, value));
      },
      encode: { node: encodeLeafLocations },
    }),
    method({
      name: "getNullifierMembershipWitness",
      params: [referenceParam, param("nullifier", field)],
      handle: (reference, nullifier) => {
        const block = stateOf(chain, world, reference);
        const { leaf, present } = world.lowLeaf(block, NULLIFIER_TREE, nullifier);
        return present ? leafWitness(block, NULLIFIER_TREE, leaf) : undefined;
      },
      encode: { node: encodeNullifierWitness },
    }),
    method({
      name: "getLowNullifierMembershipWitness",
      params: [referenceParam, param("nullifier", field)],
      handle: (reference, nullifier) => lowLeafWitness(stateOf(chain, world, reference), NULLIFIER_TREE, nullifier),
      encode: { node: encodeNullifierWitness },
    }),
    method({
      name: "getPublicDataWitness",
      params: [referenceParam, param("leafSlot", field)],
      handle: (reference, slot) => lowLeafWitness(stateOf(chain, world, reference), PUBLIC_DATA_TREE, slot),
      encode: { node: encodePublicDataWitness },
    }),
    method({
      name: "getBlockHashMembershipWitness",
      params: [referenceParam, param("blockHash", field)],
      handle: (reference, hash) => pathWitness(stateBefore(chain, world, reference), ARCHIVE, hash),
      encode: { node: encodeMembershipWitness },
    }),
    method({
      name: "getNoteHashMembershipWitness",
      params: [referenceParam, param("noteHash", field)],
      handle: (reference, noteHash) => pathWitness(stateOf(chain, world, reference), NOTE_HASH_TREE, noteHash),
      encode: { node: encodeMembershipWitness },
    }),
    method({
      name: "getL1ToL2MessageMembershipWitness",
      params: [referenceParam, param("l1ToL2Message", field)],
      handle: (reference, leaf) => pathWitness(stateOf(chain, world, reference), L1_TO_L2_MESSAGE_TREE, leaf),
      encode: { node: encodeMessageWitness },
    }),
    method({
      name: "getWorldStateSyncStatus",
      params: [],
      handle: () => {
        const { tip, finalized, oldest } = world.status();
        return {
          latestBlockNumber: tip,
          latestBlockHash: world.leafAt(tip, ARCHIVE, tip),
          finalizedBlockNumber: finalized,
          oldestHistoricBlockNumber: oldest,
        };
      },
      encode: { node: encodeSyncStatus },
    }),
  ];
}
