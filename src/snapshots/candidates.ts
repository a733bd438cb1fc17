import { SCHEMA_VERSION } from "../storage/identity.ts";
import { ObjectStoreError } from "../storage/objects/errors.ts";
import type { ObjectReader } from "../storage/objects/object-store.ts";
import type { Logger } from "../telemetry/logger.ts";
import {
  indexKey,
  MAX_INDEX_BYTES,
  parseIndex,
  type SnapshotEntry,
  SnapshotIndexError,
  type SnapshotNetwork,
} from "./snapshot-index.ts";

export interface Candidate {
  store: ObjectReader;
  entry: SnapshotEntry;
}

/** The newest entry in a store that this program can read. If there is none, logs the reason and returns undefined. */
async function newest(
  store: ObjectReader,
  network: SnapshotNetwork,
  logger: Logger,
  signal: AbortSignal,
): Promise<SnapshotEntry | undefined> {
  const name = store.name;
  try {
    const bytes = await store.get(indexKey(network), { signal, maxBytes: MAX_INDEX_BYTES });
    if (bytes === undefined) {
      logger.warn({ store: name, key: indexKey(network) }, "a snapshot store has no index for this chain");
      return undefined;
    }
    const { entries, refused } = parseIndex(bytes, network);
    for (const fault of refused)
      logger.warn({ store: name, ...fault }, "ignoring an invalid entry in a snapshot index");
    const readable = entries.filter(({ schemaVersions }) => schemaVersions.chain === SCHEMA_VERSION);
    if (readable.length < entries.length) {
      const found = [...new Set(entries.map(({ schemaVersions }) => schemaVersions.chain))];
      const rule = `schema version must be ${SCHEMA_VERSION}`;
      logger.warn({ store: name, found, rule }, "ignoring snapshots of other versions");
    }
    return readable.reduce<SnapshotEntry | undefined>(
      (best, entry) => (best === undefined || entry.l1BlockNumber > best.l1BlockNumber ? entry : best),
      undefined,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ObjectStoreError) && !(error instanceof SnapshotIndexError)) throw error;
    logger.warn({ store: name, err: error }, "a snapshot store cannot be used");
    return undefined;
  }
}

/**
 * The newest snapshot of each store, sorted by L1 block, highest first
 * (docs/protocol/09-configuration.md#914-snapshots). Throws the reason of `signal`.
 */
export async function findCandidates(
  stores: readonly ObjectReader[],
  network: SnapshotNetwork,
  logger: Logger,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const found = await Promise.all(
    stores.map(async (store) => ({ store, entry: await newest(store, network, logger, signal) })),
  );
  return found
    .filter((candidate): candidate is Candidate => candidate.entry !== undefined)
    .sort((a, b) => b.entry.l1BlockNumber - a.entry.l1BlockNumber);
}
