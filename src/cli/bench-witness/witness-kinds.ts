import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  type TreeId,
} from "../../protocol/constants.ts";
import type { JsonWriter } from "../../rpc/codecs/json/json-writer.ts";
import {
  encodeMembershipWitness,
  encodeMessageWitness,
  encodeNullifierWitness,
  encodePublicDataWitness,
  NULLIFIER_WITNESS_TEXT,
  PUBLIC_DATA_WITNESS_TEXT,
} from "../../rpc/codecs/release/witness.ts";
import type { LeafText, WorldStateReader } from "../../world-state/types.ts";
import type { TreeText } from "./tree-texts.ts";

export const TREES: Record<TreeText, { id: TreeId; indexed: boolean }> = {
  nullifier: { id: NULLIFIER_TREE, indexed: true },
  "public-data": { id: PUBLIC_DATA_TREE, indexed: true },
  "note-hash": { id: NOTE_HASH_TREE, indexed: false },
  "l1-to-l2": { id: L1_TO_L2_MESSAGE_TREE, indexed: false },
  archive: { id: ARCHIVE, indexed: false },
};

/** Writes the witness of a key as of a block, in the format of the tree's JSON-RPC method. */
export type WriteWitness = (world: WorldStateReader, block: number, key: Uint8Array, out: JsonWriter) => void;

function lowLeafWitness(tree: 0 | 2, text: LeafText, encode: typeof encodeNullifierWitness): WriteWitness {
  return (world, block, key, out) => {
    const written = world.lowLeafText(block, tree, key, "either", text);
    if (written !== undefined) {
      out.bytes(written);
      return;
    }
    const { leaf } = world.lowLeaf(block, tree, key);
    encode(out, { leaf, path: world.siblingPath(block, tree, leaf.index) });
  };
}

function pathWitness(tree: TreeId, encode: typeof encodeMembershipWitness): WriteWitness {
  return (world, block, key, out) => {
    const index = world.findLeaf(block, tree, key);
    if (index === undefined) out.text("null");
    else encode(out, { index, path: world.siblingPath(block, tree, index) });
  };
}

export const WRITE_WITNESS: Record<TreeText, WriteWitness> = {
  nullifier: lowLeafWitness(NULLIFIER_TREE, NULLIFIER_WITNESS_TEXT, encodeNullifierWitness),
  "public-data": lowLeafWitness(PUBLIC_DATA_TREE, PUBLIC_DATA_WITNESS_TEXT, encodePublicDataWitness),
  "note-hash": pathWitness(NOTE_HASH_TREE, encodeMembershipWitness),
  "l1-to-l2": pathWitness(L1_TO_L2_MESSAGE_TREE, encodeMessageWitness),
  archive: pathWitness(ARCHIVE, encodeMembershipWitness),
};
