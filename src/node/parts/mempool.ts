import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ContentStore } from "../../archiver/content-store.ts";
import { POOL_MIGRATIONS } from "../../chain-store/migrations/migrations.ts";
import { reportMigration } from "../../chain-store/migrations/report-migration.ts";
import type { PartValues } from "../../config/part-values.ts";
import { Listeners } from "../../events/listeners.ts";
import { ExecutionPool } from "../../execution/execution-pool.ts";
import type { FunctionNames } from "../../execution/revert-reason.ts";
import { DigestPool } from "../../mempool/digest/digest-pool.ts";
import type { Digests } from "../../mempool/digest/tx-digest.ts";
import { countSubmissions, observeTxPool } from "../../mempool/metrics.ts";
import { storedChainView } from "../../mempool/pool/stored-chain-view.ts";
import { TxPool } from "../../mempool/pool/tx-pool.ts";
import { countedVerifier } from "../../mempool/proofs/metrics.ts";
import { recentFees } from "../../mempool/recent-fees.ts";
import { TxIntake } from "../../mempool/tx-intake.ts";
import { TxSimulator } from "../../mempool/tx-simulator.ts";
import { CheckContexts } from "../../mempool/validation/check-contexts.ts";
import { CommittedStates } from "../../mempool/validation/committed-state.ts";
import { TxValidator } from "../../mempool/validation/tx-validator.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import { Teardown } from "../../process/teardown.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { PoolEvents } from "../../rpc/ports/pool-events.ts";
import { claimStore } from "../../storage/identity.ts";
import { inspectStore } from "../../storage/inspect.ts";
import { observeStore } from "../../storage/metrics.ts";
import { migrateStore } from "../../storage/migrate.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { StoreCorruptedError } from "../../storage/store-errors.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { followChain } from "../mempool/mempool-events.ts";
import { configuredVerifier } from "../mempool/mempool-proofs.ts";
import { mempoolService, simulatorService, validatorService } from "../services/mempool-services.ts";
import { poolChanges } from "../services/pool-changes.ts";

export interface MempoolOptions {
  values: PartValues;
  directory: Pick<DataDirectory, "path" | "temporary">;
  functionNames: FunctionNames;
  /** Called when the pool's store is damaged. */
  onFatal?: (error: Error) => void;
}

/** Services for pending transactions. */
export interface MempoolPart {
  readonly pool: TxPool;
  readonly validator: TxValidator;
  readonly contexts: CheckContexts;
  readonly states: CommittedStates;
  readonly digests: Digests & Pick<DigestPool, "hurry" | "release">;
  /** The pool's LMDB environment. */
  readonly store: Store;
  readonly services: Pick<NodeServices, "mempool" | "txValidator" | "simulator">;
  /** Changes of the pending txs. */
  readonly events: PoolEvents;
  /** Calls the listener with the binary form of each tx that a client submitted and the pool accepted. */
  onSubmitted(listener: (bytes: Uint8Array) => void): () => void;
  /**
   * Whether txs are accepted: only after the initial sync, if they are not disabled, and if there is a proof verifier.
   */
  ready(): boolean;
  readonly health: HealthProbe;
  stop(): Promise<void>;
}

/** Opens the pool's own LMDB environment in the data directory. Throws a DamagedStoreError. */
function openPoolStore({ values, directory, onFatal }: MempoolOptions): Store {
  const path = join(directory.path, "pool");
  mkdirSync(path, { recursive: true });
  inspectStore(path);
  return openStore({
    path,
    mapSizeKb: values.storage.poolMapSizeKb ?? values.storage.mapSizeKb,
    temporary: directory.temporary,
    // A full store is not fatal: the pool refuses txs, and the effects of blocks are recomputed from the chain.
    onFault: (fault) => void (fault instanceof StoreCorruptedError && onFatal?.(fault)),
  });
}

/**
 * Opens a node's pool and updates it with the chain. If the start fails, all started services are stopped. Throws a
 * DamagedStoreError, StoreIdentityError or StoreSchemaError.
 */
