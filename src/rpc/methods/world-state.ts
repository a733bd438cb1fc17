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
import { type Encoder, encodeWord } from "../encoding/encoder.ts";
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
import type { BlockParameter, BlockSelector } from "../params/block-parameter.ts";
import { array } from "../params/codec.ts";
import { DEVELOPMENT_CODECS, type GenerationCodecs, inBoth, RELEASE_CODECS } from "../params/generations.ts";
import { blockHashText } from "../params/hex-text.ts";
import { rawOfBlock, rawTextOfBlock } from "../params/raw-params.ts";
import { treeId } from "../params/tree-id.ts";
import type { NodeServices } from "../ports/node-services.ts";
import { type Method, method, param } from "../registry.ts";
import { blockOf, type StateSource, stateAt, stateBefore, stateOf } from "./reference-block.ts";

const MOST_LEAVES = 100;
/** Searches of up to this many leaves are not long calls. */
const FEW_LEAVES = 32;

const LOW_NULLIFIER = {
  summary: "Proof that a nullifier does not exist: the leaf with the next smaller one",
  nothing: "in no case that is known: some leaf is always below",
};
const LEAVES = {
  summary: "Where leaves are in a tree and which blocks put them there",
};
const BLOCK_HASH = {
  summary: "Proof that a block is in the archive that a later block refers to",
  nothing: "for a hash that is no earlier block",
};

const referenceBlock = ({ block }: GenerationCodecs) =>
  param("referenceBlock", block, "The block as of which the state is read.");
/** Parameters of methods that read one field's entry at a block. */
const byField = (name: string, description: string) => (codecs: GenerationCodecs) =>
  [referenceBlock(codecs), param(name, codecs.field, description)] as const;
const leaves = (codecs: GenerationCodecs, what: string) =>
  [
    referenceBlock(codecs),
    param("treeId", treeId),
    param("leafValues", array(codecs.field, MOST_LEAVES), `The leaves: ${what}.`),
  ] as const;

/** Widens a block as the raw forms read it: a word may also be an archive root. */
function wide(block: BlockParameter): BlockSelector {
  return block instanceof Uint8Array ? { hashOrArchive: block } : block;
}

/** Raw forms of a method with parameters block and one or two fields. */
function rawInBoth<R>(
  fields: 1 | 2,
  handle: (block: BlockSelector, first: Fr, second: Fr) => R | undefined,
  encode: Encoder<R>,
) {
  return {
    node: rawOfBlock(fields, handle, encode),
    svc: rawOfBlock(fields, (block, first, second) => handle(wide(block), first, second), encode),
  };
}

/** The general and the raw form of a method with parameters block and field. */
function answered<R>(handle: (reference: BlockSelector, field: Fr) => R | undefined, encode: Encoder<R>) {
  return { handle, encode: { node: encode, svc: encode }, raw: rawInBoth(1, handle, encode) };
}

/**
 * Reads of the trees as of a block (docs/protocol/05-rpc.md#520-world-state, docs/protocol/05-rpc.md#520-world-state).
 */
