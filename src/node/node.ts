import type { Values } from "../config/options.ts";
import type { ExecutedTx } from "../execution/executed-tx.ts";
import type { Kzg } from "../l1/blobs/kzg.ts";
import type { DiscoveryOptions } from "../l1/discovery.ts";
import { FunctionSignatures } from "../rpc/methods/function-signatures.ts";
import type { BuildWait } from "../sequencer/build-blocks.ts";
import { configuredValues } from "./admin/configured-values.ts";
import { LiveConfig } from "./admin/live-config.ts";
import type { DataDirectory } from "./data-directory.ts";
import type { LoggerFor } from "./logging.ts";
import { startAdmin } from "./parts/admin.ts";
import { startChain } from "./parts/chain.ts";
import type { ChainContext } from "./parts/chain-context.ts";
import { type MempoolPart, startMempool } from "./parts/mempool.ts";
import { checkP2p, createP2p, type P2pPart } from "./parts/p2p.ts";
import { startRpc } from "./parts/rpc.ts";
import { createSentinel } from "./parts/sentinel.ts";
import { configurableSequencer, startSequencer } from "./parts/sequencer.ts";
import { logReverts } from "./revert-log.ts";
import type { RunningService } from "./supervise.ts";
import { Teardown } from "./teardown.ts";

export interface NodeOptions {
  values: Values & { registryAddress: string };
  directory: DataDirectory;
  loggerFor: LoggerFor;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Called with a fatal error: the chain store can no longer be written, or is damaged. */
  onFatal?: (error: Error) => void;
  /** Addresses to report that cannot be read from L1, unless the options give them. */
  otherAddresses?: DiscoveryOptions["otherAddresses"];
  /** Shared KZG worker, closed by its owner. */
  kzg?: Kzg;
  /** Log why transactions in own blocks reverted. */
  logReverts?: boolean;
  /** Called before the public port opens, when the node already follows L1. */
  beforeListening?: (parts: ChainParts) => Promise<void>;
}

/** Controls of a sequencer for other services. */
export interface SteeredSequencer {
  status(): { state: string };
  /** The wait in progress while building for a slot, if any. */
  readonly buildWait: BuildWait | undefined;
  onStateChange(listener: () => void): () => unknown;
  /** Calls the listener for each checkpoint that is published to L1. Returns an unsubscribe function. */
  onPublished(listener: () => void): () => unknown;
  wake(): void;
  /** Starts no block until the returned function is called. */
  hold(): () => void;
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
  /** Resolves once the initial sync is complete; rejects if the node stops before. */
  synced(): Promise<void>;
}

/**
 * Starts the parts of a node. Resolves once it follows L1 and its ports are open, which is before the initial sync is
 * complete. If the start fails, all started parts are stopped.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { values, directory, loggerFor, signal, onFatal } = options;
  if (values.p2pEnabled) checkP2p(values);
  const teardown = new Teardown(loggerFor("node"));
  try {
    const following = await startChain(options);
    teardown.add("chain", () => following.stop());
    const { context } = following;
    const { synchronizer } = context;

    const signatures = new FunctionSignatures();
    const mempool = await startMempool(context, {
      values,
      directory: directory.path,
      functionNames: signatures,
      onFatal,
    });
    teardown.add("mempool", () => mempool.stop());
    signal.throwIfAborted();

    const built = options.logReverts
      ? (processed: readonly ExecutedTx[]) => logReverts(processed, signatures, loggerFor("sequencer"))
      : undefined;
    const producer = values.sequencer
      ? await startSequencer(context, { values, directory, mempool, built, kzg: options.kzg })
      : undefined;
    teardown.add("sequencer", () => producer?.stop());
    const sequencer = producer?.sequencer;

    const p2p = values.p2pEnabled
      ? await createP2p(context, {
          values,
          dataDirectory: directory.temporary ? undefined : directory.path,
          mempool,
          signal,
        })
      : undefined;
    teardown.add("p2p", () => p2p?.stop());

    const sentinel = createSentinel(context, { values, mempool, p2p });
    teardown.add("sentinel", () => sentinel?.stop());

    const config = new LiveConfig(configuredValues(values), {
      sync: synchronizer,
      pool: mempool.pool,
      checks: mempool.contexts,
      sequencer: sequencer && configurableSequencer(sequencer),
      p2p: p2p?.live,
      sentinel: sentinel?.live,
    });
    if (options.beforeListening !== undefined) {
      synchronizer.start();
      sequencer?.start();
      await options.beforeListening({ ...context, mempool, sequencer, teardown });
    }

    const rpc = await startRpc(context, { values, mempool, p2p, sentinel, config, signatures });
    teardown.add("rpc", () => rpc.close());

    const admin = await startAdmin(context, {
      values,
      directory,
      config,
      pool: mempool.pool,
      keys: producer?.keys,
      snapshots: following.snapshots,
      sequencer,
      slasher: undefined,
    });
    teardown.add("admin rpc", () => admin.close());

    synchronizer.start();
    sequencer?.start();
    if (p2p !== undefined) joinPeers(p2p, synchronizer, { signal, onFatal });
    // Rejects if the node stops before.
    synchronizer.waitForInitialSync().then(
      () => sentinel?.start(),
      () => undefined,
    );
    following.started();
    return {
      port: rpc.port,
      adminPort: admin.port,
      synced: () => synchronizer.waitForInitialSync(),
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.run();
    throw error;
  }
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
