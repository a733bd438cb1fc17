import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { type RunningBroker, startBroker } from "../../../src/node/broker/start-broker.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Agent } from "../../../src/prover/agent/agent.ts";
import { BrokerConnection } from "../../../src/prover/broker-client/broker-connection.ts";
import { RemoteConsumer } from "../../../src/prover/broker-client/remote-consumer.ts";
import { jobIdOf } from "../../../src/prover/jobs/job-id.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { InlineStore } from "../../../src/prover/proof-store/inline-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { BrokerClient, parityOutput } from "../support/broker-client.ts";

let folder: string;
let running: RunningBroker | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-broker-"));
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(
  environment: Record<string, string> = {},
  headers: Record<string, string> = {},
  metrics?: Metrics,
) {
  await running?.stop();
  const { values } = configure({
    flags: new Map([["--port", "0"]]),
    environment: { SVC_RPC_HOST: "127.0.0.1", ...environment },
  });
  const loggerFor = createLogging({ filter: values.logLevel, json: false, secrets: [], write: () => undefined });
  running = await startBroker(partValues(values), { dataDirectory: folder, loggerFor, metrics });
  return new BrokerClient(running.port, headers);
}

const PARITY = parityOutput("PARITY_BASE");
const input = (bytes: number): string => `data:application/json;charset=utf-8,${"A".repeat(bytes)}`;

test("an agent's call waits for a job, unless its request has other calls", async () => {
  const client = await start();
  const waiting = client.next();
  await client.enqueue("a", "file:///a");
  expect((await waiting)?.job).toEqual({ id: "a", type: 16, epochNumber: 1, inputsUri: "file:///a" });
  const alone = client.next().then(() => "alone");
  const batch = client.batch(["getProvingJob", {}], ["getCompletedJobs", []]);
  expect(await Promise.race([alone, batch])).toEqual([undefined, []]);
  await alone;
});

test("a prover node's call waits for a job to be settled", async () => {
  const client = await start();
  await client.enqueue("a", "file:///a");
  await client.next();
  const completed = client.call("getCompletedJobs", []);
  await client.succeed("a", PARITY);
  expect(await completed).toEqual(["a"]);
  expect(await client.status("a")).toEqual({ status: "fulfilled", value: PARITY });
});

test("inline inputs of checkpoint roots fit in a body, compressed or not, and 17 MiB do not", async () => {
  const client = await start();
  const job = (id: string, bytes: number) => ({ id, type: 12, epochNumber: 1, inputsUri: input(bytes) });
  for (const gzip of [false, true]) {
    const answer = await client.post([["enqueueProvingJob", job(`a${gzip}`, 1_130_000)]], { gzip });
    expect(await answer.json()).toMatchObject([{ result: { status: "not-found" } }]);
    const refused = await client.post([["enqueueProvingJob", job(`b${gzip}`, 17 * 2 ** 20)]], { gzip });
    expect([refused.status, await refused.json()]).toMatchObject([
      413,
      { error: { message: "request entity too large" } },
    ]);
  }
  const [{ job: first } = { job: undefined }] = [await client.next()];
  expect(first?.inputsUri.length).toBe(input(1_130_000).length);
});

test("with an API key calls without it are refused, and without one those of web pages", async () => {
  const without = await start({ SVC_PROVER_BROKER_API_KEY: "of the broker" });
  expect((await without.post([["getProvingJob"]])).status).toBe(401);
  const port = running?.port ?? 0;
  const key = new BrokerClient(port, { "x-api-key": "of the broker" });
  expect(await key.call("getCompletedJobs", ["a"])).toEqual([]);
  expect((await new BrokerClient(port, { "x-api-key": "another" }).post([["getCompletedJobs", []]])).status).toBe(401);
  expect((await fetch(`http://127.0.0.1:${port}/status`)).status).toBe(200);

  const page = await start({}, { origin: "http://example.com" });
  expect((await page.post([["getCompletedJobs", []]])).status).toBe(403);
});

