import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { JobStore } from "../../../src/prover/broker/job-store.ts";
import { ProvingBroker } from "../../../src/prover/broker/proving-broker.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { provingBrokerRegistry } from "../../../src/rpc/methods/proving/proving-broker.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

/**
 * Recorded between the reference's prover node, broker and agent while they proved an epoch with simulated proofs.
 * Texts of more than 300 characters are replaced by their length and hash; they are opaque for a broker.
 */
const { exchanges } = JSON.parse(
  gunzipSync(readFileSync("test/fixtures/vectors/prover-traffic.json.gz")).toString(),
) as { exchanges: Exchange[] };

interface Exchange {
  who: "producer" | "agent";
  /** Milliseconds from the first exchange to the request, and from the request to the answer. */
  t: number;
  ms: number;
  request: { id: number; method: string; params: unknown[] }[];
  response: { result?: { time?: number } }[];
}

let folder: string;
let store: JobStore;
let broker: ProvingBroker;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-broker-"));
  store = new JobStore({ path: folder, batchSize: 100, batchIntervalMs: 1 });
  broker = new ProvingBroker(
    store,
    {
      jobTimeoutMs: 60_000,
      jobLimitMs: 60_000,
      pollIntervalMs: 60_000,
      maxAttempts: 3,
      epochsToKeep: 1,
      longPollMs: 0,
    },
    silentLogger,
  );
  broker.start();
});
afterEach(async () => {
  broker.stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

test("a broker answers the recorded requests of an epoch as the reference's broker did", async () => {
  const dispatcher = new Dispatcher(
    provingBrokerRegistry(broker, { replay: false }),
    { namespaces: ["proverBroker"], maxBatchSize: 100 },
    silentLogger,
  );
  /** Times of hand-out: as recorded, and here. */
  const times = new Map<number, number>();
  let jobs = 0;
  for (const { request, response } of exchanges.toSorted((a, b) => a.t + a.ms - (b.t + b.ms))) {
    const asked = request.map((call) => ({
      ...call,
      params: call.params.map((param) => times.get(param as number) ?? param),
    }));
    const { status, body } = await dispatcher.answer(asked);
    const answers = JSON.parse(Buffer.from(body).toString()) as Exchange["response"];
    for (const [at, { result }] of response.entries()) {
      const time = answers[at].result?.time;
      if (result?.time === undefined || time === undefined) continue;
      times.set(result.time, time);
      answers[at].result!.time = result.time;
      jobs++;
    }
    expect(status).toBe(200);
    // The recorded broker left the result out where it had none.
    const expected = response.map((answer) =>
      "error" in answer || "result" in answer ? answer : { ...answer, result: null },
    );
    expect(JSON.stringify(answers), JSON.stringify(request)).toBe(JSON.stringify(expected));
  }
  expect({ exchanges: exchanges.length, jobs }).toEqual({ exchanges: 104, jobs: 24 });
});
