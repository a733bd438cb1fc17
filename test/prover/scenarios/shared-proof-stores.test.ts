import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Agent } from "../../../src/prover/agent/agent.ts";
import { inThisThread, SimulatedProver } from "../../../src/prover/agent/simulated-prover.ts";
import { InProcessBroker } from "../../../src/prover/broker/in-process-broker.ts";
import { MemoryJobs } from "../../../src/prover/broker/memory-jobs.ts";
import { ProvingBroker } from "../../../src/prover/broker/proving-broker.ts";
import { BrokerOutages } from "../../../src/prover/broker-client/broker-outages.ts";
import type { JobResult } from "../../../src/prover/jobs/job-result.ts";
import type { JobType } from "../../../src/prover/jobs/job-type.ts";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";
import { JobProducer } from "../../../src/prover/producer/job-producer.ts";
import { ObjectProofStore } from "../../../src/prover/proof-store/object-proof-store.ts";
import { type ObjectStoreAccess, openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type BinaryRecordedJob, recordedJobs } from "../../world/prover/recorded-jobs.ts";
import { BucketServer, type Intercept } from "../../world/storage/bucket-server.ts";
import { requireSignature } from "../../world/storage/s3-signature-check.ts";

const SECRET = "the secret";
const jobs = recordedJobs().binary.filter(({ name }) => name === "PARITY_ROOT" || name === "TX_MERGE_ROLLUP");

let bucket: BucketServer;
let folder: string;
beforeAll(async () => {
  bucket = await BucketServer.start();
  folder = mkdtempSync(join(tmpdir(), "svc-shared-stores-"));
});
afterAll(async () => {
  await bucket?.close();
  rmSync(folder, { recursive: true, force: true });
});

const digest = (type: JobType, output: JobResult): string =>
  createHash("sha256").update(outputJson(type, output)).digest("hex");
const recordedOutputs = (of: readonly BinaryRecordedJob[]) => of.map(({ type, output }) => digest(type, output));

/** A prover node's producer, a broker and an agent, the first and the last with a store object of their own. */
async function outputsThrough(url: string, access: ObjectStoreAccess, wanted: readonly BinaryRecordedJob[]) {
  const broker = new ProvingBroker(
    new MemoryJobs(),
    {
      ...{ jobTimeoutMs: 3_600_000, jobLimitMs: 3_600_000, maxAttempts: 1, epochsToKeep: 1_000_000 },
      ...{ pollIntervalMs: 60_000, longPollMs: 60_000 },
    },
    silentLogger,
  );
  broker.start();
  const stopping = new AbortController();
  const calls = new InProcessBroker(broker, stopping.signal);
  const store = () => new ObjectProofStore(url, openObjectStore(url, { ...access, retryDelaysMs: [] }));
  const agent = new Agent({
    ...{ name: "agent0", broker: calls, store: store(), types: [], pollIntervalMs: 5, logger: silentLogger },
    prover: new SimulatedProver(inThisThread({ core: loadCore(), generation: V4 }), { kind: "fixed", ms: 0 }),
  });
  const producer = new JobProducer({
    rules: V4,
    ...{
      broker: calls,
      store: store(),
      enqueueConcurrency: 4,
      cancelsJobs: true,
      logger: silentLogger,
      outages: new BrokerOutages(silentLogger),
    },
    times: { snapshotIntervalMs: 3_600_000, fetchDelaysMs: [1] },
  });
  agent.start();
  try {
    return await Promise.all(
      wanted.map(async ({ epoch, type, input }) =>
        digest(type, await producer.run({ epoch, type, input: () => input }, stopping.signal)),
      ),
    );
  } finally {
    await producer.stop();
    stopping.abort();
    broker.stop();
    await agent.stop();
  }
}

const s3 = (path: string) => `s3://proofs/${path}?endpoint=${bucket.url}`;
const awsCredentials = { accessKeyId: "the id", secretAccessKey: SECRET };

test("a proof store that prover node and agents share in S3 takes and gives inputs and outputs in signed calls", async () => {
  bucket.intercept = requireSignature(SECRET);
  const outputs = await outputsThrough(s3("signed"), { awsCredentials }, jobs);
  expect(outputs).toEqual(recordedOutputs(jobs));
  const keys = [...bucket.objects.keys()].filter((key) => key.startsWith("/proofs/signed/")).map(decodeURIComponent);
  expect(keys.sort()).toEqual(
    jobs
      .flatMap(({ id, name }) => [`inputs/${name}/${id}`, `outputs/${name}/${id}.json`])
      .map((key) => `/proofs/signed/${key}`)
      .sort(),
  );
});

test("a proof store that prover node and agents share in S3 refuses another secret, and the job fails with the reason", async () => {
  bucket.intercept = requireSignature(SECRET);
  const wrong = { awsCredentials: { ...awsCredentials, secretAccessKey: "another" } };
  await expect(outputsThrough(s3("refused"), wrong, jobs.slice(0, 1))).rejects.toThrow("HTTP status 403");
  expect([...bucket.objects.keys()].filter((key) => key.includes("refused"))).toEqual([]);
});

test("a proof store that prover node and agents share in Google Cloud takes and gives inputs and outputs with the token of a service account", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const googleCredentialsFile = join(folder, "account.json");
  const account = {
    ...{ type: "service_account", client_email: "prover@project.example", private_key_id: "key-1" },
    ...{ private_key: privateKey.export({ type: "pkcs8", format: "pem" }), token_uri: `${bucket.url}/token` },
  };
  writeFileSync(googleCredentialsFile, JSON.stringify(account));
  bucket.intercept = ({ url, headers }, response) => {
    if (url.pathname === "/token") response.end(JSON.stringify({ access_token: "granted", expires_in: 3599 }));
    else if (headers.authorization === "Bearer granted") return false;
    else response.writeHead(401).end();
    return true;
  };
  const access = { googleEndpoint: bucket.url, googleCredentialsFile };
  const outputs = await outputsThrough("gs://proofs/google", access, jobs);
  expect(outputs).toEqual(recordedOutputs(jobs));
});

test.each(["inputs", "outputs"])(
  "a proof store that prover node and agents share that loses an object of %s has the job done again",
  async (kind) => {
    const lost: string[] = [];
    const signed = requireSignature(SECRET);
    const losing: Intercept = (call, response) => {
      const { pathname } = call.url;
      if (call.method === "GET" && pathname.includes(`/${kind}/`) && lost.length === 0) {
        lost.push(pathname);
        bucket.objects.delete(pathname);
      }
      return signed(call, response);
    };
    bucket.intercept = losing;
    const outputs = await outputsThrough(s3(`lost-${kind}`), { awsCredentials }, jobs.slice(0, 2));
    expect(outputs).toEqual(recordedOutputs(jobs.slice(0, 2)));
    expect(lost).toHaveLength(1);
    const again = lost[0].endsWith(".json") ? lost[0].replace(".json", ":2.json") : `${lost[0]}:2`;
    expect([...bucket.objects.keys()]).toContain(again);
  },
);
