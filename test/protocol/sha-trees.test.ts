import { describe, expect, test } from "vitest";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { checkpointHash } from "../../src/protocol/checkpoint-header.ts";
import { fr } from "../../src/protocol/field.ts";
import { nextRollingHash } from "../../src/protocol/l1-to-l2-message.ts";
import {
  balancedShaRoot,
  checkpointOutHash,
  epochOutHash,
  inHash,
  shaPair,
  unbalancedRoot,
  unbalancedTree,
} from "../../src/protocol/sha-trees.ts";
import { type L1Vectors, type LeafPath, readVectors } from "../world/archiver/vectors.ts";

const core = loadCore();
const l1 = readVectors<L1Vectors>("l1.json");
const trees = readVectors<{
  balancedSha: { leaves: string[]; root: string }[];
  unbalanced: { leaves: string[]; unbalancedSha?: string; compressedSha: string; unbalancedPoseidon?: string }[];
  /** `messagesAre` "1..n" stands for the fields 1 to n. */
  inHash: { messages?: string[]; messagesAre?: string; inHash: string }[];
  outHash: {
    messages: string[][][][];
    checkpoints: { outHash: string; accumulated: string }[];
    epochOutHash: string;
  }[];
}>("trees.json");
const headers = readVectors<{
  blockHeaders: { bytes: string; hash: string }[];
  checkpointHeaders: { bytes: string; hash: string }[];
  referenceNetwork: {
    blocks: { headerBytes: string; blockHash: string }[];
    checkpoints: { headerBytes: string; hash: string; checkpointOutHash: string }[];
  };
}>("headers.json");

const bytes = (list: string[]) => list.map(fromHex);
const messagesOf = (blocks: string[][][]) => blocks.map((txs) => txs.map(bytes));

function expectLocation(located: LeafPath | null | undefined, got: ReturnType<typeof unbalancedTree>["locations"][0]) {
  if (located === null || located === undefined) {
    expect(got).toBeUndefined();
    return;
  }
  expect({ level: got!.level, index: got!.index, path: got!.siblings.map(toHex) }).toEqual({
    level: located.level,
    index: located.indexAtLevel,
    path: located.path,
  });
}

describe("trees of truncated SHA-256", () => {
  test("the truncated SHA-256 of a pair is that of the vectors", () => {
    const { left, right, hash } = l1.trees.merge;
    expect(toHex(shaPair(fromHex(left), fromHex(right)))).toBe(hash);
  });

  test("balanced trees of truncated SHA-256 have the roots of the vectors", () => {
    for (const { leaves, root } of trees.balancedSha) {
      expect(toHex(balancedShaRoot(bytes(leaves), leaves.length))).toBe(root);
    }
  });

  test("unbalanced trees, plain and compressed, have the roots of the vectors", () => {
    for (const v of trees.unbalanced) {
      const leaves = bytes(v.leaves);
      expect(toHex(unbalancedRoot(leaves, true))).toBe(v.compressedSha);
      expect(toHex(unbalancedTree(leaves, { compress: true }).root)).toBe(v.compressedSha);
      if (v.unbalancedSha === undefined) continue;
      expect(toHex(unbalancedRoot(leaves, false))).toBe(v.unbalancedSha);
      expect(toHex(unbalancedTree(leaves).root)).toBe(v.unbalancedSha);
      const poseidon = unbalancedRoot(leaves, false, (a, b) => core.hash(Buffer.concat([a, b])));
      expect(toHex(poseidon)).toBe(v.unbalancedPoseidon);
    }
  });

  test("leaves of unbalanced trees have the locations and sibling paths of the vectors", () => {
    for (const { leaves, root, siblingPaths = [] } of l1.trees.unbalanced) {
      const tree = unbalancedTree(bytes(leaves));
      expect(toHex(tree.root)).toBe(root);
      for (const path of siblingPaths) expectLocation(path, tree.locations[path.leaf]);
    }
    for (const { leaves, root, locations } of l1.trees.compressedUnbalanced) {
      const tree = unbalancedTree(bytes(leaves), { compress: true });
      expect(toHex(tree.root)).toBe(root);
      locations.forEach((location, i) => void expectLocation(location, tree.locations[i]));
    }
  });
});

