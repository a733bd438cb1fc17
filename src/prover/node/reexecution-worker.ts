import { type ChainReadsOptions, openChainReads } from "../../archiver/chain-reads.ts";
import { lowerThreadPriority } from "../../core/thread-priority.ts";
import { Siloing } from "../../execution/siloing.ts";
import { VmInterruptedError } from "../../execution/vm/errors.ts";
import { Vm } from "../../execution/vm/vm.ts";
import { workerData } from "../../threads/in-worker.ts";
import { VmPublicInputs } from "../circuits/layouts/vm-public-inputs.ts";
import { encode } from "../codec/codec.ts";
import { type CheckpointToExecute, reexecuteCheckpoint } from "./reexecution.ts";

/**
 * Module of the threads of a ReexecutionPool. Each has its own core, VM, caches and read-only view of the chain store.
 */

export interface ReexecutionSetup {
  readonly chain: ChainReadsOptions;
  /** 20 bytes. */
  readonly proverId: Uint8Array;
  /** Whether other work of the node goes first. */
  readonly lowPriority: boolean;
}

export interface ReexecutionTask extends CheckpointToExecute {
  /** One 32-bit word; nonzero interrupts the task. */
  readonly interrupt: SharedArrayBuffer;
}

/** A transaction as it crosses threads. */
export interface PlainExecuted {
  /** Its effect. */
  readonly words: Uint8Array;
  /** Set if the tx has public calls; the public inputs are encoded. */
  readonly publicPart: { readonly vmInput: Uint8Array; readonly publicInputs: Uint8Array } | undefined;
}

/** Errors lose their class between threads. */
export type ReexecutionOutcome =
  | { readonly kind: "done"; readonly blocks: PlainExecuted[][] }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly reason: string };

const setup = workerData<ReexecutionSetup>();
if (setup.lowPriority) lowerThreadPriority();
const { core, store, chain, world, content } = openChainReads(setup.chain);
const services = {
  ...{ core, world, generation: chain.generation, proverId: setup.proverId },
  contracts: content,
  siloing: new Siloing(core, chain.generation),
  vm: new Vm(chain.generation),
};

/** The task reads one snapshot of the store, taken at its start. */
export default function reexecuteInWorker({ interrupt, ...checkpoint }: ReexecutionTask): ReexecutionOutcome {
  const word = new Int32Array(interrupt);
  // Between two tasks the thread blocks without running its event loop, so it would keep the first task's snapshot.
  store.version();
  try {
    const blocks = reexecuteCheckpoint(services, checkpoint, () => Atomics.load(word, 0) !== 0);
    return {
      kind: "done",
      blocks: blocks.map((txs) =>
        txs.map(({ executed, publicPart }) => ({
          words: executed.effect.words.slice(),
          publicPart: publicPart && {
            vmInput: publicPart.vmInput.slice(),
            publicInputs: encode(VmPublicInputs, publicPart.publicInputs),
          },
        })),
      ),
    };
  } catch (error) {
    if (error instanceof VmInterruptedError) return { kind: "interrupted" };
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
  }
}
