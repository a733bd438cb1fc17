import { yieldProcessor } from "../../core/thread-priority.ts";
import type { VmRules } from "../../protocol/generations/execution.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { ActiveRun, RETURNED, REVERTED } from "./active-run.ts";
import { VmDeadlineError, VmInterruptedError, VmMemoryError, VmRequestError } from "./errors.ts";
import type { VmHost } from "./host.ts";
import { hostFunctions } from "./host-functions.ts";
import { vmModule } from "./load-vm.ts";
import { Program } from "./program.ts";
import { ProgramCache } from "./program-cache.ts";
import { requireRequest } from "./request-rules.ts";
import type { RunOptions, RunRequest, RunResult } from "./run.ts";
import type { Tracer } from "./trace.ts";
import { traceState } from "./trace-state.ts";
import { VmInstance } from "./vm-instance.ts";

interface VmLimits {
  /** Maximum size of the VM's memory in bytes; default 1 GiB. */
  readonly memoryBytes?: number;
  /** Maximum size of the program cache in bytes; default 64 MiB. */
  readonly cachedBytes?: number;
}

const MIB = 1 << 20;
const DEFAULT_MEMORY = 1024 * MIB;
const DEFAULT_CACHED = 64 * MIB;
const DEFAULT_OUTPUT_FIELDS = 300;

/** After a run, the instance is dropped if its memory or its loaded programs are larger than this. */
const KEPT_MEMORY = 256 * MIB;
const KEPT_PROGRAMS = 128 * MIB;

/**
 * Instructions between two checks of the deadline: some hundredths of a millisecond, or some ten milliseconds if all of
 * them hash. V8 replaces a function's baseline code by optimized code only when the function is called again, so slices
 * must be short.
 */
const SLICE = 1 << 10;

/**
 * The public VM of a generation (docs/protocol/06-public-execution.md#61-bytecode). One per thread: runs are
 * synchronous and do not nest. Only programs and their decoded forms are kept between runs.
 */
export class Vm {
  readonly #rules: VmRules;
  readonly #memoryBytes: number;
  readonly #programs: ProgramCache;
  #instance: VmInstance | undefined;
  #active: ActiveRun | undefined;

  constructor({ execution }: Pick<Generation, "execution">, limits: VmLimits = {}) {
    this.#rules = execution.vm;
    this.#memoryBytes = limits.memoryBytes ?? DEFAULT_MEMORY;
    this.#programs = new ProgramCache(limits.cachedBytes ?? DEFAULT_CACHED);
  }

  /** The program loaded under `key`, if it is still in the cache. */
  program(key: string): Program | undefined {
    return this.#programs.get(key);
  }

  /** Loads a bytecode. The same key must always come with the same bytecode. */
  load(key: string, bytecode: Uint8Array): Program {
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const program = new Program(key, bytecode);
    this.#programs.add(program);
    return program;
  }

  /**
   * Runs an enqueued call to its end. Throws DebugLogError, VmDeadlineError, VmInterruptedError or VmMemoryError;
   * errors of the host pass through. Throws VmRequestError for an invalid request.
   */
  run(request: RunRequest, host: VmHost, options: RunOptions = {}): RunResult {
    if (this.#active !== undefined) throw new VmRequestError("run", "must not be called by the host of a run");
    requireRequest(request);
    this.#instance ??= this.#newInstance();
    const run = new ActiveRun(this.#instance, { host, request, options, rules: this.#rules });
    this.#active = run;
    try {
      return this.#runFrame(run, request, options);
    } catch (error) {
      options.calls?.abandon();
      // A trap or exhausted memory may leave the module in any state. Errors of the host occur at known points.
      if (error instanceof VmMemoryError || isTrap(error)) this.#instance = undefined;
      throw error;
    } finally {
      this.#active = undefined;
      this.#release();
    }
  }

  #newInstance(): VmInstance {
    const limit = this.#memoryBytes;
    const active = (): ActiveRun => {
      if (this.#active === undefined) throw new VmRequestError("run", "is not active");
      // Every host function calls this, and a slice may contain hundreds of calls that read the store.
      yieldProcessor();
      return this.#active;
    };
    const imports = hostFunctions(active, () => {
      throw new VmMemoryError(limit);
    });
    return new VmInstance(vmModule(), imports, { rules: this.#rules, memoryBytes: limit });
  }

  #runFrame(run: ActiveRun, request: RunRequest, options: RunOptions): RunResult {
    const { instance } = run;
    const { exports } = instance;
    const frame = instance.prepare(request, options.collectDebugLogs ?? false);
    const program = run.enter(frame);
    if (typeof program === "string") {
      const gasUsed = { ...request.gas };
      const gasLeft = { l2: 0, da: 0 };
      const output = new Uint8Array(0);
      return { ended: "halted", output, outputSize: 0, gasLeft, gasUsed, haltMessage: program, pc: 0 };
    }
    exports.start(instance.address(program));
    if (options.trace === undefined) this.#execute(instance, options);
    else this.#executeTraced(run, options.trace, options);

    const outcome = exports.endOutcome.value;
    const haltMessage = run.endMessage(outcome);
    run.leave(outcome);
    const outputSize = exports.endSize.value >>> 0;
    const count = Math.min(outputSize, options.maxOutputFields ?? DEFAULT_OUTPUT_FIELDS);
    const halted = outcome !== RETURNED && outcome !== REVERTED;
    const gasLeft = halted ? { l2: 0, da: 0 } : instance.gasLeft();
    return {
      ended: halted ? "halted" : outcome === RETURNED ? "returned" : "reverted",
      output: instance.memory(frame, exports.endBase.value, count),
      outputSize,
      gasLeft,
      gasUsed: { l2: request.gas.l2 - gasLeft.l2, da: request.gas.da - gasLeft.da },
      haltMessage,
      pc: exports.endPc.value >>> 0,
    };
  }

  #execute({ exports }: VmInstance, options: RunOptions): void {
    while (exports.execute(SLICE) !== 0) {
      checkAbort(options);
      yieldProcessor();
    }
  }

  #executeTraced(run: ActiveRun, trace: Tracer, options: RunOptions): void {
    do {
      checkAbort(options);
      trace(traceState(run));
    } while (run.instance.exports.execute(1) !== 0);
  }

  /** Frees the memory of the run, or drops the instance if it has become large. */
  #release(): void {
    const instance = this.#instance;
    if (instance === undefined) return;
    instance.finish();
    if (instance.memoryBytes > KEPT_MEMORY || instance.programBytes > KEPT_PROGRAMS) this.#instance = undefined;
  }
}

/** Throws when the run was interrupted or its deadline has passed. */
function checkAbort({ deadline, interrupted }: RunOptions): void {
  if (interrupted?.() === true) throw new VmInterruptedError();
  if (deadline !== undefined && Date.now() > deadline) throw new VmDeadlineError(deadline);
}

/** Whether an error is a WebAssembly trap. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && error.name === "RuntimeError";
}
