import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import type { ExecutedTx } from "../execution/executed-tx.ts";
import type { FunctionNames } from "../execution/revert-reason.ts";
import type { ActiveKeystore } from "../keystore/active-keystore.ts";
import { Kzg } from "../l1/blobs/kzg.ts";
import type { DiscoveryOptions } from "../l1/discovery.ts";
import { watchCutover } from "../network/cutover.ts";
import { checkVersions, watchedVersions } from "../network/version-check.ts";
import type { DataDirectory } from "../process/data-directory.ts";
import type { LogTail } from "../process/logging/log-tail.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { writeNodeRecord } from "../process/node-record.ts";
import type { RunningService } from "../process/supervise.ts";
import { Teardown } from "../process/teardown.ts";
import type { LocalNetworkControl } from "../rpc/admin/ports/local-network-control.ts";
import { FunctionSignatures } from "../rpc/methods/contracts/function-signatures.ts";
import type { BuildWait } from "../sequencer/build-blocks.ts";
import { ClockCheck } from "../validator/clock-check.ts";
import { ClockedGuard } from "../validator/clocked-guard.ts";
import type { SigningGuard } from "../validator/signing/signing-guard.ts";
import type { ChainContext } from "./context/chain-context.ts";
import { attesterSigning } from "./keys/duty-signer.ts";
import { configuredKeys } from "./keys/proposer-keys.ts";
import { openNodeSigningGuard } from "./keys/signing-guard.ts";
import { type AdminOptions, startAdmin } from "./parts/admin.ts";
import { startChain } from "./parts/chain.ts";
import { startConfiguredFeed } from "./parts/feed.ts";
import { type MempoolPart, startMempool } from "./parts/mempool.ts";
import { startMetrics } from "./parts/metrics.ts";
import type { P2pPart } from "./parts/p2p.ts";
import { checkProver, createProver } from "./parts/prover.ts";
import { nodeRecord, publicServices, startRpc } from "./parts/rpc.ts";
import { createSentinel } from "./parts/sentinel.ts";
import { configurableSequencer, startSequencer } from "./parts/sequencer.ts";
import { hasSlasher, startSlasher } from "./parts/slasher.ts";
import { checkValidator, hasValidator, startValidator } from "./parts/validator.ts";
import { nodeDutyTimes } from "./sequencer/duty-times.ts";
import { logTxs } from "./sequencer/tx-log.ts";
import { LiveConfig } from "./services/live-config.ts";
import { nodeHealth } from "./services/node-health.ts";
import { nodeReports } from "./services/node-reports.ts";
import { adminValues } from "./settings/admin-values.ts";
import { hasProver } from "./settings/roles.ts";

