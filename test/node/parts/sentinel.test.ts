import { expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { createSentinel, type SentinelContext, type SentinelOptions } from "../../../src/node/parts/sentinel.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";

/** A context that keeps the warnings. */
function context(): { context: SentinelContext; warnings: string[] } {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  return { context: { loggerFor: () => logger } as unknown as SentinelContext, warnings };
}

function options(environment: Record<string, string>, p2p: SentinelOptions["p2p"]): SentinelOptions {
  const { values } = configure({ flags: new Map(), environment });
  const store = new MemoryStore() as unknown as SentinelOptions["mempool"]["store"];
  return { values: partValues(values).sentinel, mempool: { store }, p2p, ownValidators: () => [] };
}

const PEERS = {} as NonNullable<SentinelOptions["p2p"]>;

test("a node has no sentinel unless it is enabled", () => {
  const { context: parts, warnings } = context();
  expect(createSentinel(parts, options({}, PEERS))).toBeUndefined();
  expect(warnings).toEqual([]);
});

test("a node without P2P has no sentinel, and says so where it was asked for", () => {
  const { context: parts, warnings } = context();
  expect(createSentinel(parts, options({ SENTINEL_ENABLED: "true" }, undefined))).toBeUndefined();
  expect(warnings).toEqual(["SENTINEL_ENABLED has no effect without P2P: duties of validators are seen in gossip"]);
});
