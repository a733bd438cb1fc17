import type { PartValues } from "../../config/part-values.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import type { MinedTxs } from "../../p2p/tx-collection/mined-txs.ts";
import { Teardown } from "../../process/teardown.ts";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { EpochProver } from "../../prover/epoch/epoch-prover.ts";
import type { EpochTerms } from "../../prover/epoch/epoch-types.ts";
import { CheckpointPreparation } from "../../prover/node/checkpoint-preparation.ts";
import { EpochOpenings } from "../../prover/node/epoch-openings.ts";
import { TxsMissingError } from "../../prover/node/errors.ts";
import { proverNodeCounts } from "../../prover/node/metrics.ts";
import { PostedCheckpoints } from "../../prover/node/posted-checkpoints.ts";
import { ProverNode } from "../../prover/node/prover-node.ts";
import { ReexecutionPool } from "../../prover/node/reexecution-pool.ts";
import { unprovableTx } from "../../prover/node/unprovable-tx.ts";
import type { JobProducer } from "../../prover/producer/job-producer.ts";
import type { EpochProving } from "../../rpc/ports/epoch-prover.ts";
import type { JobSource } from "../../rpc/ports/proving-broker.ts";
import { openObjectStore } from "../../storage/objects/open-store.ts";
import type { HealthProbe } from "../../telemetry/health.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import { configuredProver } from "../keys/prover-keys.ts";
import { collectedTxs } from "../peers/collected-txs.ts";
import { startEpochSubmitter } from "../prover/epoch-submitter.ts";
import { type FailedEpochServices, FailedEpochUploader } from "../prover/failed-epochs/upload.ts";
import { startProvingJobs } from "../prover/proving-jobs.ts";
import { epochProving } from "../services/epoch-proving.ts";
import { objectStoreAccess } from "../settings/object-access.ts";

export interface ProverOptions {
  values: PartValues;
  directory: { path: string; temporary: boolean };
  mempool: MempoolPart;
  /** The search among peers; undefined for a node without P2P. */
  minedTxs: MinedTxs | undefined;
  kzg: Pick<Kzg, "load" | "open" | "release">;
}

export interface ProverPart {
  readonly node: ProverNode;
  readonly answers: EpochProving;
  /** Of a broker elsewhere; undefined for one in this process. */
  readonly brokerHealth: HealthProbe | undefined;
  /** Of a broker in this process. */
  readonly jobSource: JobSource | undefined;
  start(): void;
  stop(): Promise<void>;
}

/** Between attempts to submit a proof that L1 did not take for a passing reason. */
const RESUBMIT_MS = 5_000;

/**
 * Creates a node's prover; `start()` begins to prove. If this fails, all started services are stopped. Rejects with a
 * KeystoreError, ConfigurationError or L1TxStoreError.
 */