export interface NodeOptions {
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
export interface SteeredSequencer {
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
  const { values, directory, loggerFor, signal, onFatal } = options;
  // Its libraries take memory that a node without peers saves.
  const peers = values.p2pEnabled ? await import("./parts/p2p.ts") : undefined;
  peers?.checkP2p(values);
  checkValidator(values);
  if (hasProver(values)) checkProver(values);
  const teardown = new Teardown(loggerFor("node"));
  try {
    const counted = await startMetrics(options);
    teardown.add("metrics", () => counted.stop());
    const following = await startChain({ ...options, counted });
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

    const keys = values.sequencer ? await proposingKeys(options) : undefined;
    const kzg = options.kzg ?? new Kzg();
    if (options.kzg === undefined) teardown.add("KZG", () => kzg.close());

    const guard = keys && signsDuties(values, context) ? await openGuard(context, options) : undefined;
    teardown.add("signing guard", () => guard?.close());
    const signing = attesterSigning(keys && (() => keys.current), guard, context.endpoints);
    const ownValidators = () => keys?.current.attesterAddresses() ?? [];
    const slasher = hasSlasher(values) ? await startSlasher(context, { values, mempool, ownValidators }) : undefined;
    teardown.add("slasher", () => slasher?.stop());
    const dutyTimes = nodeDutyTimes(context, values, keys !== undefined);
    teardown.add("times of duties", () => dutyTimes.close());
    const p2p = await peers?.createP2p(context, {
      ...{ values, mempool, dutyTimes, signal },
      dataDirectory: directory.temporary ? undefined : directory.path,
      authenticates: hasValidator(values),
    });
    teardown.add("p2p", () => p2p?.stop());
    const validator =
      p2p && hasValidator(values)
        ? startValidator(
            context,
            {
              ...{ values, kzg, dutyTimes, signing },
              txBytes: (hash) => mempool.pool.txBytes(hash),
              offenses: slasher && { report: slasher.report, penalties: slasher.settings },
              keys: keys && (() => keys.current),
            },
            p2p.network,
          )
        : undefined;
    teardown.add("validator", () => validator?.stop());

    const { logTxs: shownNames } = options;
    const built = shownNames
      ? (processed: readonly ExecutedTx[]) => logTxs(processed, shownNames, loggerFor("sequencer"))
      : undefined;
    const producer =
      keys &&
      (await startSequencer(context, {
        values,
        directory,
        mempool,
        keys,
        kzg,
        signing,
        slasher: slasher?.actions,
        attestations: validator?.collector,
        dutyTimes,
        built,
      }));
    teardown.add("sequencer", () => producer?.stop());
    const sequencer = producer?.sequencer;
    const prover = hasProver(values)
      ? await createProver(context, { values, directory, mempool, minedTxs: p2p?.minedTxs, kzg })
      : undefined;
    teardown.add("prover", () => prover?.stop());
    const sentinel = createSentinel(context, { values, mempool, p2p, ownValidators, report: slasher?.report });
    teardown.add("sentinel", () => sentinel?.stop());

    const config = new LiveConfig(adminValues(values), {
      sync: synchronizer,
      pool: mempool.pool,
      checks: mempool.contexts,
      sequencer: sequencer && configurableSequencer(sequencer),
      p2p: p2p?.live,
      validator: validator?.live,
      sentinel: sentinel?.live,
      slasher: slasher?.live,
    });
    if (options.beforeListening !== undefined) {
      synchronizer.start();
      sequencer?.start();
      prover?.start();
      await options.beforeListening({ ...context, mempool, sequencer, teardown });
    }

    const health = nodeHealth(context, { values, mempool, p2p, snapshots: following.snapshots, prover });
    teardown.add("health", () => health.close());
    const services = publicServices(context, { values, mempool, p2p, sentinel, prover, config, signatures });
    const rpc = await startRpc(context, { values, services, health, poolEvents: mempool.events, onFatal });
    teardown.add("rpc", () => rpc.close());
    writeNodeRecord(directory.path, nodeRecord(values, context.reader, rpc.port));

    const feed = await startConfiguredFeed(context, { values, rpcPort: rpc.port });
    teardown.add("feed", () => feed?.stop());

    const admin = await startAdmin(context, {
      values,
      directory,
      config,
      pool: mempool.pool,
      keys,
      snapshots: following.snapshots,
      sequencer,
      slasher: slasher?.answers,
      dutyTimes: () => dutyTimes.recent(),
      missedDuties: () => dutyTimes.misses(),
      reports: nodeReports(context, {
        values,
        configuration: options.configuration,
        logTail: options.logTail,
        health,
        pool: mempool.pool,
        p2p,
        attesters: ownValidators,
      }),
      localNetwork: options.localNetwork,
      open: options.openAdmin,
      reads: services,
    });
    teardown.add("admin rpc", () => admin.close());

    synchronizer.start();
    sequencer?.start();
    prover?.start();
    if (p2p !== undefined) joinPeers(p2p, synchronizer, { signal, onFatal });
    // Rejects if the node stops before.
    synchronizer.waitForInitialSync().then(
      () => sentinel?.start(),
      () => undefined,
    );
    if (values.enableAutoShutdown && values.rollupVersion === "canonical") {
      const onReplaced = (): void => options.onReplaced?.();
      teardown.add("cutover watch", watchCutover(context.reader, { log: loggerFor("node"), onReplaced }));
    }
    if (values.enableVersionCheck) {
      const watched = watchedVersions(values, context.reader);
      teardown.add("version check", checkVersions(watched, loggerFor("node")));
    }
    following.started();
    return {
      port: rpc.port,
      adminPort: admin.port,
      config,
      metricsPort: counted.port,
      feedPort: feed?.port,
      synced: () => synchronizer.waitForInitialSync(),
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** Rejects with a KeystoreError. */
function proposingKeys({ values, loggerFor }: Pick<NodeOptions, "values" | "loggerFor">): Promise<ActiveKeystore> {
  const logger = loggerFor("sequencer");
  return configuredKeys(values, (facts, message) => logger.warn(facts, message));
}

/** Whether the node may have duties to sign: those of a committee, or proposals for peers. */
function signsDuties(values: Values, { reader }: Pick<ChainContext, "reader">): boolean {
  return hasValidator(values) || reader.identity.constants.targetCommitteeSize > 0;
}

/** The guard of all duties, which also looks at the clock. Rejects with an OperatorError. */
async function openGuard(
  { reader, chain, synchronizer, clock, endpoints, loggerFor }: ChainContext,
  { values, directory, signal }: Pick<NodeOptions, "values" | "directory" | "signal">,
): Promise<SigningGuard> {
  const { identity } = reader;
  const logger = loggerFor("validator:signing");
  const guard = await openNodeSigningGuard({ values, directory, identity, now: clock.now, endpoints, logger }, signal);
  const check = new ClockCheck(identity.constants, logger);
  let last = -1;
  synchronizer.on("progress", ({ initialSyncComplete, l1Block }) => {
    const processed = chain.state.processed();
    if (!initialSyncComplete || l1Block === last || processed?.number !== l1Block) return;
    last = l1Block;
    check.arrived(processed.timestamp, clock.now());
  });
  return new ClockedGuard(guard, check);
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
