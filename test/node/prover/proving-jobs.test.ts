import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { type ProvingJobs, startProvingJobs } from "../../../src/node/prover/proving-jobs.ts";
import { type HealthParts, nodeHealth } from "../../../src/node/services/node-health.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { HEALTHY } from "../../../src/telemetry/health.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";
import { type HttpFake, httpFake } from "../../world/l1/http-fake.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

async function startWith(environment: Record<string, string>) {
  const { values } = configure({
    flags: new Map(),
    environment: { PROVER_AGENT_COUNT: "0", PROVER_REAL_PROOFS: "false", ...environment },
  });
  const loggerFor = createLogging({ filter: values.logLevel, json: false, secrets: [], write: () => undefined });
  const metrics = new Metrics((error) => {
    throw error;
  });
  const jobs = await startProvingJobs(partValues(values), {
    ...{ generation: V4, threads: 1, lowPriority: false, loggerFor, metrics },
  });
  onTestFinished(() => jobs.stop());
  return { jobs, metrics: () => prometheusText(metrics.collect()) };
}

/** The broker among the components that /status of a node shows. */
function componentOf({ brokerHealth }: ProvingJobs) {
  const ok = { health: { name: "other", read: () => HEALTHY } };
  const context = {
    chain: { state: { processed: () => undefined }, latestBlockNumber: () => 0, latestCheckpointNumber: () => 0 },
    world: { status: () => ({ tip: 0 }) },
    reader: { identity: { l1ChainId: 31337 } },
    synchronizer: { health: { probes: () => [], lagBlocks: () => 0 } },
  };
  const values = { l1: { maxDriftSeconds: 0 } };
  const parts = { values, mempool: ok, p2p: undefined, snapshots: ok, prover: { node: ok, brokerHealth } };
  const health = nodeHealth(context as never, parts as unknown as HealthParts);
  onTestFinished(() => health.close());
  return health.report().components.find(({ name }) => name === "prover-broker");
}

test("a prover node shows at its start that the broker at PROVER_BROKER_HOST refuses its API key", async () => {
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
  expect(componentOf(jobs)).toMatchObject({ state: "failed", reason: expect.stringContaining("status 401") });
  expect(broker.seen[0].headers["x-api-key"]).toBe("wrong");
});

test("a prover node with a broker in its own process has no broker to watch", async () => {
  const { jobs, metrics } = await startWith({});
  expect(jobs.brokerHealth).toBeUndefined();
  expect(componentOf(jobs)).toMatchObject({ state: "off" });
  expect(metrics()).not.toContain("svc_prover_node_broker_reachable");
});

/** A broker that answers calls as the methods say; `silence` for one that it holds. */
async function brokerThat(methods: Record<string, (params: unknown[]) => unknown>): Promise<HttpFake> {
  const broker = await httpFake(({ body }) => {
    const [{ id, method, params }] = JSON.parse(body) as { id: number; method: string; params: unknown[] }[];
    const result = methods[method.replace("proverBroker_", "")]?.(params);
    return result === SILENCE ? "silence" : { json: [{ id, result }] };
  });
  onTestFinished(() => broker.close());
  return broker;
}
const SILENCE = Symbol("no answer");
const callsOf = (broker: HttpFake, method: string) =>
  broker.seen.filter(({ body }) => body.includes(`"proverBroker_${method}"`));

const [job] = recordedJobs().binary;
const never = new AbortController().signal;
const requestOf = (epoch: number) => ({ epoch, type: job.type, input: () => job.input });
const notFound = () => ({ status: "not-found" });

test("PROVER_FAILED_PROOF_STORE: the input of a job that agents reject is kept there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-failed-proofs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const broker = await brokerThat({
    enqueueProvingJob: notFound,
    getProvingJobStatus: ([id]) => (id === job.id ? { status: "rejected", reason: "cannot be proven" } : notFound()),
    getCompletedJobs: () => [job.id],
  });
  const { jobs } = await startWith({ PROVER_BROKER_HOST: broker.url, PROVER_FAILED_PROOF_STORE: `file://${folder}` });
  await expect(jobs.producer.run(requestOf(job.epoch), never)).rejects.toThrow("cannot be proven");
  const kept = join(folder, "inputs", job.name, job.id);
  expect(existsSync(kept)).toBe(true);
  expect(Buffer.compare(readFileSync(kept), job.input)).toBe(0);
});

test("PROVER_ENQUEUE_CONCURRENCY: no more jobs are encoded and enqueued at once", async () => {
  const broker = await brokerThat({
    enqueueProvingJob: () => SILENCE,
    getProvingJobStatus: notFound,
    getCompletedJobs: () => [],
  });
  const { jobs } = await startWith({ PROVER_BROKER_HOST: broker.url, PROVER_ENQUEUE_CONCURRENCY: "2" });
  let encoded = 0;
  const input = () => {
    encoded++;
    return job.input;
  };
  const runs = [1, 2, 3, 4, 5].map((epoch) => jobs.producer.run({ ...requestOf(epoch), input }, never));
  for (const run of runs) run.catch(() => {});
  await expect.poll(() => callsOf(broker, "enqueueProvingJob").length).toBe(2);
  expect(encoded).toBe(2);
});

test.each([
  ["true", [job.id]],
  ["false", []],
])("PROVER_CANCEL_JOBS_ON_STOP=%s: a stop cancels the jobs %j", async (option, cancelled) => {
  const broker = await brokerThat({
    enqueueProvingJob: notFound,
    getProvingJobStatus: notFound,
    getCompletedJobs: () => [],
  });
  const { jobs } = await startWith({ PROVER_BROKER_HOST: broker.url, PROVER_CANCEL_JOBS_ON_STOP: option });
  const run = jobs.producer.run(requestOf(job.epoch), never);
  await expect.poll(() => callsOf(broker, "enqueueProvingJob").length).toBe(1);
  await Promise.all([expect(run).rejects.toThrow("was given up"), jobs.stop()]);
  const ids = callsOf(broker, "cancelProvingJob").map(({ body }) => JSON.parse(body)[0].params[0]);
  expect(ids).toEqual(cancelled);
});
