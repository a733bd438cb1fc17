import type { SettledJob } from "../../../src/prover/broker/epoch-store.ts";
import type { BrokerJob } from "../../../src/prover/broker/job.ts";
import type { StoredJobs } from "../../../src/prover/broker/job-store.ts";

interface Row {
  job: BrokerJob;
  sequence: number;
  failures: number;
  settled: SettledJob | undefined;
}

/** Jobs in memory, for brokers that are restarted often. */
export function memoryJobs(): StoredJobs {
  const rows = new Map<string, Row>();
  return {
    all: () =>
      [...rows.values()]
        .toSorted((a, b) => a.sequence - b.sequence)
        .map(({ job: { id, type, epochNumber }, sequence, failures, settled }) => ({
          ...{ id, type, epochNumber, sequence, failures },
          settled: settled?.status,
        })),
    async add(job, sequence) {
      rows.set(job.id, { job, sequence, failures: 0, settled: undefined });
    },
    async settle({ id }, settled) {
      rows.get(id)!.settled = settled;
    },
    async count({ id }, { failures }) {
      rows.get(id)!.failures = failures;
    },
    async reopen({ id }, sequence) {
      Object.assign(rows.get(id)!, { sequence, failures: 0, settled: undefined });
    },
    input: ({ id }) => rows.get(id)!.job.inputsUri,
    hasInput: ({ id, inputsUri }) => Buffer.compare(rows.get(id)!.job.inputsUri, inputsUri) === 0,
    resultText: ({ id }) => rows.get(id)!.settled!.text,
    async removeBefore(epochNumber) {
      for (const [id, { job }] of rows) if (job.epochNumber < epochNumber) rows.delete(id);
    },
  };
}
