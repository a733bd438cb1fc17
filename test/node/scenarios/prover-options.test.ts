import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { startAgents } from "../../../src/node/agents/start-agents.ts";
import { startBroker } from "../../../src/node/broker/start-broker.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { EpochStore } from "../../../src/prover/broker/epoch-store.ts";
import { ProvingBroker } from "../../../src/prover/broker/proving-broker.ts";
import { RemoteConsumer } from "../../../src/prover/broker-client/remote-consumer.ts";
import { inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { ObjectProofStore } from "../../../src/prover/proof-store/object-proof-store.ts";
import { openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";
import { BrokerClient } from "../support/broker-client.ts";

vi.mock("node:timers/promises", () => import("../../support/fakeable-sleep.ts"));

let folder: string;
let running: { stop(): Promise<void> }[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-prover-options-"));
  running = [];
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const each of running.reverse()) await each.stop();
  rmSync(folder, { recursive: true, force: true });
});

const loggerFor = createLogging({
  filter: configure({ flags: new Map(), environment: {} }).values.logLevel,
  ...{ json: false, secrets: [], write: () => undefined },
});
const valuesOf = (environment: Record<string, string>) =>
  partValues(
    configure({ flags: new Map([["--port", "0"]]), environment: { SVC_RPC_HOST: "127.0.0.1", ...environment } }).values,
  );

async function brokerWith(environment: Record<string, string>): Promise<{ client: BrokerClient; url: string }> {
  const broker = await startBroker(valuesOf(environment), { dataDirectory: folder, loggerFor });
  running.push(broker);
  return { client: new BrokerClient(broker.port), url: `http://127.0.0.1:${broker.port}` };
}

test("PROVER_BROKER_JOB_TIMEOUT_MS: the job of a silent agent goes to another one", async () => {
  const { client } = await brokerWith({
    PROVER_BROKER_JOB_TIMEOUT_MS: "50",
    PROVER_BROKER_POLL_INTERVAL_MS: "10",
  });
  await client.enqueue("a", "file:///a");
  expect((await client.next())?.job.id).toBe("a");
  await expect.poll(async () => (await client.next())?.job.id, { timeout: 20_000 }).toBe("a");
});

test("SVC_PROVER_BROKER_JOB_LIMIT_MS: a job that takes longer goes to another agent, whatever its heartbeats", async () => {
  const { client } = await brokerWith({
    PROVER_BROKER_JOB_TIMEOUT_MS: "2000000000",
    SVC_PROVER_BROKER_JOB_LIMIT_MS: "50",
    PROVER_BROKER_POLL_INTERVAL_MS: "10",
  });
  await client.enqueue("a", "file:///a");
  const { job, time } = (await client.next())!;
  const beat = () => client.call("reportProvingJobProgress", job.id, time, { allowList: [0] });
  expect(await beat()).toBeUndefined();
  await expect.poll(async () => [await beat(), (await client.next())?.job.id][1], { timeout: 20_000 }).toBe("a");
});

test("PROVER_BROKER_POLL_INTERVAL_MS: jobs are checked at this interval", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const check = vi.spyOn(ProvingBroker.prototype, "check");
  await brokerWith({ PROVER_BROKER_POLL_INTERVAL_MS: "7000" });
  vi.advanceTimersByTime(6999);
  expect(check).not.toHaveBeenCalled();
  vi.advanceTimersByTime(7001);
  expect(check).toHaveBeenCalledTimes(2);
});

/** Lets each commit take so much of the faked time. */
function slowCommits(ms: number): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  const { transaction } = EpochStore.prototype;
  vi.spyOn(EpochStore.prototype, "transaction").mockImplementation(function (this: EpochStore, work) {
    transaction.call(this, work);
    vi.advanceTimersByTime(ms);
  });
}

test("PROVER_BROKER_BATCH_SIZE: so many jobs are written without waiting for others", async () => {
  slowCommits(1_000_000_000);
  const { client } = await brokerWith({
    PROVER_BROKER_BATCH_SIZE: "3",
    PROVER_BROKER_BATCH_INTERVAL_MS: "2000000000",
  });
  await client.enqueue("first", "file:///first");
  const enqueued = ["a", "b", "c"].map((id) => client.enqueue(id, `file:///${id}`));
  expect(await Promise.all(enqueued)).toEqual(Array.from({ length: 3 }, () => ({ status: "not-found" })));
});

