import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import { redactUrl } from "../../http/redact.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { Teardown } from "../../process/teardown.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { Agent } from "../../prover/agent/agent.ts";
import { agentCounts, observeAgents } from "../../prover/agent/metrics.ts";
import type { Prover } from "../../prover/agent/prover.ts";
import { SimulatedProver } from "../../prover/agent/simulated-prover.ts";
import { SimulationPool } from "../../prover/agent/simulation-pool.ts";
import { InProcessBroker } from "../../prover/broker/in-process-broker.ts";
import { MemoryJobs } from "../../prover/broker/memory-jobs.ts";
import { brokerCounts, observeBroker } from "../../prover/broker/metrics.ts";
import { ProvingBroker } from "../../prover/broker/proving-broker.ts";
import { BrokerConnection } from "../../prover/broker-client/broker-connection.ts";
import { BrokerOutages } from "../../prover/broker-client/broker-outages.ts";
import { BrokerWatch } from "../../prover/broker-client/broker-watch.ts";
import { RemoteConsumer } from "../../prover/broker-client/remote-consumer.ts";
import { RemoteProducer } from "../../prover/broker-client/remote-producer.ts";
import type { JobConsumerApi, JobProducerApi } from "../../prover/jobs/proving-job.ts";
import { observeBrokerOutages } from "../../prover/node/metrics.ts";
import { JobProducer } from "../../prover/producer/job-producer.ts";
import { InlineStore } from "../../prover/proof-store/inline-store.ts";
import { MemoryStore } from "../../prover/proof-store/memory-store.ts";
import { ObjectProofStore } from "../../prover/proof-store/object-proof-store.ts";
import type { AgentProofStore, ProducerProofStore } from "../../prover/proof-store/proof-store.ts";
import type { JobSource } from "../../rpc/ports/proving-broker.ts";
import { openObjectStore } from "../../storage/objects/open-store.ts";
import type { HealthProbe } from "../../telemetry/health.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { jobSource, outputFaultHere } from "../services/job-source.ts";
import { objectStoreAccess } from "../settings/object-access.ts";
import { delayOf, typesOf } from "./agent-settings.ts";
import { startRealProver } from "./real-proofs.ts";

/** Has the node's jobs done, by a broker elsewhere or by agents in this process. */
export interface ProvingJobs {
  readonly producer: JobProducer;
  readonly agents: readonly Agent[];
  /** Of a broker elsewhere; undefined for one in this process. */
  readonly brokerHealth: HealthProbe | undefined;
  /** Of a broker in this process. */
  readonly jobSource: JobSource | undefined;
  stop(): Promise<void>;
}

interface Parts {
  /** Of the rollup. */
  readonly generation: Generation;
  /** Most threads for the agents of this process. */
  readonly threads: number;
  /** Whether other work of the process goes before that of its agents. */
  readonly lowPriority: boolean;
  readonly loggerFor: LoggerFor;
  readonly metrics: Metrics;
}

/** How long a call of a part in this process waits for something to happen. */
const LONG_POLL_MS = 1000;

interface Broker {
  readonly producerApi: JobProducerApi;
  readonly consumerApi: JobConsumerApi;
  readonly store: AgentProofStore & ProducerProofStore;
  readonly jobSource?: JobSource;
}

/**
 * Starts the producer of jobs, the broker if none is configured, and the agents of this process. Rejects with a
 * ConfigurationError.
 */
