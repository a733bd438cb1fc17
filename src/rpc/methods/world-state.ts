import { concat, readBigUint, toHex } from "../../protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  SEPARATOR,
  TREE_HEIGHTS,
  type TreeId,
} from "../../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../../protocol/field.ts";
import type { IndexedLeaf, LeafText, StateAt, WantedLeaf } from "../../world-state/types.ts";
import { type Encoder, encodeWord } from "../encoding/json-writer.ts";
import { encodeSyncStatus } from "../encoding/v4/sync-status.ts";
import {
  encodeLeafLocations,
  encodeMembershipWitness,
  encodeMessageWitness,
  encodeNullifierWitness,
  encodePublicDataWitness,
  type LeafLocation,
  type LeafWitness,
  NULLIFIER_WITNESS_TEXT,
  type PathWitness,
  PUBLIC_DATA_WITNESS_TEXT,
} from "../encoding/v4/witness.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import { type BlockSelector, blockParameter, blockSelector } from "../params/block-parameter.ts";
import { array } from "../params/codec.ts";
import { field, l2Address } from "../params/field.ts";
import { rawOfBlock, rawTextOfBlock } from "../params/raw-params.ts";
import { treeId } from "../params/tree-id.ts";
import { type Method, method, type Parameter, param } from "../registry.ts";
import { blockOf, type StateSource, stateAt, stateBefore, stateOf } from "./reference-block.ts";
import type { NodeServices } from "./services.ts";

const MOST_LEAVES = 100;
/** As many are searched while others wait. */
const FEW_LEAVES = 32;

const LOW_NULLIFIER = {
  summary: "Proof that a nullifier does not exist: the leaf with the next smaller one",
  returns: "NullifierMembershipWitness?",
};
const BLOCK_HASH = {
  summary: "Proof that a block is in the archive that a later block refers to",
  returns: "MembershipWitness?",
};

/** Parameters after the block whose state is meant, which the namespaces select differently. */
function ofBlock<const P extends readonly Parameter[]>(...rest: P) {
  return {
    node: [param("referenceBlock", blockParameter), ...rest],
    svc: [param("referenceBlock", blockSelector), ...rest],
  } as const;
}

/** How a method of a block and a field is answered, in its general and in its fast form. */
function answered<R>(handle: (reference: BlockSelector, field: Fr) => R | undefined, encode: Encoder<R>) {
  const raw = rawOfBlock(1, handle, encode);
  return { handle, encode: { node: encode, svc: encode }, raw: { node: raw, svc: raw } };
}

