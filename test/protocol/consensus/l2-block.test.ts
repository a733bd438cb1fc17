import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { l2BlockFromBytes, l2BlockToBytes } from "../../../src/protocol/consensus/l2-block.ts";

const file = new URL("../../fixtures/p2p/l2-block.json.gz", import.meta.url);
const vector = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
const bytes = fromHex(vector.bytes);
const block = {
  header: fromHex(vector.header),
  archiveRoot: fromHex(vector.archiveRoot),
  words: concat(...vector.words.map(fromHex)),
  checkpointNumber: vector.checkpointNumber,
  indexWithinCheckpoint: vector.index,
};

test("a block with effects of every kind has the network's bytes", () => {
  expect(Buffer.compare(l2BlockToBytes(block), bytes)).toBe(0);
  const decoded = l2BlockFromBytes(bytes);
  expect(Buffer.compare(decoded.words, block.words)).toBe(0);
  expect({ ...decoded, words: 0, header: toHex(decoded.header), archiveRoot: toHex(decoded.archiveRoot) }).toEqual({
    words: 0,
    header: vector.header,
    archiveRoot: vector.archiveRoot,
    checkpointNumber: vector.checkpointNumber,
    indexWithinCheckpoint: vector.index,
  });
});

test("a block that is cut off anywhere is refused", () => {
  for (let length = 0; length < bytes.length; length += 997) {
    expect(() => l2BlockFromBytes(bytes.subarray(0, length))).toThrow(/block: .* needs \d+ bytes, \d+ are left/);
  }
});

test("a count of a block's effects that its bytes cannot hold is refused without work for each", () => {
  const huge = bytes.slice();
  huge.fill(255, 476, 480);
  expect(() => l2BlockFromBytes(huge)).toThrow("block: ");
});
