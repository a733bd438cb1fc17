import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configure } from "../../src/config/configuration.ts";
import { startAgents } from "../../src/node/agents/start-agents.ts";
import { startBroker } from "../../src/node/broker/start-broker.ts";
import { createLogging } from "../../src/node/logging.ts";
import { JOB_TYPES } from "../../src/prover/jobs/job-type.ts";
import { ObjectProofStore } from "../../src/prover/proof-store/object-proof-store.ts";
import { openObjectStore } from "../../src/storage/objects/open-store.ts";
import { recordedJobs } from "../prover/recorded-jobs.ts";
import { BrokerClient } from "./broker/broker-client.ts";

let folder: string;
let running: { stop(): Promise<void> }[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-prover-options-"));
  running = [];
});
afterEach(async () => {
  for (const each of running.reverse()) await each.stop();
  rmSync(folder, { recursive: true, force: true });
});

const loggerFor = createLogging({
  filter: configure({ flags: new Map(), environment: {} }).values.logLevel,
  ...{ json: false, secrets: [], write: () => undefined },
});
const valuesOf = (environment: Record<string, string>) =>
  configure({ flags: new Map([["--port", "0"]]), environment: { SVC_RPC_HOST: "127.0.0.1", ...environment } }).values;

async function brokerWith(environment: Record<string, string>): Promise<{ client: BrokerClient; url: string }> {
  const broker = await startBroker(valuesOf(environment), { dataDirectory: folder, loggerFor });
  running.push(broker);
  return { client: new BrokerClient(broker.port), url: `http://127.0.0.1:${broker.port}` };
}

it("PROVER_BROKER_JOB_TIMEOUT_MS: the job of a silent agent goes to another one", async () => {
  const { client } = await brokerWith({
    PROVER_BROKER_JOB_TIMEOUT_MS: "50",
    PROVER_BROKER_POLL_INTERVAL_MS: "10",
  });
  await client.enqueue("a", "file:///a");
  expect((await client.next())?.job.id).toBe("a");
  await expect.poll(async () => (await client.next())?.job.id, { timeout: 20_000 }).toBe("a");
});

it("PROVER_BROKER_MAX_EPOCHS_TO_KEEP_RESULTS_FOR: jobs of that many older epochs are taken and kept", async () => {
  const { client } = await brokerWith({ PROVER_BROKER_MAX_EPOCHS_TO_KEEP_RESULTS_FOR: "3" });
  await client.enqueue("new", "file:///new", { epochNumber: 5 });
  expect(await client.enqueue("old", "file:///old", { epochNumber: 2 })).toEqual({ status: "not-found" });
  expect(await client.enqueue("older", "file:///older", { epochNumber: 1 })).toMatch(/^Epoch too old/);
  expect(existsSync(join(folder, "broker", "2"))).toBe(true);
});

it("agents do only jobs of PROVER_AGENT_PROOF_TYPES, and put outputs into PROVER_PROOF_STORE", async () => {
  const { client, url } = await brokerWith({});
  const proofs = join(folder, "proofs");
  running.push(
    await startAgents(
      {
        ...valuesOf({
          PROVER_AGENT_PROOF_TYPES: "PARITY_ROOT",
          PROVER_PROOF_STORE: `file://${proofs}`,
          PROVER_REAL_PROOFS: "false",
          PROVER_AGENT_POLL_INTERVAL_MS: "20",
        }),
        proverBrokerUrl: url,
      },
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