test.each([
  { name: "waits as long as the last commit took", interval: "2000000000", waitsMs: 1_000_000_000 },
  { name: "waits no longer than it says", interval: "500000000", waitsMs: 500_000_000 },
])("PROVER_BROKER_BATCH_INTERVAL_MS: a job that closely follows another one $name", async ({ interval, waitsMs }) => {
  slowCommits(1_000_000_000);
  const { client } = await brokerWith({ PROVER_BROKER_BATCH_INTERVAL_MS: interval });
  await client.enqueue("first", "file:///first");
  let written = false;
  const second = client.enqueue("second", "file:///second").finally(() => {
    written = true;
  });
  await vi.waitFor(async () => expect(await client.status("second")).toEqual({ status: "in-queue" }));
  await vi.advanceTimersByTimeAsync(waitsMs * 0.9);
  await client.status("second");
  expect(written).toBe(false);
  await vi.advanceTimersByTimeAsync(waitsMs * 0.1);
  expect(await second).toEqual({ status: "not-found" });
});

test("PROVER_BROKER_MAX_EPOCHS_TO_KEEP_RESULTS_FOR: jobs of that many older epochs are taken and kept", async () => {
  const { client } = await brokerWith({ PROVER_BROKER_MAX_EPOCHS_TO_KEEP_RESULTS_FOR: "3" });
  await client.enqueue("new", "file:///new", { epochNumber: 5 });
  expect(await client.enqueue("old", "file:///old", { epochNumber: 2 })).toEqual({ status: "not-found" });
  expect(await client.enqueue("older", "file:///older", { epochNumber: 1 })).toMatch(/^Epoch too old/);
  expect(existsSync(join(folder, "broker", "2"))).toBe(true);
});

test("PROVER_AGENT_POLL_INTERVAL_MS: an agent asks for a job, and sends heartbeats, at this interval", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const asked = vi.spyOn(RemoteConsumer.prototype, "getProvingJob").mockResolvedValue(undefined);
  const heartbeat = vi.spyOn(RemoteConsumer.prototype, "reportProvingJobProgress").mockResolvedValue(undefined);
  const values = valuesOf({
    PROVER_AGENT_POLL_INTERVAL_MS: "7000",
    PROVER_REAL_PROOFS: "false",
    PROVER_TEST_DELAY_MS: "2000000000",
  });
  running.push(await startAgents("http://127.0.0.1:9", values, loggerFor));
  await vi.advanceTimersByTimeAsync(6999);
  expect(asked).toHaveBeenCalledTimes(1);
  const [{ id, type, epoch: epochNumber, input }] = recordedJobs().binary;
  const inputsUri = inlineUriOf(JSON.stringify({ type, inputs: Buffer.from(input).toString("base64") }));
  asked.mockResolvedValueOnce({ job: { id, type, epochNumber, inputsUri }, time: 1 });
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(6999);
  expect(heartbeat).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(7001);
  expect(heartbeat).toHaveBeenCalledTimes(2);
  expect(asked).toHaveBeenCalledTimes(2);
});

test("agents do only jobs of PROVER_AGENT_PROOF_TYPES, and put outputs into PROVER_PROOF_STORE", async () => {
  const { client, url } = await brokerWith({});
  const proofs = join(folder, "proofs");
  running.push(
    await startAgents(
      url,
      valuesOf({
        PROVER_AGENT_PROOF_TYPES: "PARITY_ROOT",
        PROVER_PROOF_STORE: `file://${proofs}`,
        PROVER_REAL_PROOFS: "false",
        PROVER_AGENT_POLL_INTERVAL_MS: "20",
      }),
      loggerFor,
    ),
  );
  const { binary } = recordedJobs();
  const store = new ObjectProofStore(`file://${proofs}`, openObjectStore(`file://${proofs}`));
  const enqueue = async (name: "PARITY_BASE" | "PARITY_ROOT"): Promise<string> => {
    const job = binary.find((each) => each.name === name);
    if (job === undefined) throw new RangeError(`no recorded job of type ${name}`);
    const type = JOB_TYPES[name];
    await client.enqueue(job.id, String(await store.saveInput(job.id, type, job.input, new AbortController().signal)), {
      type,
    });
    return job.id;
  };
  const other = await enqueue("PARITY_BASE");
  const wanted = await enqueue("PARITY_ROOT");
  await expect
    .poll(() => client.status(wanted), { timeout: 20_000 })
    .toMatchObject({ status: "fulfilled", value: expect.stringMatching(/^file:.*\/outputs\/PARITY_ROOT\//) });
  expect(await client.status(other)).toEqual({ status: "in-queue" });
  expect(readdirSync(join(proofs, "outputs", "PARITY_ROOT"))).toHaveLength(1);
});
