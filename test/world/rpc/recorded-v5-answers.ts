import { unpacked } from "../../support/unpacked.ts";
import type { V5Chain } from "../l1/served-recording.ts";

/** A recorded call of a v5 node and its answer; the method's name without its namespace. */
export interface RecordedV5Case extends V5Answer {
  method: string;
  params: unknown[];
}

export interface V5Answer {
  status: number;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Those of test/fixtures/v5/CHAIN/answers.jsonl.br. */
export function recordedV5Cases(chain: V5Chain): RecordedV5Case[] {
  return readCases(new URL(`../../fixtures/v5/${chain}/answers.jsonl.br`, import.meta.url).pathname);
}

/** Cases of a file, one a line, compressed by brotli or gzip. */
export function readCases(path: string): RecordedV5Case[] {
  return unpacked(path)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

type Json = Record<string, unknown>;

/** A difference that is meant (docs/deviations.md), or that a replay of the L1 cannot avoid. */
interface KnownDifference {
  reason: string;
  /** Whether it may concern a recorded case. */
  concerns(one: RecordedV5Case): boolean;
  /** What both answers have in common. */
  common(answer: V5Answer): unknown;
}

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const without = (value: unknown, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(object(value)).filter(([name]) => !names.includes(name)));

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    reason: "proposed is a tip of checkpoints too, and a block may be named by number and hash",
    concerns: ({ method, params: [selector] }) =>
      /^getCheckpoint(Number)?$/.test(method)
        ? selector === "proposed"
        : "number" in object(selector) && "hash" in object(selector),
    common: () => "accepted",
  },
  {
    reason: "messages about wrong parameters have words of their own; a short tx hash is a wrong parameter",
    concerns: ({ method, error }) => error?.code === -32701 || (method === "getTxReceipt" && error !== undefined),
    common: ({ status, error }) => ({ status, wrong: error !== undefined && [-32701, -32702].includes(error.code) }),
  },
  {
    reason: "leaves of the public data tree are found by their slots",
    concerns: ({ method, params: [, tree], error }) => method === "findLeavesIndexes" && tree === 2 && !!error,
    common: () => "found",
  },
  {
    reason: "the recorded node was built without a version; other members are this node's",
    concerns: ({ method }) => ["getNodeInfo", "getNodeVersion", "getL1ContractAddresses"].includes(method),
    common: ({ status, result }) => {
      if (typeof result === "string") return status;
      const { l1ContractAddresses, ...info } = without(result, "nodeVersion", "compatibleNargoVersion");
      const addresses = without(l1ContractAddresses, "dateGatedRelayerAddress");
      return { status, info: without(info, "dateGatedRelayerAddress"), addresses };
    },
  },
  {
    reason: "a tx that this node never saw is told from one that it dropped",
    concerns: ({ method, result }) => method === "getTxReceipt" && object(result).status === "dropped",
    common: ({ status, result }) => ({ status, result: without(result, "error", "known") }),
  },
];

/** Names of the namespaces that an error text repeats. */
const NAMESPACE = /\b(?:aztec|svc|node)_/g;

/**
 * An answer as it is compared: without `_cachedHash`, an internal member of block headers that the recorded node shows,
 * and reduced by what is known to differ.
 */
export function comparableV5(one: RecordedV5Case, answer: V5Answer): unknown {
  const { status, result, error } = JSON.parse(JSON.stringify(answer), (key, value) =>
    key === "_cachedHash" ? undefined : value,
  ) as V5Answer;
  const known = KNOWN_DIFFERENCES.find(({ concerns }) => concerns(one));
  if (error === undefined) {
    const whole = { status, result: result ?? null };
    return known === undefined ? whole : known.common(whole);
  }
  const whole = { status, error: { ...error, message: error.message.replaceAll(NAMESPACE, "") } };
  return known === undefined ? whole : known.common(whole);
}

/** The recorded answer as it is compared. */
export function expectedV5(one: RecordedV5Case): unknown {
  const { status, result, error } = one;
  return comparableV5(one, error === undefined ? { status, result } : { status, error });
}
