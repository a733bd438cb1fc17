import { expect, onTestFinished, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { publicPort } from "../../../src/node/parts/rpc.ts";
import { startProvingJobs } from "../../../src/node/prover/proving-jobs.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Agent } from "../../../src/prover/agent/agent.ts";
import { BrokerConnection } from "../../../src/prover/broker-client/broker-connection.ts";
import { RemoteConsumer } from "../../../src/prover/broker-client/remote-consumer.ts";
import { inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import type { JobResult } from "../../../src/prover/jobs/job-result.ts";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";
import { InlineStore } from "../../../src/prover/proof-store/inline-store.ts";
import type { JobSource } from "../../../src/rpc/ports/proving-broker.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { startRpcServer } from "../../../src/rpc/server/rpc-server.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { httpFake } from "../../world/l1/http-fake.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";
import { fakeServices } from "../../world/rpc/fakes.ts";

const never = new AbortController().signal;
const { binary, vm } = recordedJobs();

/** The jobs of a prover node whose broker is in its process, which has no agents there. */
async function provingNode() {
  const { values } = configure({
    flags: new Map(),
    environment: { PROVER_AGENT_COUNT: "0", PROVER_REAL_PROOFS: "false" },
  });
  const loggerFor = createLogging({ filter: values.logLevel, json: false, secrets: [], write: () => undefined });
  const metrics = new Metrics((error) => {
    throw error;
  });
  const jobs = await startProvingJobs(partValues(values), {
    ...{ generation: V4, threads: 1, lowPriority: false, loggerFor, metrics },
  });
  onTestFinished(() => jobs.stop());
  return jobs;
}

/** Port of the node's JSON-RPC. */
async function served(jobSource: JobSource | undefined): Promise<number> {
  const options = {
    listen: { host: "127.0.0.1", port: 0 },
    serve: { namespaces: ["provingJobSource"] as const },
  };
  const server = await startRpcServer(publicRegistry(fakeServices({ jobSource })), options, silentLogger);
  onTestFinished(() => server.close());
  return server.port;
}

/** An agent in another process, that gives the recorded outputs. */
function agentAt(port: number): void {
  const outputs = new Map([...binary, ...vm].map(({ type, input, output }) => [`${type} ${hash(input)}`, output]));
  const agent = new Agent({
    ...{ name: "agent0", types: [], pollIntervalMs: 5, logger: silentLogger, store: new InlineStore() },
    broker: new RemoteConsumer(
      new BrokerConnection({
        contracts: V4.contracts,
        url: `http://127.0.0.1:${port}`,
        retryDelaysMs: [],
      }),
    ),
    prover: {
      prove: async ({ type, input }: { type: number; input: Uint8Array }) => outputs.get(`${type} ${hash(input)}`)!,
    } as never,
  });
  agent.start();
  onTestFinished(() => agent.stop());
}
/** Bytes of either class as text. */
const hexOf = (result: JobResult) =>
  result instanceof Uint8Array ? toHex(result) : Object.values(result).map((bytes: Uint8Array) => toHex(bytes));
const hash = (bytes: Uint8Array): string => `${bytes.length} ${Buffer.from(bytes).toString("latin1")}`;

test("an agent elsewhere does the jobs of a broker in a prover node's process, of both forms", async () => {
  const { producer, jobSource } = await provingNode();
  const port = await served(jobSource);
  agentAt(port);
  for (const { epoch, type, input, output } of [binary[0], vm[0]]) {
    expect(hexOf(await producer.run({ epoch, type, input: () => input }, never))).toEqual(hexOf(output));
  }
});

test("outputs that are garbage, of another job, or not sent whole are refused, and the job is done again", async () => {
  const { producer, jobSource } = await provingNode();
  const port = await served(jobSource);
  const connection = new BrokerConnection({
    contracts: V4.contracts,
    url: `http://127.0.0.1:${port}`,
    retryDelaysMs: [],
  });
  const consumer = new RemoteConsumer(connection);
  const { id, epoch, type, input, output } = binary[0];
  const other = binary.find((each) => each.type !== type)!;
  const run = producer.run({ epoch, type, input: () => input }, never);
  await expect.poll(() => consumer.getProvingJob()).toMatchObject({ job: { id } });
  const refused = (uri: string) => expect(consumer.reportProvingJobSuccess(id, uri)).rejects;
  await refused(`memory:${id}`).toThrow("it is no inline output");
  expect((await consumer.getProvingJob())?.job.id).toBe(id);
  await refused(inlineUriOf(outputJson(other.type, other.output))).toThrow("output.type");
  await expect.poll(() => consumer.getProvingJob()).toMatchObject({ job: { id } });
  await consumer.reportProvingJobSuccess(id, inlineUriOf(outputJson(type, output)));
  expect(hexOf(await run)).toEqual(hexOf(output));
});

test("an agent finds a broker of its own where a node was before, and the other way round", async () => {
  let namespace = "proverBroker";
  const asked: string[] = [];
  const other = await httpFake(({ body }) => {
    const [{ id, method }] = JSON.parse(body) as { id: number; method: string }[];
    if (method !== `${namespace}_getProvingJob`) {
      return { json: [{ id, error: { code: -32601, message: `Method not found: ${method}` } }] };
    }
    asked.push(method);
    return { json: [{ id }] };
  });
  onTestFinished(() => other.close());
  const consumer = new RemoteConsumer(
    new BrokerConnection({ contracts: V4.contracts, url: other.url, retryDelaysMs: [] }),
  );
  for (const next of ["proverBroker", "provingJobSource", "provingJobSource", "proverBroker"]) {
    namespace = next;
    expect(await consumer.getProvingJob()).toBeUndefined();
    expect(asked.at(-1)).toBe(`${next}_getProvingJob`);
  }
  expect(other.seen.length).toBe(6);
  namespace = "node";
  await expect(consumer.getProvingJob()).rejects.toThrow("Method not found");
});

test("the namespace is served by a prover node whose broker is in its process, and only on request", () => {
  const namespaces = (environment: Record<string, string>, flags: [string, string][] = []) => {
    const { values } = configure({ flags: new Map(flags), environment });
    const reader = { identity: { l1ChainId: 1, rollupVersion: 1, addresses: { rollupAddress: "0x" } } };
    return publicPort(partValues(values), { reader } as never).server.serve.namespaces;
  };
  const wanted = { SVC_RPC_NAMESPACES: "node,provingJobSource" };
  const proves: [string, string][] = [["--prover-node", "true"]];
  expect(namespaces(wanted, proves)).toEqual(["node", "provingJobSource", "prover"]);
  expect(namespaces({}, proves)).not.toContain("provingJobSource");
  expect(namespaces(wanted)).toEqual(["node"]);
  expect(namespaces({ ...wanted, PROVER_BROKER_HOST: "http://broker" }, proves)).toEqual(["node", "prover"]);
});
