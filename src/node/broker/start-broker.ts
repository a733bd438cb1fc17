import { join } from "node:path";
import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
import { DEFAULT_GENERATION } from "../../protocol/generations/known/choose.ts";
import { BrokerRequestError } from "../../prover/broker/errors.ts";
import { JobStore } from "../../prover/broker/job-store.ts";
import { brokerCounts, observeBroker } from "../../prover/broker/metrics.ts";
import { outputFault } from "../../prover/broker/output-fault.ts";
import { ProvingBroker } from "../../prover/broker/proving-broker.ts";
import { ApiKeyGate, apiKeyHash } from "../../rpc/admin/api-key-gate.ts";
import { OriginGate } from "../../rpc/admin/origin-gate.ts";
import { provingBrokerRegistry } from "../../rpc/methods/proving/proving-broker.ts";
import { BodyBudget } from "../../rpc/routes/body-budget.ts";
import { HealthRoute } from "../../rpc/routes/health-route.ts";
import { releaseHeaders } from "../../rpc/routes/version-headers.ts";
import { startRpcServer } from "../../rpc/server/rpc-server.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";

/**
 * Least size of a request body. The reference's clients put up to 10 MiB into one request, and a single job with its
 * input may have more than the port's usual limit (docs/protocol/13-proving.md#132-json-rpc).
 */
const MIN_BODY_BYTES = 16 * 1024 * 1024;
/** Bytes of request bodies that are under way at one time. */
const BODIES_BYTES = 512 * 1024 * 1024;
/** Clients of the reference poll once per second; a call that waits for longer would be one that they miss. */
const LONG_POLL_MS = 1000;

export interface RunningBroker extends RunningService {
  /** Of JSON-RPC. */
  readonly port: number;
}

/** Starts a proving broker and its JSON-RPC port. `dataDirectory` is a folder. Rejects with an OperatorError. */
export async function startBroker(
  values: PartValues,
  { dataDirectory, loggerFor, metrics }: { dataDirectory: string; loggerFor: LoggerFor; metrics?: Metrics },
): Promise<RunningBroker> {
  const log = loggerFor("prover:broker");
  const teardown = new Teardown(log);
  try {
    const store = new JobStore({
      path: join(dataDirectory, "broker"),
      ...values.broker.store,
    });
    teardown.add("store", () => store.close());
    const broker = new ProvingBroker(
      store,
      {
        ...values.broker.jobs,
        longPollMs: LONG_POLL_MS,
        outputFault: (...of) => outputFault(DEFAULT_GENERATION, ...of),
        counts: metrics && brokerCounts(metrics),
      },
      log,
    );
    broker.start();
    teardown.add("broker", () => broker.stop());
    if (metrics !== undefined) teardown.add("metrics of the broker", observeBroker(metrics, broker));
    const key = reveal(values.broker.apiKey);
    if (key === undefined) {
      log.warn({}, "no API key is set: anyone who can reach the port can enqueue and settle jobs");
    }
    const listener = await startRpcServer(
      provingBrokerRegistry(broker, { replay: values.broker.replay }),
      {
        listen: { host: values.rpc.listen.host, port: values.rpc.listen.port, prefix: values.rpc.listen.prefix },
        serve: {
          namespaces: ["proverBroker"],
          versionHeaders: releaseHeaders(DEFAULT_GENERATION),
          cors: false,
          expectedErrors: [BrokerRequestError],
          guard: (application) => {
            const bounded = new BodyBudget(application, BODIES_BYTES);
            return new HealthRoute(
              key === undefined ? new OriginGate(bounded) : new ApiKeyGate(bounded, apiKeyHash(key)),
            );
          },
        },
        limits: {
          maxBodyBytes: Math.max(values.rpc.limits.maxBodyBytes, MIN_BODY_BYTES),
          maxBatchSize: values.rpc.limits.maxBatchSize,
          maxConnections: values.rpc.limits.maxConnections,
          maxConnectionsPerClient: values.rpc.limits.maxConnectionsPerClient,
          rateLimit: values.rpc.limits.rateLimit,
        },
      },
      loggerFor("rpc"),
    );
    teardown.add("rpc", () => listener.close());
    teardown.add("waiting calls", () => broker.release());
    log.info({ host: values.rpc.listen.host, port: listener.port }, "answering JSON-RPC on {host}:{port}");
    return { port: listener.port, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}
