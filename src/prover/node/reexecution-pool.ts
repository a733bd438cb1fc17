import { detached } from "../../threads/detached.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import { ReleasablePool } from "../../threads/releasable-pool.ts";
import { VmPublicInputs } from "../circuits/layouts/vm-public-inputs.ts";
import { decode } from "../codec/codec.ts";
import type { PublicPart } from "../epoch/epoch-types.ts";
import { ProvingRefusedError } from "./errors.ts";
import type { CheckpointToExecute } from "./reexecution.ts";
import type { ReexecutionOutcome, ReexecutionSetup, ReexecutionTask } from "./reexecution-worker.ts";

/** A transaction that was executed again. */
export interface ReexecutedTx {
  /** Words of its effect. */
  readonly words: Uint8Array;
  /** Set if the tx has public calls. */
  readonly publicPart: PublicPart | undefined;
}

/** Threads that execute checkpoints again, so that the node's thread is free for the duties of its slots. */
export class ReexecutionPool {
  readonly #threads: ReleasablePool<ReexecutionTask, ReexecutionOutcome>;

  /** At most `threads`, started on demand. */
  constructor(setup: ReexecutionSetup, { threads }: { threads: number }) {
    this.#threads = new ReleasablePool({
      module: moduleBeside(import.meta.url, "reexecution-worker"),
      workerData: setup,
      threads,
    });
  }

  /**
   * Executes a checkpoint. Returns its transactions by block. Rejects with a ProvingRefusedError if it cannot be
   * executed, and with the reason of `signal`, which ends it within milliseconds.
   */
  readonly execute = async (checkpoint: CheckpointToExecute, signal: AbortSignal): Promise<ReexecutedTx[][]> => {
    signal.throwIfAborted();
    const interrupt = new SharedArrayBuffer(4);
    const abort = (): void => void Atomics.store(new Int32Array(interrupt), 0, 1);
    signal.addEventListener("abort", abort, { once: true });
    let outcome: ReexecutionOutcome;
    try {
      outcome = await this.#threads.run({ ...detached(checkpoint), interrupt });
    } finally {
      signal.removeEventListener("abort", abort);
    }
    signal.throwIfAborted();
    if (outcome.kind === "done") return outcome.blocks.map((txs) => txs.map(unpacked));
    const reason = outcome.kind === "failed" ? outcome.reason : "it was interrupted";
    throw new ProvingRefusedError(`executing the checkpoint after block ${checkpoint.parentBlock} again: ${reason}`);
  };

  /** Ends the threads until the next checkpoint, unless they have work. */
  release(): void {
    this.#threads.release();
  }

  /** Gives up what is under way. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}

function unpacked({ words, publicPart }: Extract<ReexecutionOutcome, { kind: "done" }>["blocks"][0][0]): ReexecutedTx {
  if (publicPart === undefined) return { words, publicPart };
  const { vmInput, publicInputs } = publicPart;
  return { words, publicPart: { vmInput, publicInputs: decode(VmPublicInputs, "public inputs", publicInputs) } };
}
