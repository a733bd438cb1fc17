import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Agent, type AgentParts } from "../../../src/prover/agent/agent.ts";
import { type Prover, ProvingError } from "../../../src/prover/agent/prover.ts";
import { inThisThread, SimulatedProver } from "../../../src/prover/agent/simulated-prover.ts";
import { inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import type { AssignedJob, JobConsumerApi, ProvingJob } from "../../../src/prover/jobs/proving-job.ts";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";
import { InlineStore } from "../../../src/prover/proof-store/inline-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

const { binary, vm } = recordedJobs();

type Report =
  | { kind: "success"; id: string; uri: string }
  | { kind: "error"; id: string; message: string; retry: boolean };

/** Hands out the given jobs and notes what is reported. */
class ScriptedBroker implements JobConsumerApi {
  readonly reports: Report[] = [];
  heartbeats = 0;
  /** Jobs to hand out instead of answering a heartbeat. */
  replacement: ProvingJob | undefined;
  readonly #jobs: ProvingJob[];
  readonly #settled: (() => void)[] = [];

  constructor(jobs: ProvingJob[]) {
    this.#jobs = [...jobs];
  }

  async getProvingJob(): Promise<AssignedJob | undefined> {
    return assigned(this.#jobs.shift());
  }

  async reportProvingJobProgress(): Promise<AssignedJob | undefined> {
    this.heartbeats++;
    const { replacement } = this;
    this.replacement = undefined;
    return assigned(replacement);
  }

  async reportProvingJobSuccess(id: string, uri: string): Promise<AssignedJob | undefined> {
    return this.#note({ kind: "success", id, uri });
  }

  async reportProvingJobError(id: string, message: string, retry: boolean): Promise<AssignedJob | undefined> {
    return this.#note({ kind: "error", id, message, retry });
  }

  /** Resolves with the next report. */
  reported(): Promise<void> {
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  unshift(job: ProvingJob): void {
    this.#jobs.unshift(job);
  }

  #note(report: Report): AssignedJob | undefined {
    this.reports.push(report);
    for (const settle of this.#settled.splice(0)) settle();
    return assigned(this.#jobs.shift());
  }
}

function assigned(job: ProvingJob | undefined): AssignedJob | undefined {
  return job && { job, time: 1 };
}

const agents: Agent[] = [];
afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.stop())));

function agentOf(broker: JobConsumerApi, parts: Partial<AgentParts> = {}): Agent {
  const agent = new Agent({
    name: "agent0",
    broker,
    store: new InlineStore(),
    prover: new SimulatedProver(inThisThread({ core: loadCore(), generation: V4 }), { kind: "fixed", ms: 0 }),
    types: [],
    pollIntervalMs: 5,
    logger: silentLogger,
    ...parts,
  });
  agents.push(agent);
  return agent;
}

/** Runs an agent until it has reported `count` jobs. */
async function reportsOf(broker: ScriptedBroker, count: number, parts: Partial<AgentParts> = {}): Promise<Report[]> {
  const agent = agentOf(broker, parts);
  agent.start();
  while (broker.reports.length < count) await broker.reported();
  await agent.stop();
  return broker.reports;
}

const inlineInput = (type: number, inputs: unknown): string => inlineUriOf(JSON.stringify({ type, inputs }));
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const recorded = binary.filter(({ name }) => name === "TX_MERGE_ROLLUP" || name === "PARITY_ROOT");
const jobs: ProvingJob[] = recorded.map(({ id, epoch, type, input }) => ({
  id,
  type,
  epochNumber: epoch,
  inputsUri: inlineInput(type, base64(input)),
}));
const [job] = jobs;

test("a proving agent reports the recorded output of each job", async () => {
  const [{ id, type, epoch, input, output }] = vm;
  const vmJob = {
    id,
    type,
    epochNumber: epoch,
    inputsUri: inlineInput(type, JSON.parse(Buffer.from(input).toString())),
  };
  const reports = await reportsOf(new ScriptedBroker([...jobs, vmJob]), jobs.length + 1);
  expect(reports).toEqual([
    ...recorded.map(({ id, type, output }) => ({ kind: "success", id, uri: inlineUriOf(outputJson(type, output)) })),
    { kind: "success", id, uri: inlineUriOf(outputJson(type, output)) },
  ]);
});

test("a proving agent asks for the next job right after the last one, whatever the poll interval", async () => {
  const broker = new ScriptedBroker(jobs);
  broker.reportProvingJobSuccess = async (id, uri) => {
    const next = await ScriptedBroker.prototype.reportProvingJobSuccess.call(broker, id, uri);
    // Back to the front of the queue: a report is answered without a job.
    if (next !== undefined) broker.unshift(next.job);
    return undefined;
  };
  const reports = await reportsOf(broker, jobs.length, { pollIntervalMs: 3_600_000 });
  expect(reports.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id));
});

