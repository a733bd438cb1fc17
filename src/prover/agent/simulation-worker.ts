import { loadCore } from "../../core/load-core.ts";
import { lowerThreadPriority } from "../../core/thread-priority.ts";
import { ContentError } from "../../errors/content-error.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { move, transferableSymbol, valueSymbol, workerData } from "../../threads/in-worker.ts";
import { simulate } from "../circuits/simulate.ts";
import type { JobResult, StoredInput } from "../jobs/job-result.ts";

/** Module of the worker threads of a SimulationPool; each has its own instance of the core. */

export interface SimulationSetup {
  /** Name of the generation whose circuits are simulated, as recordedName gives it. */
  readonly generation: string | undefined;
  /** Whether other work of the process goes first. */
  readonly lowPriority: boolean;
}

const setup = workerData<SimulationSetup>();
if (setup.lowPriority) lowerThreadPriority();
const context = { core: loadCore(), generation: generationNamed(setup.generation) };

/** Errors lose their class between threads. */
export type SimulationAnswer =
  | { readonly kind: "done"; readonly result: JobResult }
  /** The input cannot be proven. */
  | { readonly kind: "refused"; readonly message: string };

export default function simulateInWorker(job: StoredInput): unknown {
  try {
    const result = simulate(context, job);
    const parts = result instanceof Uint8Array ? [result] : Object.values(result as object);
    return move({
      // Parts may share a buffer.
      [transferableSymbol]: [...new Set(parts.map(({ buffer }: Uint8Array) => buffer))],
      [valueSymbol]: { kind: "done", result } satisfies SimulationAnswer,
    });
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    return { kind: "refused", message: error.message } satisfies SimulationAnswer;
  }
}
