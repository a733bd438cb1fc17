import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../storage/make-folder.ts";
import { EpochStore, type SettledJob, type StoredJob } from "./epoch-store.ts";
import type { BrokerJob } from "./job.ts";

interface JobStoreOptions {
  /** Folder of the epochs' stores. */
  readonly path: string;
  /** Maximum size of an epoch's store. */
  readonly mapSizeKb?: number | undefined;
  /** Most writes of one commit. */
  readonly batchSize: number;
  /** Longest time for which a write waits for others. */
  readonly batchIntervalMs: number;
}

/** What a broker needs of a JobStore. */
export type StoredJobs = Omit<JobStore, "close">;

/** A write came after its epoch was removed. */
class EpochRemovedError extends Error {
  readonly epochNumber: number;

  constructor(epochNumber: number) {
    super(`the jobs of epoch ${epochNumber} were removed`);
    this.name = "EpochRemovedError";
    this.epochNumber = epochNumber;
  }
}

type JobKey = Pick<BrokerJob, "id" | "epochNumber">;

interface Write {
  readonly epochNumber: number;
  apply(store: EpochStore): void;
  committed(): void;
  failed(error: unknown): void;
}

/**
 * Jobs and results on disk, one store for each epoch. Writes are grouped into commits: a write that comes alone is
 * committed in the same turn of the event loop. After a commit, writes wait as long as it took and share the next one,
 * so that commits take no more than half of the thread's time and a job of a chain does not wait longer than the disk.
 */
export class JobStore {
  readonly #options: JobStoreOptions;
  readonly #epochs = new Map<number, EpochStore>();
  /** Epochs below are removed. */
  #oldest = 0;
  #writes: Write[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  /** By performance.now(): when the next commit may begin. */
  #nextAt = 0;

  /** Throws what opening an LMDB store throws. */
  constructor(options: JobStoreOptions) {
    this.#options = options;
    makeFolder(options.path);
    for (const name of readdirSync(options.path)) {
      if (!/^\d+$/.test(name)) continue;
      // A removal that was cut short may have left the lock file alone.
      if (existsSync(join(options.path, name, "data.mdb"))) this.#epoch(Number(name));
      else rmSync(join(options.path, name), { recursive: true, force: true });
    }
  }

  /** All jobs in the order in which they were enqueued. */
  all(): StoredJob[] {
    const jobs = [...this.#epochs.values()].flatMap((store) => [...store.all()]);
    return jobs.sort((a, b) => a.sequence - b.sequence);
  }

  /** When the newest of the stores was written, by `Date.now`; undefined if there is none. */
  lastWriteAt(): number | undefined {
    const times = [...this.#epochs.values()].map(({ path }) => statSync(join(path, "data.mdb")).mtimeMs);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Resolves once the job is on disk; so do all other writes. */
  add(job: BrokerJob, sequence: number): Promise<void> {
    return this.#write(job.epochNumber, (store) => {
      store.putJob(job, { sequence, failures: 0 });
      store.putInput(job.id, job.inputsUri);
      store.removeResult(job.id);
    });
  }

  settle({ id, epochNumber }: JobKey, settled: SettledJob): Promise<void> {
    return this.#write(epochNumber, (store) => store.putResult(id, settled));
  }

  /** Writes how often a job failed. */
  count(job: Omit<BrokerJob, "inputsUri">, counts: Pick<StoredJob, "sequence" | "failures">): Promise<void> {
    return this.#write(job.epochNumber, (store) => store.putJob(job, counts));
  }

  /** Makes a settled job an unsettled one that has not failed yet. */
  reopen(job: Omit<BrokerJob, "inputsUri">, sequence: number): Promise<void> {
    return this.#write(job.epochNumber, (store) => {
      store.putJob(job, { sequence, failures: 0 });
      store.removeResult(job.id);
    });
  }

  input({ id, epochNumber }: JobKey): Uint8Array {
    return this.#epoch(epochNumber).input(id);
  }

  hasInput({ id, epochNumber, inputsUri }: Pick<BrokerJob, "id" | "epochNumber" | "inputsUri">): boolean {
    return this.#epoch(epochNumber).hasInput(id, inputsUri);
  }

  resultText({ id, epochNumber }: JobKey): Uint8Array {
    return this.#epoch(epochNumber).resultText(id);
  }

  /** Removes the stores of earlier epochs. */
  async removeBefore(epochNumber: number): Promise<void> {
    if (epochNumber <= this.#oldest) return;
    this.#oldest = epochNumber;
    for (const store of [...this.#epochs.values()]) {
      if (store.epochNumber >= epochNumber) continue;
      this.#epochs.delete(store.epochNumber);
      await store.close();
      rmSync(store.path, { recursive: true, force: true });
    }
  }

  /** Commits what is waiting. */
  async close(): Promise<void> {
    this.#commit();
    await Promise.all([...this.#epochs.values()].map((store) => store.close()));
  }

  #epoch(epochNumber: number): EpochStore {
    let store = this.#epochs.get(epochNumber);
    if (store === undefined) {
      store = new EpochStore(this.#options.path, epochNumber, this.#options.mapSizeKb);
      this.#epochs.set(epochNumber, store);
    }
    return store;
  }

  #write(epochNumber: number, apply: (store: EpochStore) => void): Promise<void> {
    return new Promise((committed, failed) => {
      this.#writes.push({ epochNumber, apply, committed, failed });
      const { batchSize, batchIntervalMs } = this.#options;
      const waitMs = Math.min(this.#nextAt - performance.now(), batchIntervalMs);
      if (this.#writes.length >= batchSize || waitMs <= 0) this.#immediate ??= setImmediate(this.#commit);
      else this.#timer ??= setTimeout(this.#commit, waitMs);
    });
  }

  readonly #commit = (): void => {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    const began = performance.now();
    const { batchSize } = this.#options;
    while (this.#writes.length > 0) {
      const batch = this.#writes.splice(0, batchSize);
      for (const [epochNumber, writes] of Map.groupBy(batch, (write) => write.epochNumber)) {
        this.#commitTo(epochNumber, writes);
      }
    }
    const ended = performance.now();
    this.#nextAt = ended + (ended - began);
  };

  #commitTo(epochNumber: number, writes: readonly Write[]): void {
    try {
      if (epochNumber < this.#oldest) throw new EpochRemovedError(epochNumber);
      const store = this.#epoch(epochNumber);
      store.transaction(() => {
        for (const write of writes) write.apply(store);
      });
    } catch (error) {
      // One that is too large must not fail the others.
      if (writes.length > 1) for (const write of writes) this.#commitTo(epochNumber, [write]);
      else writes[0].failed(error);
      return;
    }
    for (const write of writes) write.committed();
  }
}
