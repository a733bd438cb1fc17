import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { BrokerConnection } from "../../src/prover/broker-client/broker-connection.ts";
import { BrokerOutages } from "../../src/prover/broker-client/broker-outages.ts";
import { RemoteProducer } from "../../src/prover/broker-client/remote-producer.ts";
import type { StoredInput } from "../../src/prover/jobs/job-result.ts";
import { JOB_TYPE_NAMES, JOB_TYPES, type JobTypeName } from "../../src/prover/jobs/job-type.ts";
import { JobProducer } from "../../src/prover/producer/job-producer.ts";
import { InlineStore } from "../../src/prover/proof-store/inline-store.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { recordedJobs } from "../../test/world/prover/recorded-jobs.ts";
import { BrokerAndAgent, ownSide, type ProverSide } from "./prover-processes.ts";
import { cpuTimeOf } from "./server-process.ts";

/** A type's jobs are done until the agent has used so much CPU time, which the system counts in steps of 10 ms. */
const ENOUGH_MS = 1000;
const MAX_JOBS = 60;
const IDLE_MS = 3000;

/**
 * CPU time in ms that an agent's process takes for a job of each type: from the request for it to the report of its
 * output, over the recorded jobs. The broker is ours.
 */
export async function jobCosts(agent: ProverSide, enoughMs = ENOUGH_MS): Promise<Map<JobTypeName, number>> {
  const folder = ownSide.folder();
  const pair = await BrokerAndAgent.start({ broker: ownSide, agent }, folder.inside, {});
  const { signal } = new AbortController();
  const producer = new JobProducer({
    rules: V4,
    broker: new RemoteProducer(
      new BrokerConnection({
        contracts: V4.contracts,
        url: `http://127.0.0.1:${pair.brokerPort}`,
      }),
    ),
    store: new InlineStore(),
    enqueueConcurrency: 50,
    cancelsJobs: false,
    outages: new BrokerOutages(silentLogger),
    logger: silentLogger,
  });
  let epoch = 0;
  const run = async (jobs: readonly StoredInput[]): Promise<void> => {
    // An epoch of its own makes another job of the same input.
    epoch++;
    await Promise.all(jobs.map(({ type, input }) => producer.run({ epoch, type, input: () => input }, signal)));
  };
  try {
    const { binary, vm } = recordedJobs();
    const recorded = Map.groupBy([...binary, ...vm], ({ type }) => type);
    for (let warmUp = 0; warmUp < 2; warmUp++) for (const jobs of recorded.values()) await run(jobs.slice(0, 2));
    const used = () => cpuTimeOf(pair.agent.pid);
    const idleFrom = used();
    await sleep(IDLE_MS);
    const idlePerMs = (used() - idleFrom) / IDLE_MS;
    const costs = new Map<JobTypeName, number>();
    for (const name of JOB_TYPE_NAMES) {
      const jobs = recorded.get(JOB_TYPES[name]) ?? [];
      if (jobs.length === 0) continue;
      const from = used();
      const began = performance.now();
      let done = 0;
      while (done < MAX_JOBS && (done < 2 || used() - from < enoughMs)) {
        await run(jobs);
        done += jobs.length;
      }
      costs.set(name, Math.max(0, used() - from - idlePerMs * (performance.now() - began)) / done);
    }
    return costs;
  } finally {
    await producer.stop();
    await pair.stop();
    rmSync(folder.outside, { recursive: true, force: true });
  }
}
