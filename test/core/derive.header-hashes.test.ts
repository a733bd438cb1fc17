import { describe, expect, test } from "vitest";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { blockHeadersHash } from "../../src/core/derive/block-headers-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { BUILDS } from "./builds.ts";
import { readVectors } from "./support/vectors.ts";

const { blockHeaders } = readVectors<{ blockHeaders: { bytes: string; hash: string }[] }>("headers.json");
const { unbalanced } = readVectors<{ unbalanced: { leaves: string[]; unbalancedPoseidon?: string }[] }>("trees.json");
describe.each(BUILDS)("with the %s build", (build) => {
  const core = loadCore({ build });

  test.each(blockHeaders)("a block header hash is that of the vectors: $hash", ({ bytes, hash }) => {
    expect(toHex(blockHash(core, fromHex(bytes)))).toBe(hash);
  });

  const poseidonTrees = unbalanced.filter((v) => v.unbalancedPoseidon !== undefined);
  test.each(poseidonTrees)(
    "the hash of $leaves.length block headers is that of the vectors",
    ({ leaves, unbalancedPoseidon }) => {
      expect(toHex(blockHeadersHash(core, leaves.map(fromHex), undefined))).toBe(unbalancedPoseidon);
    },
  );
});
