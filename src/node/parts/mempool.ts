import { ContentStore } from "../../archiver/content-store.ts";
import type { PartValues } from "../../config/part-values.ts";
import { Listeners } from "../../events/listeners.ts";
import { ExecutionPool } from "../../execution/execution-pool.ts";
import type { FunctionNames } from "../../execution/revert-reason.ts";
import { DigestPool } from "../../mempool/digest/digest-pool.ts";
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
import { observeStore } from "../../storage/metrics.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import { followChain } from "../mempool/mempool-events.ts";
import { configuredVerifier } from "../mempool/mempool-proofs.ts";
import { openPoolStore } from "../mempool/pool-store.ts";
import { mempoolService, simulatorService, validatorService } from "../services/mempool-services.ts";
import { poolChanges } from "../services/pool-changes.ts";
import { poolHealth } from "../services/pool-health.ts";

interface MempoolOptions {
  values: PartValues;
  directory: Pick<DataDirectory, "path" | "temporary">;
  functionNames: FunctionNames;
  /** Called when the pool's store is damaged. */
  onFatal?: (error: Error) => void;
}

/**
 * Opens a node's pool and updates it with the chain. If the start fails, all started services are stopped. Throws a
 * DamagedStoreError, StoreIdentityError or StoreSchemaError.
 */
export async function startMempool(context: ChainContext, options: MempoolOptions): Promise<MempoolPart> {
  const { core, chain, world, reader, synchronizer, metrics, threads, loggerFor } = context;
  const { values, directory, functionNames, onFatal } = options;
  const { now } = context.clock;
  const { identity } = reader;
  const { generation } = chain;
  const logger = loggerFor("mempool");
  const teardown = new Teardown(logger);
  try {
    const store = await openPoolStore({ values: values.storage, directory, identity, onFatal, logger });
    teardown.add("pool store", () => store.close());
    // One more thread: the main thread has little to do while txs wait to be hashed.
    const digests = new DigestPool({ threads: threads.digests, generation });
    teardown.add("tx digest threads", () => digests.close());
    const configured = await configuredVerifier(values.proofs, generation, {
      dataDirectory: directory.path,
      logger,
    });
    // Accepting any proof is no verification.
    const proofs = configured.simulated ? configured : countedVerifier(metrics, configured);
    teardown.add("proof verifier", () => proofs.close());

    const fees = recentFees(reader.fees);
    const content = new ContentStore({ store: context.store, chain });
    const states = new CommittedStates(core, world, generation.contracts);
    const sources = { chain, content, states, identity, generation, fees, now: () => now() / 1000 };
    const contexts = new CheckContexts(sources, values.checks);
    const chainView = storedChainView({ content, contexts, states, knownMinFees: fees.known, now });
    const { maxPending, archived, deleteAfterReorg, priceBumpPercentage, slotCheckIntervalMs } = values.pool;
    const pool = new TxPool(store, chainView, {
      ...{ rules: generation, maxPending, archived, deleteAfterReorg },
      listenerFailed: (error) => logger.error({ err: error }, "a listener of the pool failed"),
    });
    const opened = { path: store.path, pending: pool.pendingCount, most: maxPending };
    logger.info(opened, "opened the pool with {pending:pending tx}");

    const validator = new TxValidator({ digests, peerDigests: digests.forPeers, contexts, proofs });
    const submitted = new Listeners<[Uint8Array]>((error) =>
      logger.error({ err: error }, "a submitted tx was not published"),
    );
    const intake = new TxIntake({
      ...{ validator, pool, chain: chainView, priceBumpPercentage },
      accepted: (bytes) => submitted.emit(bytes),
      submitted: countSubmissions(metrics),
    });
    const simulator = txSimulator(context, { values, fees, digests, teardown });
    observeTxPool(metrics, pool);
    observeStore(metrics, "tx-pool", store);
    const { constants } = identity;
    const minFees = generation.transactions.pending.minFees ? fees.currentMinFees : undefined;
    const unfollow = followChain({ pool, synchronizer, chain, constants, minFees, slotCheckIntervalMs, now, logger });
    teardown.add("pool events", unfollow);
    const synced = () => synchronizer.initialSyncComplete;
    const permitted = () => contexts.options.permitted;
    return {
      ...{ pool, validator, contexts, states, digests, store },
      events: poolChanges(pool, (error) => logger.error({ err: error }, "a listener of the pool's changes failed")),
      onSubmitted: (listener) => submitted.add(listener),
      ready: () => synced() && permitted() && !proofs.missing,
      health: poolHealth(proofs, permitted),
      services: {
        mempool: mempoolService({ pool, intake, synced }),
        txValidator: validatorService(validator),
        simulator: simulatorService(simulator, functionNames),
      },
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

interface SimulatorParts {
  values: PartValues;
  fees: ReturnType<typeof recentFees>;
  digests: DigestPool;
  teardown: Teardown;
}

/** Simulates transactions on threads that read the chain store by themselves. */
function txSimulator(
  { store, chain, reader, publicData, clock, threads }: ChainContext,
  { values, fees, digests, teardown }: SimulatorParts,
): TxSimulator {
  const { identity } = reader;
  const { epochDuration } = identity.constants;
  const { mapSizeKb } = values.storage;
  const reads = { path: store.path, mapSizeKb, publicData, epochDuration, commits: store.commits };
  const execution = new ExecutionPool(reads, { size: threads.execution });
  teardown.add("execution threads", () => execution.close());
  const l1Time = () => chain.state.processed()?.timestamp ?? Math.floor(clock.now() / 1000);
  const services = { chain, identity, fees, digests, execution, l1Time };
  return new TxSimulator(services, { ...values.simulation, parallel: threads.execution });
}
