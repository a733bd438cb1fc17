import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import { type PartValues, partValues } from "../config/part-values.ts";
import type { FunctionNames } from "../execution/revert-reason.ts";
import type { Kzg } from "../l1/blobs/kzg.ts";
import type { DiscoveryOptions } from "../l1/rollup/discovery.ts";
import { watchCutover } from "../network/cutover.ts";
import { checkVersions, watchedVersions } from "../network/version-check.ts";
import type { DataDirectory } from "../process/data-directory.ts";
import type { LogTail } from "../process/logging/log-tail.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import type { RunningService } from "../process/supervise.ts";
import { Teardown } from "../process/teardown.ts";
import type { LocalNetworkControl } from "../rpc/admin/ports/local-network-control.ts";
import { FunctionSignatures } from "../rpc/methods/contracts/function-signatures.ts";
import type { BuildWait } from "../sequencer/build-blocks.ts";
import type { ChainContext } from "./context/chain-context.ts";
import type { MempoolPart } from "./context/mempool-part.ts";
import type { AdminOptions } from "./parts/admin.ts";
import { startChain } from "./parts/chain.ts";
import { type DutiesPart, startDuties } from "./parts/duties.ts";
import { startMempool } from "./parts/mempool.ts";
import { startMetrics } from "./parts/metrics.ts";
import type { P2pPart } from "./parts/p2p.ts";
import { openPorts } from "./parts/ports.ts";
import { configurableSequencer } from "./parts/sequencer.ts";
import { checkValidator } from "./parts/validator.ts";
import { checkProver } from "./prover/check-prover.ts";
import { LiveConfig } from "./services/live-config.ts";
import { adminValues } from "./settings/admin-values.ts";
import { hasProver } from "./settings/roles.ts";

interface NodeOptions {
  values: Values & { registryAddress: string };
  directory: DataDirectory;
  loggerFor: LoggerFor;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Called with a fatal error: the chain store can no longer be written, or is damaged. */
  onFatal?: (error: Error) => void;
  /** Called once another rollup has become the canonical one, with `enableAutoShutdown`. */
  onReplaced?: () => void;
  /** Addresses to report that cannot be read from L1, unless the options give them. */
  otherAddresses?: DiscoveryOptions["otherAddresses"];
  /** Shared KZG worker, closed by its owner. */
  kzg?: Kzg;
  /** The latest lines of the log. */
  logTail?: LogTail;
  /** What the options gave; `values` may differ from it. */
  configuration?: Pick<Configuration, "values" | "origins">;
  /** Of this program, for metrics and logs that are exported. */
  version: string;
  /** Names of functions and events with which the log tells what transactions of own blocks did; if any. */
  logTxs?: FunctionNames;
  /** Names of functions that clients registered; new ones by default. */
  signatures?: FunctionSignatures;
  /** Of the network's owner; undefined if this is not the node of a local network. */
  localNetwork?: LocalNetworkControl;
  /** Opens the admin port; by default one that closes with the node. */
  openAdmin?: AdminOptions["open"];
  /** Called before the public port opens, when the node already follows L1. */
  beforeListening?: (parts: ChainParts) => Promise<void>;
}

/** Controls of a sequencer for other services. */
interface SteeredSequencer {
  status(): { state: string; paused: boolean };
  /** The wait in progress while building for a slot, if any. */
  readonly buildWait: BuildWait | undefined;
  /** Whether a checkpoint of the slot may still get onto L1 although nothing is built for it. */
  isPublishing(slot: number): boolean;
  onStateChange(listener: () => void): () => unknown;
  /** Calls the listener for each checkpoint that is published to L1. Returns an unsubscribe function. */
  onPublished(listener: () => void): () => unknown;
  wake(): void;
  /** Starts no block until the returned function is called. */
  hold(): () => void;
  /** Builds blocks without transactions too, until the returned function is called. */
  allowEmptyBlocks(): () => void;
  pause(): void;
  resume(): void;
}

/** The services of a node whose public port is not open yet. */
export interface ChainParts extends ChainContext {
  mempool: MempoolPart;
  /** Undefined if the node does not build blocks. */
  sequencer: SteeredSequencer | undefined;
  /** Registers further services to stop. */
  teardown: Teardown;
}

export interface RunningNode extends RunningService {
  /** Port of the public JSON-RPC. */
  readonly port: number;
  /** Port of the admin JSON-RPC. */
  readonly adminPort: number;
  readonly config: LiveConfig;
  /** Port of GET /metrics; undefined if it is not served. */
  readonly metricsPort: number | undefined;
  /** Port of the feed for followers; undefined if it is not served. */
  readonly feedPort: number | undefined;
  /** Resolves once the initial sync is complete; rejects if the node stops before. */
  synced(): Promise<void>;
}

