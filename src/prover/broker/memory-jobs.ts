import type { SettledJob } from "./epoch-store.ts";
import type { BrokerJob } from "./job.ts";
import type { StoredJobs } from "./job-store.ts";

interface Row {
  readonly job: BrokerJob;
  sequence: number;
  failures: number;
  settled: SettledJob | undefined;
}

/** Jobs in memory, for a broker whose producer and agents are in its process: none of the three outlives the others. */
export class MemoryJobs implements StoredJobs {
  readonly #rows = new Map<string, Row>();

  all() {
    return [...this.#rows.values()]
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ job: { id, type, epochNumber }, sequence, failures, settled }) => ({
        ...{ id, type, epochNumber, sequence, failures },
        settled: settled?.status,
      }));
  }

  /** Jobs in memory are of this start. */
  lastWriteAt(): undefined {}

  async add(job: BrokerJob, sequence: number): Promise<void> {
    this.#rows.set(job.id, { job, sequence, failures: 0, settled: undefined });
  }

  async settle({ id }: Pick<BrokerJob, "id">, settled: SettledJob): Promise<void> {
    this.#row(id).settled = settled;
  }

  async count({ id }: Pick<BrokerJob, "id">, { failures }: { failures: number }): Promise<void> {
    this.#row(id).failures = failures;
  }

  async reopen({ id }: Pick<BrokerJob, "id">, sequence: number): Promise<void> {
    Object.assign(this.#row(id), { sequence, failures: 0, settled: undefined });
  }

  input({ id }: Pick<BrokerJob, "id">): Uint8Array {
    return this.#row(id).job.inputsUri;
  }

  hasInput({ id, inputsUri }: Pick<BrokerJob, "id" | "inputsUri">): boolean {
    return Buffer.compare(this.#row(id).job.inputsUri, inputsUri) === 0;
  }

  resultText({ id }: Pick<BrokerJob, "id">): Uint8Array {
    const { settled } = this.#row(id);
    if (settled === undefined) throw new RangeError(`job ${id} has no result`);
    return settled.text;
  }

  async removeBefore(epochNumber: number): Promise<void> {
    for (const [id, { job }] of this.#rows) if (job.epochNumber < epochNumber) this.#rows.delete(id);
  }

  #row(id: string): Row {
    const row = this.#rows.get(id);
    if (row === undefined) throw new RangeError(`no job ${id}`);
    return row;
  }
}
