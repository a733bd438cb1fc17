import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { outHashWitness } from "../../src/protocol/out-hash-witness.ts";
import { checkpointOutHash } from "../../src/protocol/sha-trees.ts";

interface Epoch {
  /** By checkpoint, block and tx. */
  messages: string[][][][];
  witnesses: {
    checkpointIndex: number;
    blockIndex: number;
    txIndex: number;
    messageIndex: number;
    leafIndex: string;
    leafId: string;
    siblingPath: string[];
  }[];
}

function vectors(name: string): { outHash: Epoch[]; scenario: { epoch3: Epoch } } {
  return JSON.parse(readFileSync(new URL(`../fixtures/vectors/${name}.json`, import.meta.url), "utf8"));
}

const epochs = [...vectors("trees").outHash, vectors("l1").scenario.epoch3];
const bytesOf = (blocks: string[][][]) => blocks.map((txs) => txs.map((messages) => messages.map(fromHex)));

test.each(epochs.map((epoch, i) => [i, epoch] as const))(
  "the witnesses of messages to L1 in epoch %i are those of the network",
  (_, { messages, witnesses }) => {
    const checkpoints = messages.map(bytesOf);
    const outHashes = checkpoints.map(checkpointOutHash);
    for (const expected of witnesses) {
      const { checkpointIndex: checkpoint, blockIndex: block, txIndex: tx, messageIndex: message } = expected;
      const place = { checkpoint, block, tx, message };
      const witness = outHashWitness(outHashes, checkpoints[checkpoint], place)!;
      expect(witness.siblings.map(toHex)).toEqual(expected.siblingPath);
      expect(String(witness.leafIndex)).toBe(expected.leafIndex);
      expect(String(2n ** BigInt(witness.siblings.length) + witness.leafIndex)).toBe(expected.leafId);
    }
  },
);

test("a position without a message to L1 has no witness", () => {
  const blocks = [[[fromHex("11".repeat(32))]]];
  const outHashes = [checkpointOutHash(blocks)];
  const place = { checkpoint: 0, block: 0, tx: 0, message: 0 };
  expect(outHashWitness(outHashes, blocks, place)).toBeDefined();
  for (const beyond of [{ message: 1 }, { tx: 1 }, { block: 1 }, { checkpoint: 1 }]) {
    expect(outHashWitness(outHashes, blocks, { ...place, ...beyond })).toBeUndefined();
  }
});
