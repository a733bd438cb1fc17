import { expect, test } from "vitest";
import { computeRollupVersion, encodeRollupParameters, type RollupConfig } from "../../src/l1/rollup-version.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { l1Vectors } from "../world/l1/vectors.ts";

/** Decimal strings of the vectors are uint256 or uint96 values; the rest is as viem wants it. */
function withBigints(value: unknown): unknown {
  if (typeof value === "string" && /^\d+$/.test(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(withBigints);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withBigints(inner)]));
  }
  return value;
}

test.each(l1Vectors.rollupVersion)(
  "the version of the $network rollup is $version",
  ({ config, genesis, abiEncoded, version }) => {
    const parameters = withBigints(config) as RollupConfig;
    if (abiEncoded) expect(toHex(encodeRollupParameters(parameters, genesis))).toBe(abiEncoded);
    expect(computeRollupVersion(parameters, genesis)).toBe(version);
    expect(computeRollupVersion({ ...parameters, version: 5 }, genesis)).toBe(version);
  },
);
