import { boolean, listOf, oneOf, path, secret, text } from "../kinds/kinds.ts";
import { NETWORK_ALIASES, NETWORKS } from "../kinds/networks.ts";
import { integer, MAX_CONCURRENCY } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";
import { Secret } from "../kinds/secret.ts";
import { location, readableStore } from "../kinds/url-kinds.ts";

const { optional, withDefault } = rowsOf("General", "process");

export const general = {
  network: withDefault(
    {
      flags: ["--network"],
      env: ["NETWORK"],
      kind: oneOf(NETWORKS, NETWORK_ALIASES),
      to: ["network.name"],
      meaning: "network to follow",
      usedBy: "network",
    },
    "local",
  ),
  networkConfigLocation: optional({
    env: ["NETWORK_CONFIG_LOCATION"],
    kind: location,
    to: ["network.configLocation"],
    meaning: "network configuration file; unset means the published one. Not read for the local network",
    usedBy: "network",
  }),
  enableVersionCheck: withDefault(
    {
      flags: ["--enable-version-check"],
      env: ["ENABLE_VERSION_CHECK"],
      kind: boolean,
      to: ["network.checkVersion"],
      meaning: "warn of newer releases and of a newer canonical rollup; not on the local network",
    },
    true,
  ),
  enableAutoShutdown: withDefault(
    {
      flags: ["--enable-auto-shutdown"],
      env: ["ENABLE_AUTO_SHUTDOWN"],
      kind: boolean,
      to: ["network.shutDownWhenReplaced"],
      meaning:
        "end with exit code 0 once the registry has another canonical rollup than the followed one; without effect with --rollup-version",
    },
    false,
  ),
  fishermanMode: withDefault(
    {
      flags: ["--fisherman-mode"],
      env: ["FISHERMAN_MODE"],
      kind: boolean,
      admin: {},
      to: ["validator.observes"],
      meaning: "check every proposal and publish nothing",
      usedBy: "validator",
    },
    false,
  ),
  skipArchiverInitialSync: withDefault(
    {
      env: ["SKIP_ARCHIVER_INITIAL_SYNC"],
      kind: boolean,
      meaning: "do not wait for the initial sync at start; this node never waits",
      unused: true,
    },
    false,
  ),
  uvThreadpoolSize: optional({
    env: ["UV_THREADPOOL_SIZE"],
    kind: integer(1, 1024),
    meaning: "threads in the pool of Node.js (libuv)",
  }),
  hardwareConcurrency: optional({
    env: ["HARDWARE_CONCURRENCY"],
    kind: integer(1, MAX_CONCURRENCY),
    to: ["agents.threads"],
    meaning: "threads of the proof program for each real proof; unset divides the processors among the agents",
    usedBy: "agent",
  }),
  verifyHardwareConcurrency: optional({
    env: ["VERIFY_HARDWARE_CONCURRENCY"],
    kind: integer(1, MAX_CONCURRENCY),
    to: ["agents.verifyThreads"],
    meaning: "threads of the proof program for the verification of each own proof; unset means as for proving",
    usedBy: "agent",
  }),
  crsPath: optional({
    env: ["CRS_PATH"],
    kind: path,
    to: ["agents.crsPath"],
    meaning: "folder of the common reference string (CRS) for real proofs; unset means ~/.bb-crs",
    usedBy: "agent",
  }),
};

const snapshots = rowsOf("Storage", "snapshots");

/** How a node gets its initial chain data (docs/protocol/09-configuration.md#914-snapshots). */
export const sync = {
  syncMode: snapshots.withDefault(
    {
      flags: ["--sync-mode"],
      env: ["SYNC_MODE"],
      kind: oneOf(["full", "snapshot", "force-snapshot"]),
      to: ["snapshots.mode"],
      meaning:
        "full: sync from L1, or a follower from the feed; snapshot: start from a snapshot if there is no local data; force-snapshot: start from a snapshot even if there is local data",
    },
    "snapshot",
  ),
  snapshotsUrls: snapshots.withDefault(
    {
      flags: ["--snapshots-urls"],
      env: ["SYNC_SNAPSHOTS_URLS", "SYNC_SNAPSHOTS_URL"],
      kind: listOf(readableStore),
      to: ["snapshots.urls"],
      meaning: "stores to download snapshots from",
    },
    [],
  ),
};

const local = rowsOf("Local network", "local network");

export const localNetwork = {
  localNetworkLoadState: local.optional({
    flags: ["--load-state"],
    env: ["SVC_LOAD_STATE"],
    kind: path,
    meaning: "file of svcAdmin_dumpState that a local network without data of its own begins with",
  }),
  localNetworkL1Port: local.withDefault(
    {
      flags: ["--local-network.l1Port"],
      env: ["ANVIL_PORT"],
      kind: integer(0, 65_535),
      meaning:
        "port of the L1 node (anvil) that is started unless --l1-rpc-urls is given, 0 for any free one; if the default port is busy, another is used",
    },
    8545,
  ),
  localNetworkL1Mnemonic: local.withDefault(
    {
      flags: ["--local-network.l1Mnemonic"],
      env: ["MNEMONIC"],
      kind: secret(text),
      meaning: "mnemonic of the L1 accounts; unset means the well-known development mnemonic",
    },
    new Secret("test test test test test test test test test test test junk"),
  ),
};