export async function startMempool(context: ChainContext, options: MempoolOptions): Promise<MempoolPart> {
  const { core, chain, world, reader, synchronizer, threads, loggerFor } = context;
  const { values } = options;
  const { now } = context.clock;
  const logger = loggerFor("mempool");
  const teardown = new Teardown(logger);
  try {
    const store = openPoolStore(options);
    teardown.add("pool store", () => store.close());
    const { identity } = reader;
    const fees = recentFees(reader.fees);
    const owner = {
      l1ChainId: identity.l1ChainId,
      rollupVersion: identity.rollupVersion,
      rollupAddress: identity.addresses.rollupAddress,
      genesisArchiveRoot: toHex(identity.genesisArchiveRoot),
    };
    await migrateStore(store, owner, { migrations: POOL_MIGRATIONS, report: reportMigration("pool", logger) });
    claimStore(store, owner);
    // One more thread: the main thread has little to do while txs wait to be hashed.
    const digests = new DigestPool({ threads: threads.digests });
    teardown.add("tx digest threads", () => digests.close());
    const configured = await configuredVerifier(values.proofs, logger);
    // Accepting any proof is no verification.
    const proofs = configured.simulated ? configured : countedVerifier(context.metrics, configured);
    teardown.add("proof verifier", () => proofs.close());

    const execution = new ExecutionPool(
      {
        path: context.store.path,
        mapSizeKb: values.storage.mapSizeKb,
        publicData: context.publicData,
        epochDuration: identity.constants.epochDuration,
        commits: context.store.commits,
      },
      { size: threads.execution },
    );
    teardown.add("execution threads", () => execution.close());

    const content = new ContentStore({ store: context.store, chain });
    const states = new CommittedStates(core, world);
    const contexts = new CheckContexts(
      { chain, content, states, identity, fees, now: () => now() / 1000 },
      values.checks,
    );
    const chainView = storedChainView({ content, contexts, states, now });
    const pool = new TxPool(store, chainView, {
      maxPending: values.pool.maxPending,
      archived: values.pool.archived,
      deleteAfterReorg: values.pool.deleteAfterReorg,
      listenerFailed: (error) => logger.error({ err: error }, "a listener of the pool failed"),
    });
    logger.info(
      { path: store.path, pending: pool.pendingCount, most: values.pool.maxPending },
      "opened the pool with {pending:pending tx}",
    );

    const validator = new TxValidator({ digests, peerDigests: digests.forPeers, contexts, proofs });
    const submitted = new Listeners<[Uint8Array]>((error) =>
      logger.error({ err: error }, "a submitted tx was not published"),
    );
    const intake = new TxIntake({
      validator,
      pool,
      chain: chainView,
      priceBumpPercentage: values.pool.priceBumpPercentage,
      accepted: (bytes) => submitted.emit(bytes),
      submitted: countSubmissions(context.metrics),
    });
    const l1Time = () => chain.state.processed()?.timestamp ?? Math.floor(now() / 1000);
    const simulator = new TxSimulator(
      { chain, identity, fees, digests, execution, l1Time },
      {
        ...values.simulation,
        parallel: threads.execution,
      },
    );
    observeTxPool(context.metrics, pool);
    observeStore(context.metrics, "tx-pool", store);
    const unfollow = followChain({
      pool,
      synchronizer,
      chain,
      constants: identity.constants,
      slotCheckIntervalMs: values.pool.slotCheckIntervalMs,
      now,
      logger,
    });
    teardown.add("pool events", unfollow);
    const synced = () => synchronizer.initialSyncComplete;
    return {
      pool,
      validator,
      contexts,
      states,
      digests,
      store,
      events: poolChanges(pool, (error) => logger.error({ err: error }, "a listener of the pool's changes failed")),
      onSubmitted: (listener) => submitted.add(listener),
      ready: () => synced() && contexts.options.permitted && !proofs.missing,
      health: {
        name: "transactions",
        read() {
          if (!contexts.options.permitted) return { state: "off", reason: "transactions are disabled" };
          return proofs.missing ? { state: "failed", reason: "no program checks proofs" } : HEALTHY;
        },
      },
      services: {
        mempool: mempoolService({ pool, intake, synced }),
        txValidator: validatorService(validator),
        simulator: simulatorService(simulator, options.functionNames),
      },
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}