describe("message hashes", () => {
  test("in-hashes are those of the vectors", () => {
    for (const v of trees.inHash) {
      const upTo = Number(v.messagesAre?.split("..")[1] ?? 0);
      const messages = v.messages === undefined ? Array.from({ length: upTo }, (_, i) => fr(i + 1)) : bytes(v.messages);
      expect(toHex(inHash(messages))).toBe(v.inHash);
    }
    expect(toHex(inHash([]))).toBe(l1.trees.emptyInHash);
  });

  test("the rolling hash and the roots of a recorded inbox are computed from its messages", () => {
    const { events, roots, state } = l1.scenario.l1ToL2;
    let rolling: Uint8Array = new Uint8Array(16);
    for (const { leaf, rollingHash } of events) {
      rolling = nextRollingHash(rolling, fromHex(leaf));
      expect(toHex(rolling)).toBe(rollingHash);
    }
    expect(toHex(rolling)).toBe(state.rollingHash);
    for (const [checkpoint, root] of Object.entries(roots)) {
      const leaves = events.filter((e) => e.checkpointNumber === Number(checkpoint)).map((e) => fromHex(e.leaf));
      expect(toHex(inHash(leaves))).toBe(root);
    }
  });

  test("out-hashes of checkpoints and epochs are those of the vectors", () => {
    for (const v of trees.outHash) {
      const hashes = v.messages.map((blocks) => checkpointOutHash(messagesOf(blocks)));
      expect(hashes.map(toHex)).toEqual(v.checkpoints.map((c) => c.outHash));
      v.checkpoints.forEach(({ accumulated }, i) => {
        expect(toHex(epochOutHash(hashes.slice(0, i + 1)))).toBe(accumulated);
      });
      expect(toHex(epochOutHash(hashes))).toBe(v.epochOutHash);
    }
    expect(toHex(epochOutHash([]))).toBe(l1.trees.emptyEpochOutHash);
  });

  test("the out-hashes of an epoch that L1 accepted are computed from its messages", () => {
    const epoch = l1.scenario.epoch3;
    const hashes = epoch.messages.map((blocks) => checkpointOutHash(messagesOf(blocks)));
    expect(hashes.map(toHex)).toEqual(epoch.checkpointOutHashes);
    epoch.accumulated.forEach((accumulated, i) => {
      expect(toHex(epochOutHash(hashes.slice(0, i + 1)))).toBe(accumulated);
    });
    expect(toHex(epochOutHash(hashes))).toBe(epoch.epochOutHash);
  });
});

describe("headers", () => {
  test("block hashes are those of the vectors", () => {
    for (const { bytes: b, hash } of headers.blockHeaders) expect(toHex(blockHash(core, fromHex(b)))).toBe(hash);
    for (const b of headers.referenceNetwork.blocks) {
      expect(toHex(blockHash(core, fromHex(b.headerBytes)))).toBe(b.blockHash);
    }
  });

  test("checkpoint hashes are those of the vectors", () => {
    for (const { bytes: b, hash } of headers.checkpointHeaders) expect(toHex(checkpointHash(fromHex(b)))).toBe(hash);
    for (const c of headers.referenceNetwork.checkpoints) {
      expect(toHex(checkpointHash(fromHex(c.headerBytes)))).toBe(c.hash);
    }
    expect(toHex(checkpointHash(new Uint8Array(316)))).toBe(l1.trees.genesisCheckpointHeaderHash);
  });

  test("the blob sponge squeezes the values of the vectors", () => {
    for (const { fields, squeeze } of l1.sponge) {
      const sponge = core.blobSponge();
      sponge.absorb(new Uint8Array(Buffer.concat(bytes(fields))));
      expect(toHex(sponge.squeeze())).toBe(squeeze);
    }
  });
});