test("a job can be replayed only where that is enabled", async () => {
  const replay = ["replayProvingJob", "a", 16, 1, "file:///other"] as const;
  let client = await start();
  await client.enqueue("a", "file:///a");
  expect(await client.call(...replay)).toBe("Method not found: proverBroker_replayProvingJob");
  client = await start({ PROVER_BROKER_DEBUG_REPLAY_ENABLED: "true" });
  await client.next();
  await client.succeed("a", PARITY);
  expect(await client.call(...replay)).toEqual({ status: "in-queue" });
  expect((await client.next())?.job.inputsUri).toBe("file:///other");
});

describe("bad parameters are refused with field and rule:", () => {
  test.each([
    ["a type that does not exist", { type: 18 }, "Invalid enum value"],
    ["a type as text", { type: "1" }, "Invalid enum value"],
    ["a negative epoch", { epochNumber: -1 }, "Number must be greater than or equal to 0 (0.epochNumber)"],
    ["an epoch with a fraction", { epochNumber: 1.5 }, "Expected integer, received float (0.epochNumber)"],
    ["an id that is no text", { id: 5 }, "Expected string, received number (0.id)"],
    ["an empty id", { id: "" }, "(0.id)"],
    ["an id that is too long", { id: "a".repeat(513) }, "String must contain at most 512 character(s) (0.id)"],
    ["no URI", { inputsUri: undefined }, "Required (0.inputsUri)"],
  ])("%s", async (_, change, message) => {
    const client = await start();
    const job = { id: "a", type: 16, epochNumber: 1, inputsUri: "file:///a", ...change };
    expect(await client.call("enqueueProvingJob", job)).toContain(message);
    expect(await client.status("a")).toEqual({ status: "not-found" });
  });
});

test("garbage, outputs of other jobs and missing outputs cost an attempt, and the good output settles the job", async () => {
  const client = await start();
  const ids = [1, 2].map((n) => `1:PARITY_BASE:${String(n).repeat(64)}`);
  await client.enqueue(ids[0], "file:///in");
  for (const [output, fault] of [
    ["", "it is no URI of an inline or stored output"],
    [parityOutput("PARITY_ROOT"), "output.type: must be PARITY_BASE, got PARITY_ROOT"],
  ]) {
    await client.next();
    await client.succeed(ids[0], output);
    expect(await client.status(ids[0]), fault).toEqual({ status: "in-queue" });
  }
  // The third failed attempt would settle it, and the agents at this address pause after the second.
  expect(await client.next()).toBeUndefined();
  await expect.poll(() => client.next()).toMatchObject({ job: { id: ids[0] } });
  expect(await client.succeed(ids[0], PARITY)).toBeUndefined();
  expect(await client.succeed(ids[0], parityOutput("PARITY_BASE", "other"))).toBeUndefined();
  expect(await client.status(ids[0])).toEqual({ status: "fulfilled", value: PARITY });
  const stored = `s3://bucket/x/inputs/PARITY_BASE/${ids[1]}`;
  await client.enqueue(ids[1], stored, { type: 16 });
  for (const output of [
    `s3://bucket/x/outputs/PARITY_BASE/${ids[0]}.json`,
    `s3://other/x/outputs/PARITY_BASE/${ids[1]}.json`,
    `s3://bucket/x/outputs/PARITY_BASE/%2e%2e/PARITY_BASE/${ids[1]}.json`,
  ]) {
    await expect.poll(() => client.next()).toMatchObject({ job: { id: ids[1] } });
    await client.succeed(ids[1], output);
  }
  expect(await client.status(ids[1])).toEqual({
    status: "rejected",
    reason: "Invalid output: it is not the job's output in the proof store that has its input",
  });
  // Whoever proves the epoch once more gets the job done once more.
  expect(await client.enqueue(ids[1], stored)).toEqual({ status: "not-found" });
  await expect.poll(() => client.next()).toMatchObject({ job: { id: ids[1] } });
  await client.succeed(ids[1], `s3://bucket/x/outputs/PARITY_BASE/${ids[1]}.json`);
  expect(await client.status(ids[1])).toMatchObject({ status: "fulfilled" });
});

