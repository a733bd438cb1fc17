import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { Agent } from "../../../src/prover/agent/agent.ts";
import { inThisThread, SimulatedProver } from "../../../src/prover/agent/simulated-prover.ts";
import { InProcessBroker } from "../../../src/prover/broker/in-process-broker.ts";
import { MemoryJobs } from "../../../src/prover/broker/memory-jobs.ts";
import { ProvingBroker } from "../../../src/prover/broker/proving-broker.ts";
import { BrokerOutages } from "../../../src/prover/broker-client/broker-outages.ts";
import { JobProducer } from "../../../src/prover/producer/job-producer.ts";
import { MemoryStore } from "../../../src/prover/proof-store/memory-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

test("producer, broker and agents in one process return the recorded output of every job, however often", async () => {
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
  const store = new MemoryStore();
  const calls = new InProcessBroker(broker, stopping.signal, (uri) => store.hasOutput(uri));
  const agents = ["agent0", "agent1"].map(
    (name) =>
      new Agent({
        ...{ name, broker: calls, store, types: [], pollIntervalMs: 5, logger: silentLogger },
        prover: new SimulatedProver(inThisThread({ core: loadCore(), generation: V4 }), { kind: "fixed", ms: 0 }),
      }),
  );
  const producer = new JobProducer({
    rules: V4,
    ...{
      broker: calls,
      store,
      enqueueConcurrency: 4,
      cancelsJobs: true,
      logger: silentLogger,
      outages: new BrokerOutages(silentLogger),
    },
    // A lost output would be waited for.
    times: { snapshotIntervalMs: 3_600_000, fetchDelaysMs: [3_600_000] },
  });
  try {
    for (const agent of agents) agent.start();
    const { binary, vm } = recordedJobs();
    // An epoch that fails is tried again until its deadline.
    for (let attempt = 0; attempt < 5; attempt++) {
      const outputs = await Promise.all(
        [...binary, ...vm].map(({ epoch, type, input }) =>
          producer.run({ epoch, type, input: () => input }, stopping.signal),
        ),
      );
      expect(outputs).toEqual([...binary, ...vm].map(({ output }) => output));
    }
  } finally {
    await producer.stop();
    stopping.abort();
    broker.stop();
    await Promise.all(agents.map((agent) => agent.stop()));
  }
});
