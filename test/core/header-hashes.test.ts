import { describe, expect, test } from "vitest";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { blockHeadersHash } from "../../src/core/derive/block-headers-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { BUILDS } from "./builds.ts";
import { readVectors } from "./vectors.ts";

const { blockHeaders } = readVectors<{ blockHeaders: { bytes: string; hash: string }[] }>("headers.json");
const { unbalanced } = readVectors<{ unbalanced: { leaves: string[]; unbalancedPoseidon?: string }[] }>("trees.json");
describe.each(BUILDS)("on %s", (build) => {
  const core = loadCore({ build });

  describe("header hashes", () => {
    test.each(blockHeaders)("block $hash", ({ bytes, hash }) => {
      expect(toHex(blockHash(core, fromHex(bytes)))).toBe(hash);
    });

    const poseidonTrees = unbalanced.filter((v) => v.unbalancedPoseidon !== undefined);
    test.each(poseidonTrees)("hash of $leaves.length block headers", ({ leaves, unbalancedPoseidon }) => {
      expect(toHex(blockHeadersHash(core, leaves.map(fromHex)))).toBe(unbalancedPoseidon);
    });
  });
});
