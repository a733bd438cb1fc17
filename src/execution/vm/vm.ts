import type { VmHost } from "./host.ts";
import { Program } from "./program.ts";
import type { RunOptions, RunRequest, RunResult } from "./run.ts";

export interface VmLimits {
  /** Bytes that a run may make the VM's memory grow to; default 1 GiB. */
  readonly memoryBytes?: number;
  /** Bytecode bytes kept in the cache of programs; default 64 MiB. */
  readonly cachedBytes?: number;
}

/**
 * The public VM (sheet 05). One per thread: runs are synchronous and do not nest. Programs and decoded forms are kept from run to
 * run; nothing else is.
 */
export class Vm {
  constructor(_limits: VmLimits = {}) {}

  /** The program loaded under `key`, when the cache still has it. */
  program(_key: string): Program | undefined {
    return undefined;
  }

  /** Loads a bytecode. The same key must always come with the same bytecode. */
  load(key: string, bytecode: Uint8Array): Program {
    return new Program(key, bytecode);
  }

  /**
   * Runs an enqueued call to its end. Errors of the host pass through; DebugLogError, VmDeadlineError and VmMemoryError end the
   * run the same way. Throws VmRequestError on a request that breaks its type's rules.
   */
  run(_request: RunRequest, _host: VmHost, _options: RunOptions = {}): RunResult {
    throw new Error("the VM has no interpreter yet");
  }
}
