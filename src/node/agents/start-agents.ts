import { availableParallelism } from "node:os";
import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import { redactUrl } from "../../http/redact.ts";
import type { LoggerFor, NodeLogger } from "../../process/logging/logging.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
import { DEFAULT_GENERATION } from "../../protocol/generations/known/choose.ts";
import { Agent } from "../../prover/agent/agent.ts";
import { agentCounts, observeAgents } from "../../prover/agent/metrics.ts";
import type { Prover } from "../../prover/agent/prover.ts";
import { inThisThread, type Simulate, SimulatedProver } from "../../prover/agent/simulated-prover.ts";
import { SimulationPool } from "../../prover/agent/simulation-pool.ts";
import { BrokerConnection } from "../../prover/broker-client/broker-connection.ts";
import { RemoteConsumer } from "../../prover/broker-client/remote-consumer.ts";
import type { JobType } from "../../prover/jobs/job-type.ts";
import { InlineStore } from "../../prover/proof-store/inline-store.ts";
import { ObjectProofStore } from "../../prover/proof-store/object-proof-store.ts";
import type { AgentProofStore } from "../../prover/proof-store/proof-store.ts";
import { agentNamespaces, provingAgentsRegistry } from "../../rpc/methods/proving/proving-agents.ts";
import { HealthRoute } from "../../rpc/routes/health-route.ts";
import { startRpcServer } from "../../rpc/server/rpc-server.ts";
import { openObjectStore } from "../../storage/objects/open-store.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { delayOf, typesOf } from "../prover/agent-settings.ts";
import { startRealProver } from "../prover/real-proofs.ts";
import { objectStoreAccess } from "../settings/object-access.ts";

interface RunningAgents extends RunningService {
  /** Of JSON-RPC. */
  readonly port: number;
}

/**
 * Starts agents of the broker at `url` that share a connection, a proof store and the core, and their JSON-RPC port.
 * Rejects with an OperatorError.
 */
export async function startAgents(
  url: string,
  values: PartValues,
  loggerFor: LoggerFor,
  metrics?: Metrics,
): Promise<RunningAgents> {
  const log = loggerFor("prover:agent");
  const { count } = values.agents;
  const store = proofStoreOf(values);
  const teardown = new Teardown(log);
  const { prover, types } = await proverOf(values, log, teardown);
  const interruption = new AbortController();
  const broker = new RemoteConsumer(
    new BrokerConnection({
      url,
      contracts: DEFAULT_GENERATION.contracts,
      apiKey: reveal(values.broker.apiKey),
      signal: interruption.signal,
    }),
  );
  const agents = Array.from(
    { length: count },
    (_, i) =>
      new Agent({
        name: `agent${i}`,
        broker,
        store,
        prover,
        types,
        pollIntervalMs: values.agents.pollIntervalMs,
        logger: log,
        counts: metrics && agentCounts(metrics),
      }),
  );
  if (metrics !== undefined) teardown.add("metrics of agents", observeAgents(metrics, agents));
  const listener = await startRpcServer(
    provingAgentsRegistry(agents),
    {
      listen: { host: values.rpc.listen.host, port: values.rpc.listen.port, prefix: values.rpc.listen.prefix },
      serve: {
        namespaces: agentNamespaces(count),
        guard: (application) => new HealthRoute(application),
      },
      limits: {
        maxBodyBytes: values.rpc.limits.maxBodyBytes,
        maxBatchSize: values.rpc.limits.maxBatchSize,
        maxConnections: values.rpc.limits.maxConnections,
        maxConnectionsPerClient: values.rpc.limits.maxConnectionsPerClient,
        rateLimit: values.rpc.limits.rateLimit,
      },
    },
    loggerFor("rpc"),
  );
  teardown.add("rpc", () => listener.close());
  for (const agent of agents) agent.start();
  teardown.add("agents", async () => {
    const stopped = agents.map((agent) => agent.stop());
    interruption.abort();
    await Promise.all(stopped);
  });
  log.info(
    {
      ...{ count, broker: redactUrl(url), types: types.length === 0 ? "all" : types.length },
      proofs: values.proofs.real ? "real" : "simulated",
    },
    "{count} agents with {proofs} proofs take jobs of {types} types from the broker at {broker}",
  );
  log.info({ host: values.rpc.listen.host, port: listener.port }, "answering JSON-RPC on {host}:{port}");
  return { port: listener.port, stop: () => teardown.run() };
}

async function proverOf(
  values: PartValues,
  log: NodeLogger,
  teardown: Teardown,
): Promise<{ prover: Prover; types: JobType[] }> {
  const wanted = typesOf(values.agents.proofTypes ?? [], log);
  if (values.proofs.real) return startRealProver(values, wanted, { generation: DEFAULT_GENERATION, log, teardown });
  const simulate = simulationFor(values.agents.count, teardown);
  return { prover: new SimulatedProver(simulate, delayOf(values.agents.delay)), types: wanted };
}

/** One agent needs no thread of its own, and less memory without. */
function simulationFor(agents: number, teardown: Teardown): Simulate {
  const threads = Math.min(agents, availableParallelism());
  if (threads < 2) return inThisThread({ core: loadCore(), generation: DEFAULT_GENERATION });
  const pool = new SimulationPool(DEFAULT_GENERATION, { threads });
  teardown.add("threads", () => pool.close());
  return pool.simulate;
}

function proofStoreOf({ prover: { proofStore }, objectStores }: PartValues): AgentProofStore {
  if (proofStore === undefined) return new InlineStore();
  return new ObjectProofStore(proofStore, openObjectStore(proofStore, objectStoreAccess(objectStores)));
}
