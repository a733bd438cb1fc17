import { describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { poseidonPair, rootFromPath } from "../../../src/prover/circuits/merkle-path.ts";
import { verificationKeyOf } from "../../../src/prover/circuits/verification-keys.ts";
import { JOB_TYPE_NAMES } from "../../../src/prover/jobs/job-type.ts";

const core = loadCore();
const circuits = [
  "HIDING_KERNEL_TO_ROLLUP" as const,
  "HIDING_KERNEL_TO_PUBLIC" as const,
  ...JOB_TYPE_NAMES.filter((name) => name !== "PUBLIC_VM"),
];

describe.each([V4, V5])("verification keys of $name", (generation) => {
  const { vkTreeRoot } = generation.contracts;

  test.each(circuits)("%s is in the tree of the release", (circuit) => {
    const { key, leafIndex, siblingPath } = verificationKeyOf(generation, circuit);
    const pair = poseidonPair(core, generation.hashing.functionNodes);
    expect(toHex(rootFromPath(pair, key.hash, siblingPath, BigInt(leafIndex)))).toBe(vkTreeRoot);
    // The hash of the root's key is another function: L1 checks its proof.
    if (circuit !== "ROOT_ROLLUP") expect(toHex(core.hash(key.fields))).toBe(toHex(key.hash));
  });
});
