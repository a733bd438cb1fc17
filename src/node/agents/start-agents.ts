import { availableParallelism } from "node:os";
import { reveal } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import { loadCore } from "../../core/load-core.ts";
import { redactUrl } from "../../http/redact.ts";
import type { LoggerFor, NodeLogger } from "../../process/logging/logging.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
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
import { type ObjectStoreSettings, objectStoreAccess } from "../settings/object-access.ts";
import { type AgentProvingSettings, delayOf, typesOf } from "./agent-settings.ts";
import { type RealProofSettings, startRealProver } from "./real-proofs.ts";

export type AgentSettings = ObjectStoreSettings &
  AgentProvingSettings &
  RealProofSettings &
  Pick<
    Values,
    | "proverAgentPollIntervalMs"
    | "realProofs"
    | "proofStore"
    | "proverBrokerApiKey"
    | "port"
    | "apiPrefix"
    | "rpcHost"
    | "rpcMaxBodySize"
    | "rpcMaxBatchSize"
    | "rpcMaxConnections"
    | "rpcMaxConnectionsPerClient"
    | "rpcRateLimit"
  > & { readonly proverBrokerUrl: string };

export interface RunningAgents extends RunningService {
  /** Of JSON-RPC. */
  readonly port: number;
}

/**
 * Starts agents that share a connection, a proof store and the core, and their JSON-RPC port. Rejects with an
 * OperatorError.
 */
export async function startAgents(
  values: AgentSettings,
  loggerFor: LoggerFor,
  metrics?: Metrics,
): Promise<RunningAgents> {
  const log = loggerFor("prover:agent");
  const { proverBrokerUrl: url, proverAgentCount: count } = values;
  const store = proofStoreOf(values);
  const teardown = new Teardown(log);
  const { prover, types } = await proverOf(values, log, teardown);
  const interruption = new AbortController();
  const broker = new RemoteConsumer(
    new BrokerConnection({ url, apiKey: reveal(values.proverBrokerApiKey), signal: interruption.signal }),
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
        pollIntervalMs: values.proverAgentPollIntervalMs,
        logger: log,
        counts: metrics && agentCounts(metrics),
      }),
  );
  if (metrics !== undefined) teardown.add("metrics of agents", observeAgents(metrics, agents));
  const listener = await startRpcServer(
    provingAgentsRegistry(agents),
    {
      listen: { host: values.rpcHost, port: values.port, prefix: values.apiPrefix },
      serve: {
        namespaces: agentNamespaces(count),
        guard: (application) => new HealthRoute(application),
      },
      limits: {
        maxBodyBytes: values.rpcMaxBodySize,
        maxBatchSize: values.rpcMaxBatchSize,
        maxConnections: values.rpcMaxConnections,
        maxConnectionsPerClient: values.rpcMaxConnectionsPerClient,
        rateLimit: values.rpcRateLimit,
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
      proofs: values.realProofs ? "real" : "simulated",
    },
    "{count} agents with {proofs} proofs take jobs of {types} types from the broker at {broker}",
  );
  log.info({ host: values.rpcHost, port: listener.port }, "answering JSON-RPC on {host}:{port}");
  return { port: listener.port, stop: () => teardown.run() };
}

async function proverOf(
  values: AgentSettings,
  log: NodeLogger,
  teardown: Teardown,
): Promise<{ prover: Prover; types: JobType[] }> {
  const wanted = typesOf(values.proverAgentProofTypes ?? [], log);
  if (values.realProofs) return startRealProver(values, wanted, { log, teardown });
  const simulate = simulationFor(values.proverAgentCount, teardown);
  return { prover: new SimulatedProver(simulate, delayOf(values)), types: wanted };
}

/** One agent needs no thread of its own, and less memory without. */
function simulationFor(agents: number, teardown: Teardown): Simulate {
  const threads = Math.min(agents, availableParallelism());
  if (threads < 2) return inThisThread(loadCore());
  const pool = new SimulationPool({ threads });
  teardown.add("threads", () => pool.close());
  return pool.simulate;
}

function proofStoreOf({ proofStore, ...access }: AgentSettings): AgentProofStore {
  if (proofStore === undefined) return new InlineStore();
  return new ObjectProofStore(proofStore, openObjectStore(proofStore, objectStoreAccess(access)));
}
