import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { BrokerConnection } from "../../../src/prover/broker-client/broker-connection.ts";
import { BrokerOutages } from "../../../src/prover/broker-client/broker-outages.ts";
import { BrokerWatch } from "../../../src/prover/broker-client/broker-watch.ts";
import { BrokerUnavailableError } from "../../../src/prover/broker-client/errors.ts";
import { RemoteProducer } from "../../../src/prover/broker-client/remote-producer.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { observeBrokerOutages } from "../../../src/prover/node/metrics.ts";
import { JobProducer } from "../../../src/prover/producer/job-producer.ts";
import { InlineStore } from "../../../src/prover/proof-store/inline-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";
import { type FakeAnswer, type FakeRequest, type HttpFake, httpFake } from "../../world/l1/http-fake.ts";
import { ScriptedBroker } from "../support/scripted-broker.ts";

const WAIT = { timeout: 60_000 };
const FAILS = "warn the proving broker cannot be used: {reason}";
const AGAIN = "info the proving broker can be used again";

/** What is shown of a broker: lines of the log, health, metric. */
function shown() {
  const lines: string[] = [];
  const outages = new BrokerOutages({
    warn: (_, message) => void lines.push(`warn ${message}`),
    info: (_, message) => void lines.push(`info ${message}`),
  });
  const metrics = new Metrics((error) => {
    throw error;
  });
  observeBrokerOutages(metrics, outages);
  const metric = () => /^svc_prover_node_broker_reachable (.*)$/m.exec(prometheusText(metrics.collect()))?.[1];
  return { outages, lines, metric };
}

const callIn = ({ body }: FakeRequest) => (JSON.parse(body) as { id: number; method: string }[])[0];
const knowsNoJob = (request: FakeRequest): FakeAnswer => ({
  json: [{ id: callIn(request).id, result: { status: "not-found" } }],
});

describe("the watch of a broker", () => {
  test.each<[string, (request: FakeRequest) => FakeAnswer, string]>([
    ["answers 503", () => ({ raw: "", status: 503 }), "the broker answered with HTTP status 503"],
    ["demands another API key", () => ({ raw: "", status: 401 }), "the broker answered with HTTP status 401"],
    ["forbids the call", () => ({ raw: "", status: 403 }), "the broker answered with HTTP status 403"],
    ["answers HTML", () => ({ raw: "<html>" }), "the broker's answer is not JSON (6 bytes)"],
    [
      "has statuses of another form",
      (request) => ({ json: [{ id: callIn(request).id, result: "lost" }] }),
      "the broker's answer is not the status of a job: status must be not-found, in-queue, in-progress, fulfilled or " +
        "rejected",
    ],
    [
      "is no broker",
      (request) => ({ json: [{ id: callIn(request).id, error: { code: -32601, message: "Method not found" } }] }),
      "getProvingJobStatus was refused: Method not found (-32601)",
    ],
    [
      "is of another release",
      () => ({
        write: (response) => void response.setHeader("x-aztec-l2CircuitsVkTreeRoot", "0x01").end("[]"),
      }),
      "the broker is of another release: x-aztec-l2CircuitsVkTreeRoot is 0x01, must be ",
    ],
  ])("logs and shows a broker once that %s, and that it can be used again", async (_, fault, reason) => {
    const { outages, lines, metric } = shown();
    let faulty = false;
    const broker: HttpFake = await httpFake((request) => (faulty ? fault(request) : knowsNoJob(request)));
    onTestFinished(() => broker.close());
    const connection = new BrokerConnection({
      contracts: V4.contracts,
      url: broker.url,
      apiKey: "the key",
      retryDelaysMs: [],
    });
    const watch = new BrokerWatch({ broker: new RemoteProducer(connection), outages, intervalMs: 1 });
    onTestFinished(() => watch.stop());
    const several = (): Promise<void> => {
      const enough = broker.seen.length + 3;
      return vi.waitFor(() => expect(broker.seen.length).toBeGreaterThanOrEqual(enough), WAIT);
    };
    watch.start();
    await several();
    expect([outages.health.read(), metric(), lines]).toEqual([{ state: "ok" }, "1", []]);
    expect(broker.seen[0]).toMatchObject({ method: "POST", path: "/", headers: { "x-api-key": "the key" } });
    faulty = true;
    await several();
    expect([outages.health.read(), metric(), lines]).toEqual([
      { state: "failed", reason: expect.stringContaining(`the proving broker cannot be used: ${reason}`) },
      "0",
      [FAILS],
    ]);
    faulty = false;
    await vi.waitFor(() => expect(outages.health.read()).toEqual({ state: "ok" }), WAIT);
    await several();
    expect([metric(), lines]).toEqual(["1", [FAILS, AGAIN]]);
  });

  test("shows a broker that is not there, without its address", async () => {
    const { outages, lines } = shown();
    const broker = await httpFake(knowsNoJob);
    await broker.close();
    const connection = new BrokerConnection({
      contracts: V4.contracts,
      url: broker.url,
      retryDelaysMs: [],
    });
    const watch = new BrokerWatch({ broker: new RemoteProducer(connection), outages });
    onTestFinished(() => watch.stop());
    watch.start();
    await vi.waitFor(() => expect(outages.usable).toBe(false), WAIT);
    expect(outages.health.read().reason).not.toContain("127.0.0.1");
    expect(lines).toEqual([FAILS]);
  });
});

describe("a producer of jobs", () => {
  test.each(["enqueueProvingJob", "getCompletedJobs"])(
    "shows a broker that fails only %s for as long as jobs wait, and logs it once",
    async (failing) => {
      const { outages, lines } = shown();
      const broker = new ScriptedBroker();
      let calls = 0;
      broker.fault = (method) => {
        if (method !== failing) return undefined;
        calls++;
        return new BrokerUnavailableError("the broker answered with HTTP status 502");
      };
      const producer = new JobProducer({
        rules: V4,
        ...{ broker, store: new InlineStore(), enqueueConcurrency: 5, cancelsJobs: false, outages },
        logger: silentLogger,
        times: { pollIntervalMs: 1, unreachableDelayMs: 1 },
      });
      const given = new AbortController();
      const jobs = [1, 2, 3].map((n) =>
        producer.run({ epoch: 1, type: JOB_TYPES.PARITY_BASE, input: () => new Uint8Array([n]) }, given.signal),
      );
      await vi.waitFor(() => expect(calls).toBeGreaterThan(9), WAIT);
      // A watch whose own calls succeed does not hide it.
      outages.ended({});
      expect([outages.health.read(), lines]).toEqual([
        {
          state: "failed",
          reason: "the proving broker cannot be used: the broker answered with HTTP status 502",
        },
        [FAILS],
      ]);
      given.abort();
      await Promise.allSettled(jobs);
      await producer.stop();
      await vi.waitFor(() => expect(outages.usable).toBe(true), WAIT);
      await turn();
      expect(lines).toEqual([FAILS, AGAIN]);
    },
  );
});