export async function createProver(context: ChainContext, options: ProverOptions): Promise<ProverPart> {
  const { chain, world, reader, synchronizer, clock, threads, loggerFor } = context;
  const { values, directory, mempool } = options;
  const logger = loggerFor("prover");
  const teardown = new Teardown(logger);
  try {
    const keys = await configuredProver(values.keys, (facts, message) => logger.warn(facts, message));
    const submitter = startEpochSubmitter(context, values, directory, keys);
    teardown.add("publisher", () => submitter.stop());
    // The duties of validators go first.
    const lowPriority = values.modes.sequencer;
    const { metrics } = context;
    const jobs = await startProvingJobs(values, {
      generation: chain.generation,
      loggerFor,
      metrics,
      threads: threads.circuits,
      lowPriority,
    });
    teardown.add("proving jobs", () => jobs.stop());
    const reexecution = reexecutionPool(context, values, keys.id);
    teardown.add("threads that execute checkpoints again", () => reexecution.close());
    const posted = new PostedCheckpoints(reader);
    const preparation = new CheckpointPreparation({
      ...{ chain, world, posted },
      txs: options.minedTxs ?? txsWithoutPeers(context, values, mempool, teardown),
      txTimeoutMs: values.prover.txTimeoutMs,
      execute: reexecution.execute,
    });
    const failed = failedEpochUploader(context, options, { preparation, posted, proverId: keys.id });
    if (failed !== undefined) teardown.add("upload of a failed epoch", () => failed.stop());
    const counts = proverNodeCounts(metrics);
    const node = new ProverNode({
      ...{ chain, constants: reader.identity.constants, preparation, posted, logger },
      obstacle: (checkpoint) => unprovableTx(chain, checkpoint),
      startProof: epochProofs(context, options, { proverId: keys.id, runner: jobs.producer }),
      publisher: values.prover.withoutPublishing ? undefined : submitter.publisher,
      parallelCheckpoints: values.prover.parallelCheckpoints,
      provingDelayMs: values.prover.provingDelayMs ?? 0,
      resubmitMs: RESUBMIT_MS,
      now: clock.now,
      synced: () => synchronizer.initialSyncComplete,
      onChainChange: (listener) => synchronizer.on("progress", listener),
      pollIntervalMs: values.prover.pollIntervalMs,
      maxRuns: values.prover.maxRuns,
      checkpointPrepared: counts.checkpoint,
      allPrepared: () => {
        reexecution.release();
        mempool.digests.release();
      },
      ended: (run, reason) => {
        counts.ended(run);
        if (run.status === "failed" && !(reason instanceof TxsMissingError)) failed?.upload(run, reason);
      },
    });
    teardown.add("prover node", () => node.stop());
    const facts = { proverId: toHex(keys.id), publishers: keys.publishers.map(({ address }) => address) };
    logger.info(facts, "proving epochs as {proverId}");
    const { brokerHealth, jobSource } = jobs;
    const answers = epochProving(node);
    return { node, answers, brokerHealth, jobSource, start: () => node.start(), stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** Threads that read the chain store by themselves. */
function reexecutionPool(
  { store, reader, publicData, threads }: ChainContext,
  values: PartValues,
  proverId: Uint8Array,
): ReexecutionPool {
  const { epochDuration } = reader.identity.constants;
  const { mapSizeKb } = values.storage;
  const chain = { path: store.path, mapSizeKb, publicData, epochDuration, commits: store.commits };
  return new ReexecutionPool(
    { chain, proverId, lowPriority: values.modes.sequencer },
    { threads: threads.reexecution },
  );
}

/** Returns a function that begins the proof of an epoch, without its checkpoints. */
function epochProofs(
  { core, chain: { generation }, reader }: ChainContext,
  { values, kzg }: ProverOptions,
  { proverId, runner }: { proverId: Uint8Array; runner: JobProducer },
): (epoch: number) => EpochProver {
  const { l1ChainId: chainId, rollupVersion: version } = reader.identity;
  const vkTreeRoot = fromHex(generation.contracts.vkTreeRoot);
  const protocolContractsHash = fromHex(generation.contracts.protocolContractsHash);
  const openings = new EpochOpenings(kzg);
  return (epoch) => {
    const terms: EpochTerms = { epoch, chainId, version, vkTreeRoot, protocolContractsHash, proverId };
    // A sequencer has the library of KZG loaded, which opens blobs as well.
    if (values.modes.sequencer) return new EpochProver({ core, generation, runner, kzg }, terms);
    const opening = openings.begin();
    const proof = new EpochProver({ core, generation, runner, kzg: opening }, terms);
    proof.signal.addEventListener("abort", () => opening.end());
    return proof;
  };
}

/** Uploads epochs that fail, if there is a store for them. Throws an ObjectStoreUrlError. */
function failedEpochUploader(
  { store, chain, reader, publicData, loggerFor }: ChainContext,
  { values, directory }: ProverOptions,
  parts: Pick<FailedEpochServices, "preparation" | "posted" | "proverId">,
): FailedEpochUploader | undefined {
  const { failedEpochStore: url } = values.prover;
  if (url === undefined) return undefined;
  return new FailedEpochUploader({
    ...{ ...parts, store, chain, publicData },
    target: openObjectStore(url, objectStoreAccess(values.objectStores)),
    identity: reader.identity,
    directory: directory.path,
    logger: loggerFor("prover"),
  });
}

/** Transactions from other nodes' RPC and from file stores. */
function txsWithoutPeers(
  context: ChainContext,
  values: PartValues,
  mempool: MempoolPart,
  teardown: Teardown,
): MinedTxs {
  const collection = collectedTxs(context, { values, mempool, channels: undefined, teardown });
  collection.start();
  return collection.mined;
}
