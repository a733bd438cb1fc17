import { readBigUint } from "../../../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../../protocol/constants.ts";
import type { Fr } from "../../../protocol/field.ts";
import type { IndexedLeaf } from "../../../world-state/tables/leaf-row.ts";
import type { LeafText, StateAt, WantedLeaf } from "../../../world-state/types.ts";
import {
  encodeNullifierWitness,
  encodePublicDataWitness,
  type LeafWitness,
  NULLIFIER_WITNESS_TEXT,
  PUBLIC_DATA_WITNESS_TEXT,
} from "../../codecs/release/witness.ts";
import { inBoth } from "../../codecs/shared/apis.ts";
import type { BlockSelector } from "../../codecs/shared/block-parameter.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { type Method, method } from "../../registry/registry.ts";
import { blockOf, isByContents, type StateSource, stateAt } from "../chain/reference-block.ts";
import { byField, pathBuffers, wide } from "./block-and-field.ts";
import { rawTextOfBlock } from "./raw-params.ts";

/** For `immutable`: whether the state is one for ever. */
const ofState = (_witness: LeafWitness, reference: BlockSelector): boolean => isByContents(reference);

/** Witnesses in the indexed trees, of a key's leaf or of the leaf below it. */
export function indexedWitnessMethods(services: StateSource): Method[] {
  const { world } = services;
  const paths = pathBuffers();
  const leafWitness = (state: StateAt, tree: 0 | 2, leaf: IndexedLeaf): LeafWitness => {
    return { leaf, path: state.siblingPath(tree, leaf.index, paths[tree]) };
  };
  /** Witness of the key's leaf, or of the leaf with the largest smaller key. */
  const lowLeafWitness = (state: StateAt, tree: 0 | 2, key: Uint8Array): LeafWitness =>
    leafWitness(state, tree, state.lowLeaf(tree, key).leaf);
  const nullifierWitness = (reference: BlockSelector, nullifier: Fr) => {
    const state = stateAt(services, reference);
    const leaf = state.leaf(NULLIFIER_TREE, nullifier);
    return leaf && leafWitness(state, NULLIFIER_TREE, leaf);
  };
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

  return [
    method({
      name: "getNullifierMembershipWitness",
      summary: "Proof that a nullifier exists",
      params: inBoth(byField("nullifier", "The nullifier, siloed by its contract.")),
      handle: nullifierWitness,
      immutable: ofState,
      encode: { node: encodeNullifierWitness, svc: encodeNullifierWitness },
      raw: nullifierText("present"),
      nothing: "for a nullifier that does not exist",
    }),
    method({
      name: "getLowNullifierMembershipWitness",
      summary: "Proof that a nullifier does not exist: the leaf with the next smaller one",
      params: inBoth(byField("nullifier", "The nullifier, siloed by its contract.")),
      handle: absentNullifierWitness,
      immutable: ofState,
      encode: { node: encodeNullifierWitness, svc: encodeNullifierWitness },
      raw: nullifierText("absent"),
      nothing: "in no case that is known: some leaf is always below",
    }),
    method({
      name: "getPublicDataWitness",
      summary: "Proof of the value of a public data leaf, or of its absence",
      params: inBoth(byField("leafSlot", "Key of the leaf: the hash of the contract's address and its slot.")),
      handle: slotWitness,
      immutable: ofState,
      encode: { node: encodePublicDataWitness, svc: encodePublicDataWitness },
      raw: leafText(PUBLIC_DATA_TREE, "either", PUBLIC_DATA_WITNESS_TEXT),
      nothing: "in no case that is known: some leaf is always below",
    }),
  ];
}
