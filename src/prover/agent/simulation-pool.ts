import { ContentError } from "../../errors/content-error.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { recordedName } from "../../protocol/generations/known/choose.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import type { JobResult, StoredInput } from "../jobs/job-result.ts";
import type { SimulationAnswer, SimulationSetup } from "./simulation-worker.ts";

/** A thread found that the input of a job cannot be proven. */
export class UnprovableInputError extends ContentError {
  override readonly errorCode: string = "unprovable";

  constructor(message: string) {
    super(message);
    this.name = "UnprovableInputError";
  }
}

/** Threads that simulate jobs, so that several agents of a process use several processors. */
export class SimulationPool {
  readonly #threads: WorkerPool<StoredInput, SimulationAnswer>;

  constructor(generation: Generation, { threads, lowPriority = false }: { threads: number; lowPriority?: boolean }) {
    const workerData: SimulationSetup = { generation: recordedName(generation), lowPriority };
    this.#threads = workerPool({ module: moduleBeside(import.meta.url, "simulation-worker"), workerData, threads });
  }

  /** Throws an UnprovableInputError. */
  readonly simulate = async ({ type, input }: StoredInput): Promise<JobResult> => {
    // A copy without the rest of the message that the input is a part of; the copy is given away.
    const owned = Uint8Array.from(input);
    const answer = await this.#threads.run({ type, input: owned }, { transferList: [owned.buffer] });
    if (answer.kind === "refused") throw new UnprovableInputError(answer.message);
    return answer.result;
  };

  async close(): Promise<void> {
    await this.#threads.destroy();
  }
}
