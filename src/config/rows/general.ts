import { boolean, listOf, oneOf, path, secret, text } from "../kinds.ts";
import { NETWORK_ALIASES, NETWORKS } from "../networks.ts";
import { integer, MOST_AT_ONCE } from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { Secret } from "../secret.ts";
import { location, readableStore } from "../url-kinds.ts";

const { optional, withDefault } = rowsOf("General", "process");

export const general = {
  network: withDefault(
    {
      flags: ["--network"],
      env: ["NETWORK"],
      kind: oneOf(NETWORKS, NETWORK_ALIASES),
      meaning: "network to follow",
      usedBy: "network",
    },
    "local",
  ),
  networkConfigLocation: optional({
    env: ["NETWORK_CONFIG_LOCATION"],
    kind: location,
    meaning: "network file; unset means the published ones. Not read for the local network",
    usedBy: "network",
  }),
  enableVersionCheck: withDefault(
    {
      flags: ["--enable-version-check"],
      env: ["ENABLE_VERSION_CHECK"],
      kind: boolean,
      meaning: "look for newer releases and rollups",
      unused: true,
    },
    true,
  ),
  fishermanMode: withDefault(
    {
      flags: ["--fisherman-mode"],
      env: ["FISHERMAN_MODE"],
      kind: boolean,
      meaning: "check every proposal and publish nothing",
      usedBy: "validator",
    },
    false,
  ),
  skipArchiverInitialSync: withDefault(
    {
      env: ["SKIP_ARCHIVER_INITIAL_SYNC"],
      kind: boolean,
      meaning: "do not wait for the first sync at the start; this node never does",
      unused: true,
    },
    false,
  ),
  uvThreadpoolSize: optional({
    env: ["UV_THREADPOOL_SIZE"],
    kind: integer(1, 1024),
    meaning: "threads of the runtime's own pool",
  }),
  hardwareConcurrency: optional({
    env: ["HARDWARE_CONCURRENCY"],
    kind: integer(1, MOST_AT_ONCE),
    meaning: "threads of native proving",
    usedBy: "prover",
  }),
  verifyHardwareConcurrency: optional({
    env: ["VERIFY_HARDWARE_CONCURRENCY"],
    kind: integer(1, MOST_AT_ONCE),
    meaning: "threads of native verification",
    usedBy: "prover",
  }),
  crsPath: optional({
    env: ["CRS_PATH"],
    kind: path,
    meaning: "folder of proof reference strings",
    usedBy: "prover",
  }),
};

const snapshots = rowsOf("Storage", "snapshots");

/** How a node without a chain gets one (sheet 09 section 9.2). */
export const sync = {
  syncMode: snapshots.withDefault(
    {
      flags: ["--sync-mode"],
      env: ["SYNC_MODE"],
      kind: oneOf(["full", "snapshot", "force-snapshot"]),
      meaning:
        "full: from L1; snapshot: from a snapshot where there is no local data; force-snapshot: also where there is",
    },
    "snapshot",
  ),
  snapshotsUrls: snapshots.withDefault(
    {
      flags: ["--snapshots-urls"],
      env: ["SYNC_SNAPSHOTS_URLS", "SYNC_SNAPSHOTS_URL"],
      kind: listOf(readableStore),
      meaning: "stores of snapshots",
    },
    [],
  ),
};

const local = rowsOf("Local network", "local network");

export const localNetwork = {
  localNetworkL1Port: local.withDefault(
    {
      flags: ["--local-network.l1Port"],
      env: ["ANVIL_PORT"],
      kind: integer(0, 65_535),
      meaning:
        "port of the L1 that is started where --l1-rpc-urls is not given, 0 for any; by default another one when it is busy",
    },
    8545,
  ),
  localNetworkL1Mnemonic: local.withDefault(
    {
      flags: ["--local-network.l1Mnemonic"],
      env: ["MNEMONIC"],
      kind: secret(text),
      meaning: "mnemonic of the L1 accounts; unset means the one that development chains share",
    },
    new Secret("test test test test test test test test test test test junk"),
  ),
};
