import { join } from "node:path";
import type { PartValues } from "../config/part-values.ts";
import type { ConnectedRollup } from "../l1/types.ts";
import type { Logger } from "../telemetry/logger.ts";
import { networkFileLocations, readNetworkFile } from "./network-file.ts";
import { NETWORK_RELEASE } from "./network-release.ts";

const INTERVAL_MS = 600_000;

/** Something that may become newer than what this node runs or follows. */
export interface Watched {
  readonly name: "node" | "rollup";
  /** What this node runs or follows. */
  readonly own: string;
  /** What is newest; undefined where nobody says. */
  newest(): Promise<string | undefined>;
}

/** What a node with these options watches: the network's release, and the canonical rollup where it follows that. */
export function watchedVersions(
  values: Pick<PartValues, "network" | "storage" | "l1">,
  reader: Pick<ConnectedRollup, "canonicalRollup" | "identity">,
): Watched[] {
  const { name: network, configLocation } = values.network;
  const { directory } = values.storage;
  const { rollupVersion } = values.l1;
  if (network === "local") return [];
  const cacheFolder = directory === undefined ? undefined : join(directory, "cache", network);
  const locations = networkFileLocations(configLocation);
  const release: Watched = {
    name: "node",
    own: NETWORK_RELEASE,
    newest: async () =>
      (await readNetworkFile({ network, locations, cacheFolder, keep: true })).entry?.nodeVersion ?? undefined,
  };
  if (rollupVersion !== "canonical") return [release];
  const { rollupAddress: own } = reader.identity.addresses;
  return [release, { name: "rollup", own, newest: () => reader.canonicalRollup() }];
}

/**
 * Looks for newer versions now and every 10 minutes, and warns of each once
 * (docs/protocol/09-configuration.md#94-network-file). A source that cannot be read is asked again the next time.
 * Returns a function that ends the check.
 */
export function checkVersions(
  watched: readonly Watched[],
  logger: Pick<Logger, "warn" | "debug">,
  intervalMs = INTERVAL_MS,
): () => void {
  const told = new Map<string, string>();
  const look = async ({ name, own, newest }: Watched): Promise<void> => {
    try {
      const found = await newest();
      if (found === undefined || found === own || told.get(name) === found) return;
      told.set(name, found);
      logger.warn({ own, newest: found }, `a new ${name} version is available: {newest}`);
    } catch (error) {
      logger.debug({ err: error }, `the newest ${name} version is unknown`);
    }
  };
  const lookAtAll = (): void => void Promise.all(watched.map(look));
  lookAtAll();
  const timer = setInterval(lookAtAll, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
