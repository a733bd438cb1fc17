import type { Fr } from "../../protocol/field.ts";
import type { VmRules } from "../../protocol/generations/execution.ts";
import type { CallRecord, CallRecords } from "./call-records.ts";
import type { Gas } from "./gas.ts";
import { haltMessage } from "./halt-message.ts";
import type { CallTarget, VmHost } from "./host.ts";
import { instructionsOf } from "./instruction-set.ts";
import type { Program } from "./program.ts";
import type { RunOptions, RunRequest } from "./run.ts";
import type { VmInstance } from "./vm-instance.ts";

/** Outcomes of a frame, as numbered in assembly/vm/frame.ts. */
export const RETURNED = 0;
export const REVERTED = 1;

const NO_GAS: Gas = { l2: 0, da: 0 };
const ZERO = new Uint8Array(32);

interface RunParts {
  readonly host: VmHost;
  readonly request: RunRequest;
  readonly options: RunOptions;
  readonly rules: VmRules;
}

interface OpenFrame {
  readonly contract: Fr;
  readonly program: Program;
}

/** Host-side state of one run: its open frames, innermost last, and their call records. */
export class ActiveRun {
  readonly host: VmHost;
  readonly instance: VmInstance;
  readonly #rules: VmRules;
  readonly #gasBefore: Gas;
  readonly #gasLimit: Gas | undefined;
  readonly #records: CallRecords | undefined;
  readonly #frames: OpenFrame[] = [];
  /** Last nullifier that EMITNULLIFIER refused as a duplicate. */
  refusedNullifier: Fr = ZERO;

  constructor(instance: VmInstance, { host, request, options, rules }: RunParts) {
    this.instance = instance;
    this.host = host;
    this.#rules = rules;
    this.#gasBefore = request.gasUsedBefore ?? NO_GAS;
    this.#gasLimit = request.gasLimit;
    this.#records = options.calls;
  }

  get depth(): number {
    return this.#frames.length;
  }

  /** Address of the running contract. */
  get contract(): Fr {
    return this.#frames[this.#frames.length - 1].contract;
  }

  get program(): Program {
    return this.#frames[this.#frames.length - 1].program;
  }

  /** Called when a frame is about to start. Returns its program, or why there is none. */
  enter(frame: number): Program | string {
    const { instance } = this;
    const contract = instance.frameAddress(frame);
    const target: CallTarget = this.host.callTarget(contract);
    const records = this.#records;
    records?.enter(() => ({
      contract,
      callerPc: instance.frameCallPc(frame),
      calldata: instance.calldata(frame, records.caps.calldata),
      isStatic: instance.frameIsStatic(frame),
      gasLimit: this.#limitOf(frame, this.#frames.length === 0),
      output: new Uint8Array(0),
      exitPcs: [],
      reverted: false,
      nested: [],
    }));
    if ("unavailable" in target) {
      const message = target.unavailable;
      records?.exit((record) => Object.assign(record, { reverted: true, haltMessage: message, exitPcs: [0] }));
      return message;
    }
    this.#frames.push({ contract, program: target.program });
    return target.program;
  }

  /** Called when the running frame has ended. */
  leave(outcome: number): void {
    const { instance } = this;
    const records = this.#records;
    records?.exit((record) => this.#describeEnd(record, outcome, records.caps.output, instance));
    this.#frames.pop();
  }

  /** The halt message of the running frame, which has ended; undefined when it returned. */
  endMessage(outcome: number): string | undefined {
    if (outcome === RETURNED) return undefined;
    if (outcome === REVERTED) return "Assertion failed: ";
    const { exports } = this.instance;
    const frame = exports.current.value >>> 0;
    const isOutermost = this.#frames.length === 1;
    const before = isOutermost ? this.#gasBefore : NO_GAS;
    const given = this.instance.frameGas(frame);
    const left = this.instance.gasLeft();
    return haltMessage(
      {
        fault: exports.endFault.value,
        pc: exports.endPc.value >>> 0,
        detailA: exports.detailA.value >>> 0,
        detailB: exports.detailB.value >>> 0,
        contract: this.contract,
        bytecode: this.program.bytecode,
        instructions: instructionsOf(this.#rules),
        gasLimit: this.#limitOf(frame, isOutermost),
        gasUsed: { l2: before.l2 + given.l2 - left.l2, da: before.da + given.da - left.da },
        gasMissed: { l2: exports.missedL2.value, da: exports.missedDA.value },
      },
      this.refusedNullifier,
    );
  }

  /** Gas given to a frame; for the outermost frame, the limit of the whole transaction. */
  #limitOf(frame: number, isOutermost: boolean): Gas {
    const { l2, da } = this.instance.frameGas(frame);
    if (!isOutermost) return { l2, da };
    return this.#gasLimit ?? { l2: this.#gasBefore.l2 + l2, da: this.#gasBefore.da + da };
  }

  #describeEnd(record: CallRecord, outcome: number, maxOutput: number, instance: VmInstance): void {
    const { exports } = instance;
    const frame = exports.current.value >>> 0;
    record.reverted = outcome !== RETURNED;
    record.haltMessage = this.endMessage(outcome);
    record.exitPcs = [...instance.internalCallPcs(frame), exports.endPc.value >>> 0];
    const count = Math.min(exports.endSize.value >>> 0, maxOutput);
    record.output = instance.memory(frame, exports.endBase.value, count);
  }
}
