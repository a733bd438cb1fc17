import { expect, it, onTestFinished } from "vitest";
import { configure } from "../../src/config/configuration.ts";
import { createLogging } from "../../src/node/logging.ts";
import { startProvingJobs } from "../../src/node/prover/proving-jobs.ts";
import { Metrics } from "../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../src/telemetry/metrics/prometheus-text.ts";
import { httpFake } from "../l1/http-fake.ts";

async function startWith(environment: Record<string, string>) {
  const { values } = configure({
    flags: new Map(),
    environment: { PROVER_AGENT_COUNT: "0", PROVER_REAL_PROOFS: "false", ...environment },
  });
  const loggerFor = createLogging({ filter: values.logLevel, json: false, secrets: [], write: () => undefined });
  const metrics = new Metrics((error) => {
    throw error;
  });
  const jobs = await startProvingJobs(values, { threads: 1, lowPriority: false, loggerFor, metrics });
  onTestFinished(() => jobs.stop());
  return { jobs, metrics: () => prometheusText(metrics.collect()) };
}

it("a prover node shows at its start that the broker at PROVER_BROKER_HOST refuses its API key", async () => {
  const broker = await httpFake(() => ({ raw: "", status: 401 }));
  onTestFinished(() => broker.close());
  const { jobs, metrics } = await startWith({
    PROVER_BROKER_HOST: broker.url,
    SVC_PROVER_BROKER_API_KEY: "wrong",
  });
  await expect
    .poll(() => jobs.brokerHealth?.read(), { timeout: 60_000 })
    .toEqual({
      state: "failed",
      reason: "the proving broker cannot be used: the broker answered with HTTP status 401",
    });
  expect(metrics()).toMatch(/^svc_prover_node_broker_reachable 0$/m);
  expect(broker.seen[0].headers["x-api-key"]).toBe("wrong");
});

it("a prover node with a broker in its own process has no broker to watch", async () => {
  const { jobs, metrics } = await startWith({});
  expect(jobs.brokerHealth).toBeUndefined();
  expect(metrics()).not.toContain("svc_prover_node_broker_reachable");
});
