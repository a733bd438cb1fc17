import { expect, test } from "vitest";
import { genesisHeader, headerSnapshot, writeHeaderFields } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex, word } from "../../../src/protocol/bytes.ts";
import { NOTE_HASH_TREE } from "../../../src/protocol/constants.ts";
import { JsonWriter } from "../../../src/rpc/codecs/json/json-writer.ts";
import {
  encodeMembershipWitness,
  encodeNullifierWitness,
  encodePublicDataWitness,
  encodeSiblingPath,
} from "../../../src/rpc/codecs/release/witness.ts";
import { readVectors, words } from "../support/vectors.ts";

interface LeafWitnessJson {
  index: string;
  leafPreimage: { leaf: Record<string, string>; nextKey: string; nextIndex: string };
  siblingPath: string;
}
const { serialization } = readVectors<{
  serialization: {
    siblingPath: { path: string[]; hex: string; rpcJson: string }[];
    membershipWitness: { leafIndex: string; path: string[]; rpcJson: string }[];
    nullifierMembershipWitness: { path: string[]; rpcJson: LeafWitnessJson };
    publicDataWitness: { path: string[]; rpcJson: LeafWitnessJson };
    appendOnlyTreeSnapshot: { root: string; nextAvailableLeafIndex: number; bytes: string; fields: string[] }[];
  };
}>("trees.json");

function json(write: (out: JsonWriter) => void): unknown {
  const out = new JsonWriter();
  write(out);
  return JSON.parse(Buffer.from(out.take()).toString());
}

function leaf({ index, leafPreimage }: LeafWitnessJson) {
  const { leaf, nextKey, nextIndex } = leafPreimage;
  return {
    index: Number(index),
    key: fromHex(leaf.nullifier ?? leaf.slot),
    value: leaf.value === undefined ? undefined : fromHex(leaf.value),
    nextKey: fromHex(nextKey),
    nextIndex: Number(nextIndex),
  };
}

test.each(serialization.siblingPath)(
  "a sibling path of $path.length levels is encoded as in the vectors",
  ({ path, hex, rpcJson }) => {
    expect(json((out) => encodeSiblingPath(out, words(path)))).toBe(rpcJson);
    expect(Buffer.from(rpcJson, "base64").toString("hex")).toBe(hex.slice(2));
  },
);

test.each(serialization.membershipWitness)(
  "the membership witness of leaf $leafIndex is encoded as in the vectors",
  ({ leafIndex, path, rpcJson }) => {
    const witness = { index: Number(leafIndex), path: words(path) };
    expect(json((out) => encodeMembershipWitness(out, witness))).toBe(rpcJson);
  },
);

test("a nullifier witness is encoded as in the vectors", () => {
  const { path, rpcJson } = serialization.nullifierMembershipWitness;
  const witness = { leaf: leaf(rpcJson), path: words(path) };
  expect(json((out) => encodeNullifierWitness(out, witness))).toEqual(rpcJson);
});

test("a public data witness is encoded as in the vectors", () => {
  const { path, rpcJson } = serialization.publicDataWitness;
  const witness = { leaf: leaf(rpcJson), path: words(path) };
  expect(json((out) => encodePublicDataWitness(out, witness))).toEqual(rpcJson);
});

test.each(serialization.appendOnlyTreeSnapshot)("a tree snapshot is encoded as in the vectors: $root", (v) => {
  const { root, nextAvailableLeafIndex: size, bytes, fields } = v;
  const header = genesisHeader([{ tree: NOTE_HASH_TREE, root: fromHex(root), size }]);
  expect(headerSnapshot(header, NOTE_HASH_TREE)).toEqual({ root: fromHex(root), size });
  expect(toHex(header)).toContain(bytes.slice(2));
  const headerFields = new Uint8Array(22 * 32);
  writeHeaderFields(header, headerFields, 0);
  expect([toHex(word(headerFields, 4)), toHex(word(headerFields, 5))]).toEqual(fields);
});
