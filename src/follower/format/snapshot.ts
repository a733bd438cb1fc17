/** Where an upstream serves a copy of its store (docs/feed.md#snapshots). */
export const SNAPSHOT_PATH = "/svc/snapshot";

/** Headers of the answer: length of the database file in bytes, and the schema version of the store. */
export const SNAPSHOT_BYTES = "x-svc-snapshot-bytes";
export const SNAPSHOT_SCHEMA = "x-svc-snapshot-schema";