/**
 * Starts the parts of a node. Resolves once it follows L1 and its ports are open, which is before the initial sync is
 * complete. If the start fails, all started parts are stopped.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { values: given, directory, loggerFor, signal, onFatal } = options;
  const values = partValues(given);
  // Its libraries take memory that a node without peers saves.
  const peers = values.p2p.enabled ? await import("./parts/p2p.ts") : undefined;
  peers?.checkP2p(values);
  checkValidator(values);
  if (hasProver(values.modes)) checkProver(values);
  const teardown = new Teardown(loggerFor("node"));
  try {
    const { port: metricsPort, stop: stopMetrics, ...counted } = await startMetrics({ ...options, values });
    teardown.add("metrics", stopMetrics);
    const following = await startChain({ ...options, values, registryAddress: given.registryAddress, counted });
    teardown.add("chain", () => following.stop());
    const { context } = following;
    const { synchronizer } = context;

    const { signatures = new FunctionSignatures() } = options;
    const mempool = await startMempool(context, {
      values,
      directory,
      functionNames: signatures,
      onFatal,
    });
    teardown.add("mempool", () => mempool.stop());
    signal.throwIfAborted();

    const duties = await startDuties(context, { ...options, values, mempool });
    teardown.add("duties", () => duties.stop());
    const { p2p, sequencer, prover, sentinel } = duties;
    const config = liveConfig(given, { context, mempool, duties });
    const begin = (): void => {
      synchronizer.start();
      sequencer?.start();
      prover?.start();
    };
    if (options.beforeListening !== undefined) {
      begin();
      await options.beforeListening({ ...context, mempool, sequencer, teardown });
    }

    const { snapshots } = following;
    const ports = await openPorts(context, {
      ...options,
      values,
      given,
      mempool,
      duties,
      config,
      snapshots,
      signatures,
    });
    teardown.add("ports", () => ports.stop());
    begin();
    if (p2p !== undefined) joinPeers(p2p, synchronizer, { signal, onFatal });
    // Rejects if the node stops before.
    synchronizer.waitForInitialSync().then(
      () => sentinel?.start(),
      () => undefined,
    );
    watchReleases(context, { values, onReplaced: options.onReplaced }, teardown);
    following.started();
    return {
      port: ports.rpc.port,
      adminPort: ports.admin.port,
      config,
      metricsPort,
      feedPort: ports.feed?.port,
      synced: () => synchronizer.waitForInitialSync(),
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** The settings of the parts that can change at run time. */
function liveConfig(
  values: Values,
  { context, mempool, duties }: { context: ChainContext; mempool: MempoolPart; duties: DutiesPart },
): LiveConfig {
  const { sequencer, p2p, validator, sentinel, slasher } = duties;
  return new LiveConfig(adminValues(values), {
    sync: context.synchronizer,
    pool: mempool.pool,
    checks: mempool.contexts,
    sequencer: sequencer && configurableSequencer(sequencer),
    p2p: p2p?.live,
    validator: validator?.live,
    sentinel: sentinel?.live,
    slasher: slasher?.live,
  });
}

/** Starts P2P once the initial sync is complete: before, messages of peers could not be checked. */
function joinPeers(
  p2p: P2pPart,
  synchronizer: ChainContext["synchronizer"],
  { signal, onFatal }: Pick<NodeOptions, "signal" | "onFatal">,
): void {
  const started = (): void => {
    p2p.start().catch((error: Error) => {
      if (!signal.aborted) onFatal?.(error);
    });
  };
  // It rejects when the node stops before.
  synchronizer.waitForInitialSync().then(started, () => undefined);
}

/** Watches for another canonical rollup, and for newer versions, where that is configured. */
function watchReleases(
  { reader, loggerFor }: Pick<ChainContext, "reader" | "loggerFor">,
  { values, onReplaced }: Pick<NodeOptions, "onReplaced"> & { values: PartValues },
  teardown: Teardown,
): void {
  const log = loggerFor("node");
  if (values.network.shutDownWhenReplaced && values.l1.rollupVersion === "canonical") {
    teardown.add("cutover watch", watchCutover(reader, { log, onReplaced: () => onReplaced?.() }));
  }
  if (values.network.checkVersion) {
    teardown.add("version check", checkVersions(watchedVersions(values, reader), log));
  }
}