/** Reads of the trees as of a block (sheet 02 section 3.3, sheet 03 section 7). */
export function worldStateMethods(services: StateSource & Pick<NodeServices, "core">): Method[] {
  const { chain, world, core } = services;
  // A result is encoded before the next call is handled, so that paths need no memory of their own.
  const paths = TREE_HEIGHTS.map((height) => new Uint8Array(height * 32));
  /** undefined when no leaf holds the value. */
  const pathWitness = (state: StateAt, tree: TreeId, value: Uint8Array): PathWitness | undefined => {
    const index = state.findLeaf(tree, value);
    return index === undefined ? undefined : { index, path: state.siblingPath(tree, index, paths[tree]) };
  };
  const leafWitness = (state: StateAt, tree: 0 | 2, leaf: IndexedLeaf): LeafWitness => {
    return { leaf, path: state.siblingPath(tree, leaf.index, paths[tree]) };
  };
  /** Of the leaf of the key, or the one with the largest smaller key. */
  const lowLeafWitness = (state: StateAt, tree: 0 | 2, key: Uint8Array): LeafWitness =>
    leafWitness(state, tree, state.lowLeaf(tree, key).leaf);
  const storageAt = (reference: BlockSelector, contract: Fr, slot: Fr) => {
    const state = stateAt(services, reference);
    const leafSlot = core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(contract, slot));
    return state.leaf(PUBLIC_DATA_TREE, leafSlot)?.value ?? FR_ZERO;
  };
  const storageWord = rawOfBlock(2, storageAt, encodeWord);
  const nullifierWitness = (reference: BlockSelector, nullifier: Fr) => {
    const state = stateAt(services, reference);
    const leaf = state.leaf(NULLIFIER_TREE, nullifier);
    return leaf && leafWitness(state, NULLIFIER_TREE, leaf);
  };
  const lowNullifierWitness = (reference: BlockSelector, nullifier: Fr) =>
    lowLeafWitness(stateAt(services, reference), NULLIFIER_TREE, nullifier);
  const absentNullifierWitness = (reference: BlockSelector, nullifier: Fr) => {
    const state = stateAt(services, reference);
    const { leaf, present } = state.lowLeaf(NULLIFIER_TREE, nullifier);
    if (present) {
      const shown = readBigUint(nullifier);
      throw new ExecutionError(`Cannot prove nullifier non-inclusion: nullifier ${shown} already exists in the tree`);
    }
    return leafWitness(state, NULLIFIER_TREE, leaf);
  };
  const slotWitness = (reference: BlockSelector, slot: Fr) =>
    lowLeafWitness(stateAt(services, reference), PUBLIC_DATA_TREE, slot);
  const leafText = (tree: 0 | 2, wanted: WantedLeaf, text: LeafText) =>
    rawTextOfBlock((reference, key) => world.lowLeafText(blockOf(services, reference), tree, key, wanted, text));
  const nullifierText = (wanted: WantedLeaf) => leafText(NULLIFIER_TREE, wanted, NULLIFIER_WITNESS_TEXT);
  const presentText = nullifierText("present");
  const slotText = leafText(PUBLIC_DATA_TREE, "either", PUBLIC_DATA_WITNESS_TEXT);
  const appendedWitness = (tree: TreeId) => (reference: BlockSelector, value: Fr) =>
    pathWitness(stateAt(services, reference), tree, value);
  const location = (block: number, tree: TreeId, value: Uint8Array): LeafLocation | undefined => {
    const index = world.findLeaf(block, tree, value);
    const origin = index === undefined ? undefined : world.blockOfLeaf(tree, index);
    const record = origin === undefined ? undefined : chain.block(origin);
    return record && { blockNumber: record.number, blockHash: record.hash, index: index! };
  };

  return [
    method({
      name: "getPublicStorageAt",
      summary: "Value of a storage slot, zero where none was written",
      params: ofBlock(param("contract", l2Address), param("slot", field)),
      handle: storageAt,
      encode: { node: encodeWord, svc: encodeWord },
      raw: { node: storageWord, svc: storageWord },
      returns: "Field",
    }),
    method({
      name: "findLeavesIndexes",
      summary: "Where leaves are in a tree and which blocks put them there",
      params: ofBlock(param("treeId", treeId), param("leafValues", array(field, MOST_LEAVES))),
      handle: (reference, tree, values) => {
        const block = stateOf(services, reference);
        if (tree === PUBLIC_DATA_TREE && values.length > 0) {
          // A leaf of this tree is a slot and a value: it cannot be asked for by one field. The text is the network's.
          const read = "Attempted to read beyond buffer length. Start index: 32, Num bytes to read: 32";
          throw new ExecutionError(`${read}, Buffer length: 32`);
        }
        return values.map((value) => location(block, tree, value));
      },
      long: (_reference, _tree, values) => values.length > FEW_LEAVES,
      returns: "(DataInBlock | null)[]",
      encode: { node: encodeLeafLocations, svc: encodeLeafLocations },
    }),
    method({
      name: "getNullifierMembershipWitness",
      summary: "Proof that a nullifier exists",
      params: ofBlock(param("nullifier", field)),
      handle: nullifierWitness,
      encode: { node: encodeNullifierWitness, svc: encodeNullifierWitness },
      raw: { node: presentText, svc: presentText },
      returns: "NullifierMembershipWitness?",
    }),
    method({
      name: "getLowNullifierMembershipWitness",
      ...LOW_NULLIFIER,
      params: [param("referenceBlock", blockParameter), param("nullifier", field)],
      handle: lowNullifierWitness,
      encode: { node: encodeNullifierWitness },
      raw: { node: nullifierText("either") },
    }),
    method({
      name: "getLowNullifierMembershipWitness",
      ...LOW_NULLIFIER,
      params: [param("referenceBlock", blockSelector), param("nullifier", field)],
      handle: absentNullifierWitness,
      encode: { svc: encodeNullifierWitness },
      raw: { svc: nullifierText("absent") },
    }),
    method({
      name: "getPublicDataWitness",
      summary: "Proof of the value of a public data leaf, or of its absence",
      params: ofBlock(param("leafSlot", field)),
      handle: slotWitness,
      encode: { node: encodePublicDataWitness, svc: encodePublicDataWitness },
      raw: { node: slotText, svc: slotText },
      returns: "PublicDataWitness?",
    }),
    method({
      name: "getBlockHashMembershipWitness",
      ...BLOCK_HASH,
      params: [param("referenceBlock", blockParameter), param("blockHash", field)],
      handle: (reference, hash) => {
        const unknown = (given: Uint8Array) => new ExecutionError(`Block hash ${toHex(given)} not found.`);
        const before = stateBefore(services, reference, unknown);
        if (before === undefined) throw new ExecutionError("BlockNumber must be non-negative, got -1");
        return pathWitness(world.at(before), ARCHIVE, hash);
      },
      encode: { node: encodeMembershipWitness },
    }),
    method({
      name: "getBlockHashMembershipWitness",
      ...BLOCK_HASH,
      params: [param("referenceBlock", blockSelector), param("blockHash", field)],
      handle: (reference, hash) => {
        const before = stateBefore(services, reference);
        return before === undefined ? undefined : pathWitness(world.at(before), ARCHIVE, hash);
      },
      encode: { svc: encodeMembershipWitness },
    }),
    method({
      name: "getNoteHashMembershipWitness",
      summary: "Proof that a note hash exists",
      params: ofBlock(param("noteHash", field)),
      ...answered(appendedWitness(NOTE_HASH_TREE), encodeMembershipWitness),
      returns: "MembershipWitness?",
    }),
    method({
      name: "getL1ToL2MessageMembershipWitness",
      summary: "Proof that a message from L1 is in the tree",
      params: ofBlock(param("l1ToL2Message", field)),
      ...answered(appendedWitness(L1_TO_L2_MESSAGE_TREE), encodeMessageWitness),
      returns: "L1ToL2MessageWitness?",
    }),
    method({
      name: "getWorldStateSyncStatus",
      summary: "How far the trees have come",
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
      returns: "WorldStateSyncStatus",
      encode: { node: encodeSyncStatus, svc: encodeSyncStatus },
    }),
  ];
}
