import { writeU32, writeUint } from "../../../protocol/bytes.ts";
import type { IndexedLeaf } from "../../../world-state/tables/leaf-row.ts";
import type { LeafText } from "../../../world-state/types.ts";
import { encoder } from "../json/encoder.ts";
import { about, type JsonSchema, listOf, named, orNull, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_HASH, BLOCK_NUMBER, base64, DECIMAL, FIELD } from "../json/scalars.ts";

/** Header and path of the witness being written; the buffer is reused. */
let scratch = Buffer.alloc(32 + 42 * 32);

function withPath(path: Uint8Array, at: number): Buffer {
  if (scratch.length < at + path.length) scratch = Buffer.alloc(at + path.length);
  scratch.set(path, at);
  return scratch;
}

const SIBLING_PATH = base64(
  "SiblingPath",
  "The siblings of a leaf and of its ancestors, base64: their number (4 bytes, big-endian), then 32 bytes each, leaf side first.",
);

/**
 * SiblingPath: base64 of u32 height, then the path, leaf side first (docs/protocol/02-trees.md#215-witness-encodings).
 */
export const encodeSiblingPath = encoder<Uint8Array>(SIBLING_PATH, (out, path) => {
  const bytes = withPath(path, 4);
  writeU32(bytes, 0, path.length / 32);
  out.base64(bytes, 0, 4 + path.length);
});

/** Position and path of a leaf in an append-only tree. */
export interface PathWitness {
  index: number;
  /** height x 32 bytes, leaf side first. */
  path: Uint8Array;
}

const MEMBERSHIP_WITNESS = base64(
  "MembershipWitness",
  "The place of a leaf and its siblings, base64: its index (32 bytes, big-endian), then 32 bytes for each level, leaf side first; 30 levels in the archive, 42 in the note hash tree.",
);

/** MembershipWitness: base64 of the index as a 32-byte word, then the path. */
export const encodeMembershipWitness = encoder<PathWitness>(MEMBERSHIP_WITNESS, (out, { index, path }) => {
  const bytes = withPath(path, 32);
  bytes.fill(0, 0, 26);
  writeUint(bytes, 26, 6, index);
  out.base64(bytes, 0, 32 + path.length);
});

const MESSAGE_WITNESS = named("L1ToL2MessageWitness", "Index of a message's leaf and its siblings, 36 of them.", {
  type: "array",
  items: [about(DECIMAL, "Index of the leaf."), SIBLING_PATH],
  minItems: 2,
  maxItems: 2,
  additionalItems: false,
});

/** `[index, SiblingPath]` of an L1-to-L2 message. */
export const encodeMessageWitness = encoder<PathWitness>(MESSAGE_WITNESS, (out, { index, path }) => {
  out.text("[").decimal(index).text(",");
  encodeSiblingPath(out, path);
  out.text("]");
});

/** A leaf of an indexed tree and its sibling path. */
export interface LeafWitness {
  leaf: IndexedLeaf;
  path: Uint8Array;
}

/** Everything before the leaf's own words. */
function openLeafWitness(out: JsonWriter, { leaf }: LeafWitness): void {
  out.text('{"index":').decimal(leaf.index).text(',"leafPreimage":{"leaf":{');
}

/** Everything after them. */
function closeLeafWitness(out: JsonWriter, { leaf, path }: LeafWitness): void {
  out.text('},"nextKey":').word(leaf.nextKey);
  out.text(',"nextIndex":').decimal(leaf.nextIndex).text('},"siblingPath":');
  encodeSiblingPath(out, path);
  out.text("}");
}

/** The same text as a template that the world state fills in. */
function leafText(...own: LeafText): LeafText {
  return [
    '{"index":"',
    { of: "index" },
    '","leafPreimage":{"leaf":{',
    ...own,
    '"},"nextKey":"0x',
    { of: "nextKey" },
    '","nextIndex":"',
    { of: "nextIndex" },
    '"},"siblingPath":"',
    { of: "path" },
    '"}',
  ];
}

export const NULLIFIER_WITNESS_TEXT = leafText('"nullifier":"0x', { of: "key" });
export const PUBLIC_DATA_WITNESS_TEXT = leafText('"slot":"0x', { of: "key" }, '","value":"0x', { of: "value" });

const leafWitness = (title: string, tree: string, leafTitle: string, leaf: Record<string, JsonSchema>) =>
  record(title, `A leaf of the ${tree} and its siblings.`, {
    index: about(DECIMAL, "Index of the leaf."),
    leafPreimage: record(`${leafTitle}Preimage`, `What a leaf of the ${tree} is the hash of.`, {
      leaf: record(leafTitle, `What a leaf of the ${tree} holds.`, leaf),
      nextKey: about(FIELD, "The next larger key in the tree; zero for the largest."),
      nextIndex: about(DECIMAL, "Index of the leaf of that key."),
    }),
    siblingPath: SIBLING_PATH,
  });
const NULLIFIER_WITNESS = leafWitness("NullifierMembershipWitness", "nullifier tree", "NullifierLeaf", {
  nullifier: about(FIELD, "The nullifier, siloed by its contract."),
});

/** NullifierMembershipWitness. */
export const encodeNullifierWitness = encoder<LeafWitness>(NULLIFIER_WITNESS, (out, witness) => {
  openLeafWitness(out, witness);
  out.text('"nullifier":').word(witness.leaf.key);
  closeLeafWitness(out, witness);
});

const PUBLIC_DATA_WITNESS = leafWitness("PublicDataWitness", "public data tree", "PublicDataTreeLeaf", {
  slot: about(FIELD, "Key of the leaf: the hash of the contract's address and its slot."),
  value: about(FIELD, "The value that is stored there."),
});

/** PublicDataWitness. */
export const encodePublicDataWitness = encoder<LeafWitness>(PUBLIC_DATA_WITNESS, (out, witness) => {
  const { leaf } = witness;
  openLeafWitness(out, witness);
  out.text('"slot":').word(leaf.key).text(',"value":').word(leaf.value!);
  closeLeafWitness(out, witness);
});

/** Position of a leaf and the block that inserted it. */
export interface LeafLocation {
  blockNumber: number;
  blockHash: Uint8Array;
  index: number;
}

const LEAF_LOCATIONS = about(
  listOf(
    orNull(
      record("DataInBlock", "Where a leaf is and which block put it there.", {
        l2BlockNumber: BLOCK_NUMBER,
        l2BlockHash: BLOCK_HASH,
        data: about(DECIMAL, "Index of the leaf."),
      }),
      "Null for a value that no leaf has.",
    ),
  ),
  "One for each value that was asked for, in the same order.",
);

/** Array with null for values that no leaf holds (docs/protocol/05-rpc.md#520-world-state). */
export const encodeLeafLocations = encoder<readonly (LeafLocation | undefined)[]>(LEAF_LOCATIONS, (out, locations) => {
  out.array(locations, (to, location) => {
    if (location === undefined) to.text("null");
    else {
      to.text('{"l2BlockNumber":').number(location.blockNumber);
      to.text(',"l2BlockHash":').word(location.blockHash);
      to.text(',"data":').decimal(location.index).text("}");
    }
  });
});