test("an agent of this program learns that its output is refused and why, and makes a good one", async () => {
  const client = await start();
  const input = new Uint8Array(8224);
  const id = jobIdOf(1, JOB_TYPES.PARITY_BASE, input);
  const store = new InlineStore();
  await client.enqueue(id, String(await store.saveInput(id, JOB_TYPES.PARITY_BASE, input)));
  const uris = [parityOutput("PARITY_ROOT"), PARITY];
  const lines: [message: string, reason: unknown][] = [];
  const note = (facts: object, message: string) => void lines.push([message, (facts as { reason?: unknown }).reason]);
  const agent = new Agent({
    ...{ name: "agent0", types: [], pollIntervalMs: 5 },
    broker: new RemoteConsumer(
      new BrokerConnection({
        contracts: V4.contracts,
        url: `http://127.0.0.1:${running?.port}`,
      }),
    ),
    store: {
      loadInput: (uri) => store.loadInput(uri),
      saveOutput: async () => uris.shift() as string,
    },
    prover: { prove: async () => new Uint8Array() },
    logger: { ...silentLogger, warn: note },
  });
  agent.start();
  try {
    await expect.poll(() => client.status(id)).toEqual({ status: "fulfilled", value: PARITY });
  } finally {
    await agent.stop();
  }
  const fault = "output.type: must be PARITY_BASE, got PARITY_ROOT";
  expect(lines).toEqual([["agent {agent}: the broker refuses the output of {job}: {reason}", fault]]);
});

/** A URI that the store cannot make much smaller. */
const incompressible = (length: number): string =>
  `file:///${randomBytes(length).toString("base64url").slice(0, length)}`;

test("a full store refuses jobs and outputs in one line, keeps what it has, and takes small ones", async () => {
  const client = await start({ PROVER_BROKER_STORE_MAP_SIZE_KB: "8192" });
  const taken: string[] = [];
  let refusal: unknown;
  for (let i = 0; i < 20 && refusal === undefined; i++) {
    const answer = await client.enqueue(`job ${i}`, incompressible(1_000_000));
    if (typeof answer === "string") refusal = answer;
    else taken.push(`job ${i}`);
  }
  expect(refusal).toBe("The broker failed: its log has the reason");
  expect(taken.length).toBeGreaterThan(3);
  const job = await client.next();
  expect(job?.job.id).toBe("job 0");
  await client.succeed("job 0", PARITY);
  for (const id of taken)
    expect(await client.status(id)).toMatchObject({ status: expect.stringMatching(/queue|progress|fulfilled/) });
});

test("a restarted broker has its jobs, outputs and failed attempts, and removes old epochs", async () => {
  const environment = { PROVER_BROKER_JOB_MAX_RETRIES: "2", PROVER_BROKER_POLL_INTERVAL_MS: "20" };
  let client = await start(environment);
  for (const id of ["a", "b", "c", "d"]) await client.enqueue(id, `file:///${id}`, { epochNumber: 5 });
  for (const id of ["a", "b", "c"]) expect((await client.next())?.job.id).toBe(id);
  await client.succeed("b", PARITY);
  await client.call("reportProvingJobError", "c", "died", true, { allowList: [0] });
  await client.call("cancelProvingJob", "d");

  client = await start(environment);
  const statuses = await Promise.all(["a", "b", "c", "d"].map((id) => client.status(id)));
  expect(statuses).toEqual([
    { status: "in-queue" },
    { status: "fulfilled", value: PARITY },
    { status: "in-queue" },
    { status: "rejected", reason: "Aborted" },
  ]);
  expect(await client.enqueue("e", "file:///e", { epochNumber: 3 })).toBe(
    "Epoch too old: job epoch 3, current epoch: 5",
  );
  // Whoever worked on it before the start may still say so.
  await client.call("reportProvingJobError", "c", "died again", true);
  expect(await client.status("c")).toEqual({ status: "rejected", reason: "died again" });

  await client.enqueue("f", "file:///f", { epochNumber: 7 });
  await expect.poll(() => existsSync(join(folder, "broker", "5"))).toBe(false);
  expect(await client.status("a")).toEqual({ status: "not-found" });
  expect((await client.next())?.job.id).toBe("f");
});

