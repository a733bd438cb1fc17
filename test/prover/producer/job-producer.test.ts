import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { BrokerOutages } from "../../../src/prover/broker-client/broker-outages.ts";
import { BrokerRefusalError, BrokerUnavailableError } from "../../../src/prover/broker-client/errors.ts";
import type { JobRequest } from "../../../src/prover/epoch/job-runner.ts";
import { inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import type { OutputBytes } from "../../../src/prover/jobs/job-output.ts";
import type { JobResult } from "../../../src/prover/jobs/job-result.ts";
import type { ProvingJobStatus } from "../../../src/prover/jobs/proving-job.ts";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";
import { JobProducer, type JobProducerParts } from "../../../src/prover/producer/job-producer.ts";
import { InlineStore } from "../../../src/prover/proof-store/inline-store.ts";
import { ObjectProofStore } from "../../../src/prover/proof-store/object-proof-store.ts";
import type { ProducerProofStore } from "../../../src/prover/proof-store/proof-store.ts";
import { openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type BinaryRecordedJob, recordedJobs } from "../../world/prover/recorded-jobs.ts";
import { ScriptedBroker } from "../support/scripted-broker.ts";

/** Unlike `expect.poll`, `vi.waitFor` lets fake timers pass. */
const WAIT = { timeout: 60_000 };

const recorded = recordedJobs().binary.filter(({ name }) => name === "PARITY_ROOT" || name === "TX_MERGE_ROLLUP");
const [job] = recorded;
const other = recorded.find(({ name }) => name !== job.name)!;
const never = new AbortController().signal;

const fulfilled = (value: string): ProvingJobStatus => ({ status: "fulfilled", value });
const outputOf = ({ type, output }: BinaryRecordedJob): ProvingJobStatus =>
  fulfilled(inlineUriOf(outputJson(type, output)));
const request = ({ epoch, type, input }: BinaryRecordedJob): JobRequest => ({ epoch, type, input: () => input });

let broker: ScriptedBroker;
let producers: JobProducer[];
beforeEach(() => {
  broker = new ScriptedBroker();
  producers = [];
});
afterEach(() => Promise.all(producers.map((producer) => producer.stop())));

function producerWith(parts: Partial<JobProducerParts> = {}): JobProducer {
  const producer = new JobProducer({
    rules: V4,
    broker,
    store: new InlineStore(),
    enqueueConcurrency: 50,
    cancelsJobs: false,
    outages: new BrokerOutages(silentLogger),
    logger: silentLogger,
    ...parts,
    times: {
      pollIntervalMs: 1,
      snapshotIntervalMs: 3_600_000,
      fetchDelaysMs: [1, 1],
      unreachableDelayMs: 1,
      ...parts.times,
    },
  });
  producers.push(producer);
  return producer;
}

/** Hashes of the parts of an output, which are long. */
function digests(result: JobResult): string[] {
  const parts = result instanceof Uint8Array ? [result] : Object.values(result as OutputBytes);
  return parts.map((bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex"));
}

/** The digests of an awaited output. */
const digested = (output: Promise<JobResult>): Promise<string[]> => output.then(digests);

const enqueuedIds = (): string[] => broker.enqueued.map(({ id }) => id);

describe("a producer of proving jobs", () => {
  test("enqueues a job with its input and returns the output once it is told of it", async () => {
    const output = producerWith().run(request(job), never);
    await vi.waitFor(() => expect(broker.enqueued).toHaveLength(1), WAIT);
    const inputs = Buffer.from(job.input).toString("base64");
    const [{ inputsUri, ...enqueued }] = broker.enqueued;
    expect(enqueued).toEqual({ id: job.id, type: job.type, epochNumber: job.epoch });
    expect(String(inputsUri)).toBe(inlineUriOf(JSON.stringify({ type: job.type, inputs })));
    broker.settle(job.id, outputOf(job));
    expect(await digested(output)).toEqual(digests(job.output));
  });

  test("uses an output that the broker has from before", async () => {
    broker.settle(job.id, outputOf(job));
    expect(await digested(producerWith().run(request(job), never))).toEqual(digests(job.output));
  });

  test("runs equal jobs once", async () => {
    const producer = producerWith();
    const outputs = [producer.run(request(job), never), producer.run(request(job), never)];
    await vi.waitFor(() => expect(broker.enqueued).toHaveLength(1), WAIT);
    broker.settle(job.id, outputOf(job));
    expect(await Promise.all(outputs.map(digested))).toEqual([job, job].map(({ output }) => digests(output)));
    expect(enqueuedIds()).toEqual([job.id]);
  });

  test("goes on with a job whose other caller gave it up", async () => {
    const producer = producerWith();
    const given = new AbortController();
    const first = producer.run(request(job), given.signal);
    await vi.waitFor(() => expect(broker.enqueued).toHaveLength(1), WAIT);
    const second = producer.run(request(job), never);
    given.abort();
    await expect(first).rejects.toThrow("was given up");
    broker.settle(job.id, outputOf(job));
    expect(await digested(second)).toEqual(digests(job.output));
  });

  test("encodes and enqueues a limited number of jobs at a time", async () => {
    const jobs = recordedJobs().binary.slice(0, 8);
    let encoded = 0;
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    broker.outcome = ({ id }) => outputOf(jobs.find((each) => each.id === id)!);
    const enqueue = broker.enqueueProvingJob.bind(broker);
    broker.enqueueProvingJob = (given) => held.then(() => enqueue(given));
    const producer = producerWith({ enqueueConcurrency: 3 });
    const outputs = jobs.map((each) =>
      producer.run(
        {
          ...request(each),
          input: () => {
            encoded++;
            return each.input;
          },
        },
        never,
      ),
    );
    await vi.waitFor(() => expect(encoded).toBe(3), WAIT);
    answer();
    expect(await Promise.all(outputs.map(digested))).toEqual(jobs.map(({ output }) => digests(output)));
  });

  test("finds an output that nobody told it of", async () => {
    broker.notifies = false;
    const output = producerWith({ times: { snapshotIntervalMs: 1 } }).run(request(job), never);
    await vi.waitFor(() => expect(broker.enqueued).toHaveLength(1), WAIT);
    broker.settle(job.id, outputOf(job));
    expect(await digested(output)).toEqual(digests(job.output));
  });

  test("enqueues jobs again that the broker lost", async () => {
    const producer = producerWith({ times: { snapshotIntervalMs: 1 } });
    const outputs = [producer.run(request(job), never), producer.run(request(other), never)];
    await vi.waitFor(() => expect(broker.enqueued).toHaveLength(2), WAIT);
    broker.outcome = ({ id }) => outputOf(id === job.id ? job : other);
    broker.empty();
    expect(await Promise.all(outputs.map(digested))).toEqual([job, other].map(({ output }) => digests(output)));
    expect(enqueuedIds().toSorted()).toEqual([job.id, job.id, other.id, other.id].toSorted());
  });

  test("names at most 1,000 jobs in a poll, and every job in turn", async () => {
    const count = 1001;
    const controller = new AbortController();
    const producer = producerWith({ times: { snapshotIntervalMs: 1 } });
    const runs = Array.from({ length: count }, (_, i) => {
      const input = Buffer.alloc(4);
      input.writeUInt32BE(i);
      return producer.run({ epoch: 1, type: job.type, input: () => input }, controller.signal);
    });
    await vi.waitFor(() => expect(new Set(broker.polls.flat()).size).toBe(count), WAIT);
    expect(Math.max(...broker.polls.map(({ length }) => length))).toBe(1000);
    controller.abort();
    await Promise.allSettled(runs);
  });

  test("waits for a broker that is away, and checks whether it came back empty", async () => {
    let away = true;
    broker.fault = () => (away ? new BrokerUnavailableError("cannot be reached") : undefined);
    const noted = vi.fn();
    const producer = producerWith({ logger: { ...silentLogger, debug: noted } });
    const output = producer.run(request(job), never);
    await vi.waitFor(() => expect(noted).toHaveBeenCalled(), WAIT);
    away = false;
    await vi.waitFor(() => expect(broker.enqueued).toHaveLength(1), WAIT);
    noted.mockClear();
    away = true;
    const second = producer.run(request(other), never);
    await vi.waitFor(() => expect(noted).toHaveBeenCalled(), WAIT);
    broker.empty();
    broker.outcome = ({ id }) => outputOf(id === job.id ? job : other);
    away = false;
    expect(await Promise.all([output, second].map(digested))).toEqual([job, other].map((each) => digests(each.output)));
  });

  test.each([
    ["garbage", "no URI"],
    ["JSON of another form", inlineUriOf("{}")],
    ["an output of another type", (outputOf(other) as { value: string }).value],
    ["a proof that is cut off", inlineUriOf(outputJson(job.type, { ...job.output, proof: job.output.proof.slice(1) }))],
    [
      "the key of another circuit",
      inlineUriOf(outputJson(job.type, { ...job.output, verificationKey: other.output.verificationKey })),
    ],
  ])("tries a job again whose agent returned %s", async (_, uri) => {
    broker.outcome = ({ id }) => (id === job.id ? fulfilled(uri) : outputOf(job));
    expect(await digested(producerWith().run(request(job), never))).toEqual(digests(job.output));
    expect(enqueuedIds()).toEqual([job.id, `${job.id}:2`]);
  });

  test("gives a job up after three attempts, and says why", async () => {
    broker.outcome = () => fulfilled(inlineUriOf('{"type":99}'));
    const failure = producerWith().run(request(job), never);
    await expect(failure).rejects.toMatchObject({
      failure: "output",
      message: `proving job ${job.id}:3 failed: its output cannot be had: output.type: must be the number of a job type`,
    });
    expect(enqueuedIds()).toEqual([job.id, `${job.id}:2`, `${job.id}:3`]);
  });

  test("tries a job again whose agents were gone, and no job that an agent cannot prove", async () => {
    broker.outcome = ({ id }) =>
      id.endsWith(":2") ? outputOf(job) : { status: "rejected", reason: "Timed out: no heartbeat" };
    expect(await digested(producerWith().run(request(job), never))).toEqual(digests(job.output));
    broker = new ScriptedBroker();
    broker.outcome = () => ({ status: "rejected", reason: "left.root is wrong" });
    await expect(producerWith().run(request(job), never)).rejects.toMatchObject({
      failure: "rejected",
      reason: "left.root is wrong",
    });
    expect(enqueuedIds()).toEqual([job.id]);
  });

  test("passes on that the broker refuses a job, unless it knows the job with another URI", async () => {
    broker.fault = (method) =>
      method === "enqueueProvingJob" ? new BrokerRefusalError(method, -32702, "Epoch too old") : undefined;
    await expect(producerWith().run(request(job), never)).rejects.toMatchObject({
      failure: "refused",
      reason: "enqueueProvingJob was refused: Epoch too old (-32702)",
    });
    broker.fault = (method) =>
      method === "enqueueProvingJob" ? new BrokerRefusalError(method, -32702, "Duplicate proving job ID") : undefined;
    broker.settle(job.id, outputOf(job));
    expect(await digested(producerWith().run(request(job), never))).toEqual(digests(job.output));
  });

  test("cancels what it gives up at a stop, if it should", async () => {
    for (const cancelsJobs of [false, true]) {
      broker = new ScriptedBroker();
      const producer = producerWith({ cancelsJobs });
      const output = producer.run(request(job), never);
      await vi.waitFor(() => expect(broker.enqueued).toHaveLength(1), WAIT);
      await Promise.all([expect(output).rejects.toThrow("was given up"), producer.stop()]);
      expect(broker.cancelled).toEqual(cancelsJobs ? [job.id] : []);
    }
  });
});

describe("a producer with proof stores in folders", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-producer-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const storeAt = (name: string) =>
    new ObjectProofStore(`file://${folder}/${name}`, openObjectStore(`file://${folder}/${name}`));

  test("keeps the input of a rejected job", async () => {
    broker.outcome = () => ({ status: "rejected", reason: "cannot be proven" });
    const failure = producerWith({ store: storeAt("proofs"), failedStore: storeAt("failed") }).run(request(job), never);
    await expect(failure).rejects.toThrow("cannot be proven");
    expect(broker.enqueued[0].inputsUri).toBe(`file://${folder}/proofs/inputs/${job.name}/${job.id}`);
    for (const store of ["proofs", "failed"]) {
      const kept = readFileSync(`${folder}/${store}/inputs/${job.name}/${job.id}`);
      expect(Buffer.compare(kept, job.input), store).toBe(0);
    }
  });

  test("waits for an output that is stored late, and has one that is lost made again", async () => {
    const store = storeAt("proofs");
    let loads = 0;
    const late: ProducerProofStore = {
      saveInput: store.saveInput.bind(store),
      loadOutput: async (uri, signal) => {
        if (uri.endsWith(":2.json") && loads++ > 0) await store.saveOutput(`${job.id}:2`, job.type, job.output, signal);
        return store.loadOutput(uri, signal);
      },
    };
    broker.outcome = ({ id }) => fulfilled(`file://${folder}/proofs/outputs/${job.name}/${id}.json`);
    const output = producerWith({ store: late }).run(request(job), never);
    expect(await digested(output)).toEqual(digests(job.output));
    expect(enqueuedIds()).toEqual([job.id, `${job.id}:2`]);
  });
});