test.each([
  ["is not a data URI", "data:text/plain,abc", "inputsUri: must begin with data:application/json;charset=utf-8,"],
  ["is not percent-encoded", "data:application/json;charset=utf-8,%zz", "inputsUri: must be percent-encoded"],
  ["is not JSON", inlineUriOf("{"), "inputsUri: must be JSON (1 characters)"],
  ["has no known type", inlineInput(18, ""), "inputsUri.type: must be the number of a job type"],
  ["is not base64", inlineInput(job.type, "?"), "inputsUri.inputs: must be base64 text"],
  ["is of PUBLIC_VM and no object", inlineInput(0, "AAAA"), "inputsUri.inputs: must be an object"],
])("a proving agent reports for good that an input %s", async (_, inputsUri, reason) => {
  const reports = await reportsOf(new ScriptedBroker([{ ...job, inputsUri }]), 1);
  const message = `Failed to load proof inputs: ${reason}`;
  expect(reports).toEqual([{ kind: "error", id: job.id, message, retry: false }]);
});

test.each([
  ["of another type", { ...job, type: JOB_TYPES.ROOT_ROLLUP }, "input.type: must be ROOT_ROLLUP, got"],
  ["of another job", { ...job, id: jobs[1].id, type: job.type }, "input: must have the hash in the job's id"],
  [
    "that is too short",
    { ...job, id: "unhashed", inputsUri: inlineInput(job.type, base64(recorded[0].input.subarray(1))) },
    "input.children",
  ],
])("a proving agent reports for good an input %s", async (_, wrong, reason) => {
  const [report] = await reportsOf(new ScriptedBroker([wrong]), 1);
  expect(report).toMatchObject({
    kind: "error",
    id: wrong.id,
    message: expect.stringContaining(reason),
    retry: false,
  });
});

test("a proving agent passes on whether a failed prover may be tried again", async () => {
  const failing = (retry: boolean): Prover => ({
    prove: () => Promise.reject(new ProvingError("the prover was killed", retry)),
  });
  for (const retry of [true, false]) {
    const [report] = await reportsOf(new ScriptedBroker([job]), 1, { prover: failing(retry) });
    expect(report).toEqual({ kind: "error", id: job.id, message: "the prover was killed", retry });
  }
});

test("a proving agent sends heartbeats and drops its job for one that the broker answers with", async () => {
  const broker = new ScriptedBroker([job]);
  [, broker.replacement] = jobs;
  const seen: string[] = [];
  const prover: Prover = {
    prove: async ({ type }, signal) => {
      seen.push(String(type));
      if (seen.length === 1) await sleep(60_000, undefined, { signal });
      return new Uint8Array(1);
    },
  };
  const reports = await reportsOf(broker, 1, { prover });
  expect(reports.map(({ id }) => id)).toEqual([jobs[1].id]);
  expect(seen).toHaveLength(2);
});

test("a proving agent goes on after a broker that was away, and reports what it could not report", async () => {
  const broker = new ScriptedBroker([job]);
  let failures = 3;
  const flaky = new Proxy(broker, {
    get(target, name: keyof ScriptedBroker) {
      if (name === "getProvingJob" && failures-- > 0) return () => Promise.reject(new Error("unreachable"));
      if (name === "reportProvingJobSuccess") return () => Promise.reject(new Error("too large"));
      const value = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const agent = agentOf(flaky);
  agent.start();
  await broker.reported();
  expect(broker.reports).toEqual([
    { kind: "error", id: job.id, message: "The output could not be reported: too large", retry: true },
  ]);
  await agent.stop();
});

test("a proving agent tells what it does, and drops a job when it is stopped", async () => {
  const broker = new ScriptedBroker([job]);
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const prover: Prover = {
    prove: async (_, signal) => {
      begun();
      await sleep(60_000, undefined, { signal });
      return new Uint8Array(1);
    },
  };
  const agent = agentOf(broker, { prover });
  expect(agent.status).toEqual({ status: "stopped" });
  agent.start();
  await started;
  expect(agent.status).toMatchObject({ status: "proving", job: { id: job.id } });
  await agent.stop();
  expect(agent.status).toEqual({ status: "stopped" });
  expect(broker.reports).toEqual([]);
});