test("an epoch that cannot have begun is refused, and no job is forgotten for it", async () => {
  let client = await start();
  expect(await client.enqueue("far", "file:///far", { epochNumber: 2147483647 })).toBe(
    "Epoch too far ahead: job epoch 2147483647, current epoch: 0",
  );
  await client.enqueue("a", "file:///a", { epochNumber: 1500 });
  expect(await client.enqueue("far", "file:///far", { epochNumber: 2000 })).toBe(
    "Epoch too far ahead: job epoch 2000, current epoch: 1500",
  );
  expect(await client.status("a")).toEqual({ status: "in-queue" });
  client = await start();
  expect(await client.enqueue("far", "file:///far", { epochNumber: 2000 })).toMatch(/^Epoch too far ahead/);
  // A broker without jobs for a week, of which epochs of ten minutes have passed.
  const week = new Date(Date.now() - 7 * 86_400_000);
  await running?.stop();
  utimesSync(join(folder, "broker", "1500", "data.mdb"), week, week);
  running = undefined;
  client = await start();
  expect(await client.enqueue("later", "file:///later", { epochNumber: 2500 })).toEqual({ status: "not-found" });
});

test("only the agent that has a job settles it", async () => {
  const client = await start();
  // Another address of loopback.
  const other = new BrokerClient(running?.port ?? 0, {}, "127.0.0.2");
  await client.enqueue("a", "file:///a");
  await other.succeed("a", PARITY);
  const job = await client.next();
  expect(job?.job.id).toBe("a");
  await other.call("reportProvingJobError", "a", "no", false, { allowList: [0] });
  await other.call("reportProvingJobProgress", "a", 0, { allowList: [0] });
  await other.succeed("a", parityOutput("PARITY_BASE", "other"));
  expect(await client.status("a")).toEqual({ status: "in-progress" });
  expect(await client.call("reportProvingJobProgress", "a", job?.time, { allowList: [0] })).toBeUndefined();
  await client.succeed("a", PARITY);
  expect(await client.status("a")).toEqual({ status: "fulfilled", value: PARITY });
});

test("counts jobs by type, with those that wait and run", async () => {
  const metrics = new Metrics((error) => {
    throw error;
  });
  const client = await start({}, {}, metrics);
  const ids = [1, 2, 3, 4].map((n) => `1:PARITY_BASE:${String(n).repeat(64)}`);
  for (const id of [...ids, ids[0]]) await client.enqueue(id, "file:///in");
  const [first, second] = [await client.next(), await client.next()];
  await client.succeed(first?.job.id ?? "", parityOutput("PARITY_ROOT"));
  await client.succeed(second?.job.id ?? "", PARITY);
  await client.next();
  await client.call("cancelProvingJob", ids[3]);
  const of = "PARITY_BASE";
  const values = metrics
    .collect()
    .flatMap(({ row: { name }, series }) =>
      series
        .filter(({ labels }) => labels["aztec.proving.job_type"] === of)
        .map((each) => [
          name.replace(/^.*proving_queue\./, ""),
          "value" in each ? each.value : each.distribution.counts.reduce((sum, count) => sum + count, 0),
        ]),
    );
  expect(Object.fromEntries(values)).toEqual({
    ...{ enqueued_jobs_count: 4, cached_jobs_count: 1, size: 1, active_jobs_count: 1 },
    ...{ resolved_jobs_count: 1, rejected_jobs_count: 0, aborted_jobs_count: 1, retried_jobs_count: 1 },
    ...{ timed_out_jobs_count: 0, refused_outputs: 1, job_wait: 3, job_duration: 1 },
  });
});
