import { boolean, path } from "../kinds/kinds.ts";
import { integer, integerAnyBase, MAX_COUNT, MAX_KIBIBYTES, MAX_MILLISECONDS } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const rows = rowsOf("World state", "world state");

export const worldState = {
  worldStateCheckpointHistory: rows.withDefault(
    {
      flags: ["--world-state-checkpoint-history"],
      env: ["WS_NUM_HISTORIC_CHECKPOINTS", "WS_NUM_HISTORIC_BLOCKS"],
      kind: integer(-MAX_COUNT, MAX_COUNT),
      to: ["storage.checkpointHistory"],
      meaning: "checkpoints of world-state history to keep before the finalized one; values below 1 keep all",
    },
    64,
  ),
  worldStateDataDirectory: rows.optional({
    flags: ["--world-state-data-directory"],
    env: ["WS_DATA_DIRECTORY"],
    kind: path,
    meaning: "separate folder for the trees; here they share the chain store",
    unused: true,
  }),
  worldStateDbMapSizeKb: rows.optional({
    flags: ["--world-state-db-map-size-kb"],
    env: ["WS_DB_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the trees in KiB; here they share the chain store",
    unused: true,
  }),
  worldStateBlockCheckIntervalMS: rows.withDefault(
    {
      env: ["WS_BLOCK_CHECK_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      meaning: "polling interval for new blocks, in ms",
      unused: true,
    },
    100,
  ),
  worldStateBlockRequestBatchSize: rows.optional({
    env: ["WS_BLOCK_REQUEST_BATCH_SIZE"],
    kind: integerAnyBase(1, MAX_COUNT),
    meaning: "blocks per request",
    unused: true,
  }),
  archiveTreeMapSizeKb: rows.optional({
    env: ["ARCHIVE_TREE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the archive tree in KiB",
    unused: true,
  }),
  nullifierTreeMapSizeKb: rows.optional({
    env: ["NULLIFIER_TREE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the nullifier tree in KiB",
    unused: true,
  }),
  noteHashTreeMapSizeKb: rows.optional({
    env: ["NOTE_HASH_TREE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the note hash tree in KiB",
    unused: true,
  }),
  messageTreeMapSizeKb: rows.optional({
    env: ["MESSAGE_TREE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the message tree in KiB",
    unused: true,
  }),
  publicDataTreeMapSizeKb: rows.optional({
    env: ["PUBLIC_DATA_TREE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the public data tree in KiB",
    unused: true,
  }),
  debugWorldState: rows.withDefault(
    { env: ["DEBUG_WORLD_STATE"], kind: boolean, meaning: "check the internal consistency of the trees", unused: true },
    false,
  ),
};