export async function startProvingJobs(values: PartValues, parts: Parts): Promise<ProvingJobs> {
  const logger = parts.loggerFor("prover");
  const teardown = new Teardown(logger);
  try {
    return await startParts(values, parts, teardown);
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

async function startParts(values: PartValues, parts: Parts, teardown: Teardown): Promise<ProvingJobs> {
  const logger = parts.loggerFor("prover");
  const { url } = values.broker;
  const { failedProofStore } = values.prover;
  const { producerApi, consumerApi, store, jobSource } =
    url === undefined
      ? brokerHere(values, parts, teardown)
      : brokerElsewhere(url, values, parts.generation.contracts, teardown);
  const outages = new BrokerOutages(logger);
  const producer = new JobProducer({
    rules: parts.generation,
    broker: producerApi,
    store,
    failedStore: failedProofStore === undefined ? undefined : objectStore(failedProofStore, values.objectStores),
    enqueueConcurrency: values.prover.enqueueConcurrency,
    cancelsJobs: values.prover.cancelJobsOnStop,
    outages,
    logger,
  });
  const agents = await startAgentsHere(values, { ...parts, broker: consumerApi, store, teardown });
  teardown.add("metrics of agents", observeAgents(parts.metrics, agents));
  teardown.add("producer", () => producer.stop());
  teardown.add("agents", async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
  });
  if (url !== undefined) {
    teardown.add("metrics of the broker", observeBrokerOutages(parts.metrics, outages));
    watchBroker(url, values, { contracts: parts.generation.contracts, outages, teardown });
  }
  const facts = { agents: agents.length, broker: url === undefined ? "this process" : redactUrl(url) };
  logger.info(facts, "proving jobs go to the broker at {broker}; {agents} agents run in this process");
  const brokerHealth = url === undefined ? undefined : outages.health;
  return { producer, agents, brokerHealth, jobSource, stop: () => teardown.run() };
}

function watchBroker(
  url: string,
  values: PartValues,
  { contracts, outages, teardown }: { contracts: ContractRules; outages: BrokerOutages; teardown: Teardown },
): void {
  const stopping = new AbortController();
  const apiKey = reveal(values.broker.apiKey);
  const connection = new BrokerConnection({ url, contracts, apiKey, retryDelaysMs: [], signal: stopping.signal });
  const watch = new BrokerWatch({ broker: new RemoteProducer(connection), outages });
  teardown.add("watch of the broker", () => {
    watch.stop();
    stopping.abort();
  });
  watch.start();
}

function objectStore(url: string, values: PartValues["objectStores"]): ObjectProofStore {
  return new ObjectProofStore(url, openObjectStore(url, objectStoreAccess(values)));
}

function brokerHere(values: PartValues, { generation, loggerFor, metrics }: Parts, teardown: Teardown): Broker {
  const store = new MemoryStore();
  const broker = new ProvingBroker(
    new MemoryJobs(),
    {
      ...values.broker.jobs,
      longPollMs: LONG_POLL_MS,
      outputFault: outputFaultHere(generation, store),
      counts: brokerCounts(metrics),
    },
    loggerFor("prover:broker"),
  );
  if (values.prover.proofStore !== undefined) {
    loggerFor("prover").warn({}, "PROVER_PROOF_STORE has no effect: broker and agents in this process share memory");
  }
  const stopping = new AbortController();
  const api = new InProcessBroker(broker, stopping.signal, (uri) => store.hasOutput(uri));
  broker.start();
  teardown.add("metrics of the broker", observeBroker(metrics, broker));
  teardown.add("broker", () => {
    stopping.abort();
    broker.stop();
  });
  return { producerApi: api, consumerApi: api, store, jobSource: jobSource(broker, store) };
}

function brokerElsewhere(url: string, values: PartValues, contracts: ContractRules, teardown: Teardown): Broker {
  const stopping = new AbortController();
  const connection = new BrokerConnection({
    url,
    contracts,
    apiKey: reveal(values.broker.apiKey),
    signal: stopping.signal,
  });
  teardown.add("broker connection", () => stopping.abort());
  return {
    producerApi: new RemoteProducer(connection),
    consumerApi: new RemoteConsumer(connection),
    store:
      values.prover.proofStore === undefined
        ? new InlineStore()
        : objectStore(values.prover.proofStore, values.objectStores),
  };
}

async function startAgentsHere(
  values: PartValues,
  parts: Parts & { readonly broker: JobConsumerApi; readonly store: AgentProofStore; readonly teardown: Teardown },
): Promise<Agent[]> {
  const { generation, broker, store, threads, lowPriority, loggerFor, metrics, teardown } = parts;
  const { count } = values.agents;
  if (count === 0) return [];
  const logger = loggerFor("prover:agent");
  const wanted = typesOf(values.agents.proofTypes ?? [], logger);
  const simulated = (): Prover => {
    const pool = new SimulationPool(generation, { threads: Math.min(count, threads), lowPriority });
    teardown.add("threads of agents", () => pool.close());
    return new SimulatedProver(pool.simulate, delayOf(values.agents.delay));
  };
  const { prover, types } = values.proofs.real
    ? await startRealProver(values, wanted, { generation, log: logger, teardown })
    : { prover: simulated(), types: wanted };
  const counts = agentCounts(metrics);
  const agents = Array.from(
    { length: count },
    (_, i) =>
      new Agent({
        ...{ broker, store, prover, types, logger, counts },
        name: `agent${i}`,
        pollIntervalMs: values.agents.pollIntervalMs,
      }),
  );
  for (const agent of agents) agent.start();
  return agents;
}