export function worldStateMethods(services: StateSource & Pick<NodeServices, "core">): Method[] {
  const { chain, world, core } = services;
  // One buffer per tree suffices: a result is encoded before the next call is handled.
  const paths = TREE_HEIGHTS.map((height) => new Uint8Array(height * 32));
  /** undefined if no leaf holds the value. */
  const pathWitness = (state: StateAt, tree: TreeId, value: Uint8Array): PathWitness | undefined => {
    const index = state.findLeaf(tree, value);
    return index === undefined ? undefined : { index, path: state.siblingPath(tree, index, paths[tree]) };
  };
  const leafWitness = (state: StateAt, tree: 0 | 2, leaf: IndexedLeaf): LeafWitness => {
    return { leaf, path: state.siblingPath(tree, leaf.index, paths[tree]) };
  };
  /** Witness of the key's leaf, or of the leaf with the largest smaller key. */
  const lowLeafWitness = (state: StateAt, tree: 0 | 2, key: Uint8Array): LeafWitness =>
    leafWitness(state, tree, state.lowLeaf(tree, key).leaf);
  const storageAt = (reference: BlockSelector, contract: Fr, slot: Fr) => {
    const state = stateAt(services, reference);
    const leafSlot = core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(contract, slot));
    return state.leaf(PUBLIC_DATA_TREE, leafSlot)?.value ?? FR_ZERO;
  };
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
  const leafText = (tree: 0 | 2, wanted: WantedLeaf, text: LeafText) => {
    const of = (block: BlockSelector, key: Fr) => world.lowLeafText(blockOf(services, block), tree, key, wanted, text);
    return { node: rawTextOfBlock(of), svc: rawTextOfBlock((block, key) => of(wide(block), key)) };
  };
  const nullifierText = (wanted: WantedLeaf) => leafText(NULLIFIER_TREE, wanted, NULLIFIER_WITNESS_TEXT);
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
      params: inBoth(
        (codecs) =>
          [
            referenceBlock(codecs),
            param("contract", codecs.l2Address),
            param("slot", codecs.field, "The slot as in the contract's source."),
          ] as const,
      ),
      handle: storageAt,
      encode: { node: encodeWord, svc: encodeWord },
      raw: rawInBoth(2, storageAt, encodeWord),
    }),
    method({
      name: "findLeavesIndexes",
      ...LEAVES,
      params: leaves(RELEASE_CODECS, "their values; in the public data tree none can be found"),
      handle: (reference, tree, values) => {
        const block = stateOf(services, reference);
        if (tree === PUBLIC_DATA_TREE && values.length > 0) {
          // A leaf of this tree is a slot and a value, so one field cannot identify it. The text is the network's.
          const read = "Attempted to read beyond buffer length. Start index: 32, Num bytes to read: 32";
          throw new ExecutionError(`${read}, Buffer length: 32`);
        }
        return values.map((value) => location(block, tree, value));
      },
      long: (_reference, _tree, values) => values.length > FEW_LEAVES,
      encode: { node: encodeLeafLocations },
    }),
    method({
      name: "findLeavesIndexes",
      ...LEAVES,
      params: leaves(DEVELOPMENT_CODECS, "their values; in the public data tree their slots"),
      handle: (reference, tree, values) => {
        const block = stateOf(services, reference);
        return values.map((value) => location(block, tree, value));
      },
      long: (_reference, _tree, values) => values.length > FEW_LEAVES,
      encode: { svc: encodeLeafLocations },
    }),
    method({
      name: "getNullifierMembershipWitness",
      summary: "Proof that a nullifier exists",
      params: inBoth(byField("nullifier", "The nullifier, siloed by its contract.")),
      handle: nullifierWitness,
      encode: { node: encodeNullifierWitness, svc: encodeNullifierWitness },
      raw: nullifierText("present"),
      nothing: "for a nullifier that does not exist",
    }),
    method({
      name: "getLowNullifierMembershipWitness",
      ...LOW_NULLIFIER,
      params: byField("nullifier", "The nullifier, siloed by its contract.")(RELEASE_CODECS),
      handle: lowNullifierWitness,
      encode: { node: encodeNullifierWitness },
      raw: { node: nullifierText("either").node },
    }),
    method({
      name: "getLowNullifierMembershipWitness",
      ...LOW_NULLIFIER,
      params: byField("nullifier", "The nullifier, siloed by its contract.")(DEVELOPMENT_CODECS),
      handle: absentNullifierWitness,
      encode: { svc: encodeNullifierWitness },
      raw: { svc: nullifierText("absent").svc },
    }),
    method({
      name: "getPublicDataWitness",
      summary: "Proof of the value of a public data leaf, or of its absence",
      params: inBoth(byField("leafSlot", "Key of the leaf: the hash of the contract's address and its slot.")),
      handle: slotWitness,
      encode: { node: encodePublicDataWitness, svc: encodePublicDataWitness },
      raw: leafText(PUBLIC_DATA_TREE, "either", PUBLIC_DATA_WITNESS_TEXT),
      nothing: "in no case that is known: some leaf is always below",
    }),
    method({
      name: "getBlockHashMembershipWitness",
      ...BLOCK_HASH,
      params: byField("blockHash", "The block that is to be in the archive.")(RELEASE_CODECS),
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
      params: [
        referenceBlock(DEVELOPMENT_CODECS),
        param("blockHash", blockHashText, "The block that is to be in the archive."),
      ],
      handle: (reference, hash) => {
        const before = stateBefore(services, reference);
        return before === undefined ? undefined : pathWitness(world.at(before), ARCHIVE, hash);
      },
      encode: { svc: encodeMembershipWitness },
    }),
    method({
      name: "getNoteHashMembershipWitness",
      summary: "Proof that a note hash exists",
      params: inBoth(byField("noteHash", "The note hash, siloed and unique.")),
      ...answered(appendedWitness(NOTE_HASH_TREE), encodeMembershipWitness),
      nothing: "for a note hash that does not exist",
    }),
    method({
      name: "getL1ToL2MessageMembershipWitness",
      summary: "Proof that a message from L1 is in the tree",
      params: inBoth(byField("l1ToL2Message", "Hash of the message.")),
      ...answered(appendedWitness(L1_TO_L2_MESSAGE_TREE), encodeMessageWitness),
      nothing: "for a message that is not in the tree",
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
      encode: { node: encodeSyncStatus, svc: encodeSyncStatus },
    }),
  ];
}
