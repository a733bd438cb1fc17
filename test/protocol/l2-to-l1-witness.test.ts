import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { equal, fromHex, toHex } from "../../src/protocol/bytes.ts";
import {
  checkpointsUnderRoot,
  type EpochMessages,
  EpochOutHashMismatchError,
  L2ToL1MessageError,
  l2ToL1LeafId,
  l2ToL1MembershipWitness,
} from "../../src/protocol/l2-to-l1-witness.ts";
import { checkpointOutHash, epochOutHash, shaPair } from "../../src/protocol/sha-trees.ts";

const { epoch3 } = JSON.parse(readFileSync(new URL("../fixtures/vectors/l1.json", import.meta.url), "utf8")).scenario;
const bytes = (tree: unknown): never =>
  (Array.isArray(tree) ? tree.map((item) => bytes(item)) : fromHex(tree as string)) as never;
const messages: EpochMessages = bytes(epoch3.messages);
const roots: Uint8Array[] = bytes(epoch3.accumulated);
const last = roots[roots.length - 1];

interface Recorded {
  checkpointIndex: number;
  blockIndex: number;
  txIndex: number;
  messageIndex: number;
  message: string;
  leafIndex: string;
  leafId: string;
  siblingPath: string[];
  root: string;
}
const recorded: Recorded[] = epoch3.witnesses;
const request = (w: Recorded) => ({
  epoch: 3,
  messages,
  position: { checkpoint: w.checkpointIndex, block: w.blockIndex, tx: w.txIndex },
  message: fromHex(w.message),
  messageIndexInTx: w.messageIndex,
  outboxRoot: last,
});

/** Root that a leaf and its siblings give: how the outbox checks a message. */
function climb(leaf: Uint8Array, index: bigint, siblings: Uint8Array[]): Uint8Array {
  return siblings.reduce(
    (node, sibling, level) => ((index >> BigInt(level)) & 1n ? shaPair(sibling, node) : shaPair(node, sibling)),
    leaf,
  );
}

describe("witnesses of an epoch on a chain", () => {
  it.each(recorded.map((w) => [`${w.checkpointIndex}/${w.blockIndex}/${w.txIndex}/${w.messageIndex}`, w] as const))(
    "message %s",
    (_name, w) => {
      const witness = l2ToL1MembershipWitness(request(w))!;
      expect(witness.siblingPath.map(toHex)).toEqual(w.siblingPath);
      expect(witness.leafIndex).toBe(BigInt(w.leafIndex));
      expect(l2ToL1LeafId(witness)).toBe(BigInt(w.leafId));
      expect(toHex(witness.root)).toBe(w.root);
      expect(witness.numCheckpointsInEpoch).toBe(3);
      expect(toHex(climb(fromHex(w.message), witness.leafIndex, witness.siblingPath))).toBe(w.root);
    },
  );

  it("hold under the root of a shorter proof, with the same leaf id, and do not exist where it ends before them", () => {
    for (const [count, root] of roots.entries()) {
      for (const w of recorded) {
        const witness = l2ToL1MembershipWitness({ ...request(w), outboxRoot: root });
        if (w.checkpointIndex > count) {
          expect(witness).toBeUndefined();
          continue;
        }
        expect(witness!.numCheckpointsInEpoch).toBe(count + 1);
        expect(l2ToL1LeafId(witness!)).toBe(BigInt(w.leafId));
        expect(equal(climb(fromHex(w.message), witness!.leafIndex, witness!.siblingPath), root)).toBe(true);
      }
    }
  });
});

describe("how many checkpoints a root covers", () => {
  const hashes = messages.map((blocks) => checkpointOutHash(blocks));

  it("follows from the root", () => {
    expect(roots.map((root) => checkpointsUnderRoot(hashes, root))).toEqual([1, 2, 3]);
    expect(checkpointsUnderRoot(hashes, new Uint8Array(32))).toBeUndefined();
  });

  it("reaches to the message when later checkpoints add none", () => {
    const one = fromHex(recorded[0].message);
    const epoch: EpochMessages = [[[[one]]], [[[]]], [[[one]]]];
    const root = epochOutHash([checkpointOutHash(epoch[0] as Uint8Array[][][])]);
    expect(
      l2ToL1MembershipWitness({
        epoch: 0,
        messages: epoch,
        position: { checkpoint: 0, block: 0, tx: 0 },
        message: one,
        outboxRoot: root,
      }),
    ).toMatchObject({ numCheckpointsInEpoch: 1 });
    const inSecond = {
      epoch: 0,
      messages: epoch,
      position: { checkpoint: 1, block: 0, tx: 0 },
      message: one,
      outboxRoot: root,
    };
    expect(() => l2ToL1MembershipWitness(inSecond)).toThrow(/does not exist/);
    expect(l2ToL1MembershipWitness({ ...inSecond, position: { checkpoint: 2, block: 0, tx: 0 } })).toBeUndefined();
  });
});

describe("refusals", () => {
  const first = request(recorded[0]);
  const { messageIndexInTx: _, ...unnumbered } = first;

  it("a message that the transaction does not have", () => {
    const missing = { ...unnumbered, message: new Uint8Array(32) };
    expect(() => l2ToL1MembershipWitness(missing)).toThrow(
      new L2ToL1MessageError(
        "The L2ToL1Message you are trying to prove inclusion of does not exist",
        missing.message,
        [],
      ),
    );
  });

  it("another message at the given index, and an index beyond the messages", () => {
    for (const index of [1, 7]) {
      expect(() => l2ToL1MembershipWitness({ ...first, messageIndexInTx: index })).toThrow(
        `Message at index ${index} in tx does not match the expected message ${recorded[0].message}`,
      );
    }
  });

  it("a message that is there more than once, unless its index is given", () => {
    const twice = fromHex(recorded[0].message);
    const epoch: EpochMessages = [[[[twice, new Uint8Array(32), twice]]]];
    const outboxRoot = epochOutHash([checkpointOutHash(epoch[0] as Uint8Array[][][])]);
    const ask = { epoch: 9, messages: epoch, position: { checkpoint: 0, block: 0, tx: 0 }, message: twice, outboxRoot };
    expect(() => l2ToL1MembershipWitness(ask)).toThrow(
      `Multiple messages with the same value ${recorded[0].message} found in tx (indices: 0, 2). Provide messageIndexInTx to disambiguate.`,
    );
    for (const messageIndexInTx of [0, 2]) {
      const witness = l2ToL1MembershipWitness({ ...ask, messageIndexInTx })!;
      expect(equal(climb(twice, witness.leafIndex, witness.siblingPath), outboxRoot)).toBe(true);
    }
  });

  it("a root that the known checkpoints do not give", () => {
    const outboxRoot = fromHex(`0x${"11".repeat(32)}`);
    const ask = { ...first, outboxRoot, provenCheckpoints: 2 };
    expect(() => l2ToL1MembershipWitness(ask)).toThrow(EpochOutHashMismatchError);
    expect(() => l2ToL1MembershipWitness(ask)).toThrow(
      `Local epoch out-hash does not match Outbox at epoch 3 numCheckpointsInEpoch 2: local=${toHex(roots[1])} outbox=0x${"11".repeat(32)}`,
    );
  });
});
