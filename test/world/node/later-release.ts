import type { GoldenCase } from "./recorded-node.ts";

const RELEASE = "4.3.1";

/**
 * What release 4.3 answers where it differs from the recorded node of 4.1.2
 * (docs/protocol/14-releases.md#142-what-clients-see).
 */
export function asRelease43(one: GoldenCase): GoldenCase {
  const { method, params, result } = one;
  if (/^(node_)?getNodeVersion$/.test(method)) return { ...one, result: RELEASE };
  if (method === "getNodeInfo") return { ...one, result: { ...(result as object), nodeVersion: RELEASE } };
  if (method !== "getLowNullifierMembershipWitness") return one;
  const leaf = result as { leafPreimage: { leaf: { nullifier: string } } } | undefined;
  if (leaf === undefined || BigInt(leaf.leafPreimage.leaf.nullifier) !== BigInt(params[1] as string)) return one;
  const message = `Cannot prove nullifier non-inclusion: nullifier ${BigInt(params[1] as string)} already exists in the tree`;
  return { method, params, status: 400, error: { code: -32702, message } };
}
