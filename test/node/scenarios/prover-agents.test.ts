import { afterEach, expect, test } from "vitest";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { BrokerConnection } from "../../../src/prover/broker-client/broker-connection.ts";
import { inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

const running = new Set<Svc>();
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
});

/** A process that has logged its JSON-RPC port. */
async function start(flags: string[], environment: Record<string, string>): Promise<{ svc: Svc; url: string }> {
  const svc = spawnSvc(["start", ...flags, "--port", "0", "--rpc-host", "127.0.0.1"], environment);
  running.add(svc);
  const [, port] = await svc.shows(/answering JSON-RPC on 127\.0\.0\.1:(\d+)/);
  return { svc, url: `http://127.0.0.1:${port}` };
}

const { binary, vm } = recordedJobs();
const jobs = [...binary, ...vm].map(({ id, epoch, type, input, output }) => ({
  job: {
    id,
    type,
    // The broker forgets old epochs.
    epochNumber: 1,
    inputsUri: inlineUriOf(
      JSON.stringify({
        type,
        inputs: id.includes("PUBLIC_VM")
          ? JSON.parse(Buffer.from(input).toString())
          : Buffer.from(input).toString("base64"),
      }),
    ),
  },
  epoch,
  output: inlineUriOf(outputJson(type, output)),
}));

test("svc start --prover-agent does every recorded job that a broker has, with the recorded output", async () => {
  const broker = await start(["--prover-broker"], { SVC_PROVER_BROKER_API_KEY: "some key" });
  const agents = await start(["--prover-agent"], {
    PROVER_BROKER_HOST: broker.url,
    PROVER_AGENT_COUNT: "2",
    PROVER_AGENT_POLL_INTERVAL_MS: "100",
    PROVER_REAL_PROOFS: "false",
    SVC_PROVER_BROKER_API_KEY: "some key",
  });
  const producer = new BrokerConnection({
    contracts: V4.contracts,
    url: broker.url,
    apiKey: "some key",
  });
  for (const { job } of jobs) {
    expect(await producer.call("enqueueProvingJob", [job])).toEqual({ status: "not-found" });
  }
  for (const { job, output } of jobs) {
    let status: unknown;
    do {
      status = await producer.call("getProvingJobStatus", [job.id]);
    } while (status !== undefined && (status as { status: string }).status.startsWith("in-"));
    const { value } = status as { value?: string };
    expect(value === output, `${job.id}: ${JSON.stringify(status).slice(0, 200)}`).toBe(true);
  }
  const response = await fetch(agents.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([0, 1, 2].map((i) => ({ jsonrpc: "2.0", id: i, method: `agent${i}_getStatus`, params: [] }))),
  });
  const answers = (await response.json()) as { result?: unknown; error?: { code: number } }[];
  expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([
    { status: "running" },
    { status: "running" },
    -32601,
  ]);
  agents.svc.child.kill("SIGTERM");
  expect(await agents.svc.ended).toMatchObject({ code: 143 });
});
