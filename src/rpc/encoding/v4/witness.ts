import { writeU32, writeUint } from "../../../protocol/bytes.ts";
import type { IndexedLeaf, LeafText } from "../../../world-state/types.ts";
import type { JsonWriter } from "../json-writer.ts";

/** What an encoding puts in front of a path, then the path; made anew for each. */
let scratch = Buffer.alloc(32 + 42 * 32);

function withPath(path: Uint8Array, at: number): Buffer {
  if (scratch.length < at + path.length) scratch = Buffer.alloc(at + path.length);
  scratch.set(path, at);
  return scratch;
}

/** SiblingPath: base64 of u32 height, then the path, leaf side first (sheet 02 section 4.7). */
export function encodeSiblingPath(out: JsonWriter, path: Uint8Array): void {
  const bytes = withPath(path, 4);
  writeU32(bytes, 0, path.length / 32);
  out.base64(bytes, 0, 4 + path.length);
}

/** The place of a leaf in an append-only tree. */
export interface PathWitness {
  index: number;
  /** height x 32 bytes, leaf side first. */
  path: Uint8Array;
}

/** MembershipWitness: base64 of the index as a 32-byte word, then the path. */
export function encodeMembershipWitness(out: JsonWriter, { index, path }: PathWitness): void {
  const bytes = withPath(path, 32);
  bytes.fill(0, 0, 26);
  writeUint(bytes, 26, 6, index);
  out.base64(bytes, 0, 32 + path.length);
}

/** `[index, SiblingPath]` of an L1-to-L2 message. */
export function encodeMessageWitness(out: JsonWriter, { index, path }: PathWitness): void {
  out.text("[").decimal(index).text(",");
  encodeSiblingPath(out, path);
  out.text("]");
}

/** A leaf of an indexed tree and the path of its position. */
export interface LeafWitness {
  leaf: IndexedLeaf;
  path: Uint8Array;
}

/** What is in front of the leaf's own words. */
function openLeafWitness(out: JsonWriter, { leaf }: LeafWitness): void {
  out.text('{"index":').decimal(leaf.index).text(',"leafPreimage":{"leaf":{');
}

/** What follows them. */
function closeLeafWitness(out: JsonWriter, { leaf, path }: LeafWitness): void {
  out.text('},"nextKey":').word(leaf.nextKey);
  out.text(',"nextIndex":').decimal(leaf.nextIndex).text('},"siblingPath":');
  encodeSiblingPath(out, path);
  out.text("}");
}

/** The same texts for the world state to fill in. */
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

/** NullifierMembershipWitness. */
export function encodeNullifierWitness(out: JsonWriter, witness: LeafWitness): void {
  openLeafWitness(out, witness);
  out.text('"nullifier":').word(witness.leaf.key);
  closeLeafWitness(out, witness);
}

/** PublicDataWitness. */
export function encodePublicDataWitness(out: JsonWriter, witness: LeafWitness): void {
  const { leaf } = witness;
  openLeafWitness(out, witness);
  out.text('"slot":').word(leaf.key).text(',"value":').word(leaf.value!);
  closeLeafWitness(out, witness);
}

/** Where a leaf is and which block put it there. */
export interface LeafLocation {
  blockNumber: number;
  blockHash: Uint8Array;
  index: number;
}

/** Array with null for values that are in no leaf (sheet 02 section 3.3). */
export function encodeLeafLocations(out: JsonWriter, locations: readonly (LeafLocation | undefined)[]): void {
  out.array(locations, (to, location) => {
    if (location === undefined) to.text("null");
    else {
      to.text('{"l2BlockNumber":').number(location.blockNumber);
      to.text(',"l2BlockHash":').word(location.blockHash);
      to.text(',"data":').decimal(location.index).text("}");
    }
  });
}
