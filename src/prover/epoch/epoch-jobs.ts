import { equal } from "../../protocol/bytes.ts";
import {
  type ProofData,
  type ProofRules,
  type RecursiveProof,
  recursiveProof,
} from "../circuits/layouts/proof-data.ts";
import { verificationKeyOf } from "../circuits/verification-keys.ts";
import { decode, encode } from "../codec/codec.ts";
import { type BinaryJobType, inputForm, type JobInput } from "../jobs/job-input.ts";
import { decodeOutput, type PublicInputs } from "../jobs/job-output.ts";
import type { JobResult } from "../jobs/job-result.ts";
import { JOB_TYPES, type JobTypeName } from "../jobs/job-type.ts";
import { EpochProvingError, provingError } from "./errors.ts";
import type { JobRunner } from "./job-runner.ts";

/** A proof that another circuit takes as input. */
export type Proven<T extends BinaryJobType> = Promise<ProofData<PublicInputs<T>>>;

/**
 * The jobs of an epoch. The first one that fails, for another reason than its own signal, fails the epoch: all others
 * are cancelled.
 */
export class EpochJobs {
  readonly epoch: number;
  readonly #rules: ProofRules;
  readonly #runner: JobRunner;
  readonly #controller = new AbortController();

  constructor(rules: ProofRules, epoch: number, runner: JobRunner) {
    this.#rules = rules;
    this.epoch = epoch;
    this.#runner = runner;
  }

  /** Aborted once the epoch has failed; the reason is the error. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  fail(cause: unknown): void {
    if (!this.signal.aborted) this.#controller.abort(provingError(this.epoch, cause));
  }

  /**
   * Runs a job once its input is known. `check` throws for an output that is not the one expected. `signal` cancels
   * this job alone.
   */
  prove<T extends BinaryJobType>(
    type: T,
    input: JobInput<T> | Promise<JobInput<T>>,
    { signal, check }: { signal?: AbortSignal; check?: (output: PublicInputs<T>) => void } = {},
  ): Proven<T> {
    return this.follow(async () => {
      const known = await input;
      const result = await this.#run(type, () => encode(inputForm(this.#rules, type), known), signal);
      if (result instanceof Uint8Array) throw new Error(`the output of ${type} has no public inputs`);
      const output = decodeOutput(this.#rules, type, result);
      const verificationKey = verificationKeyOf(this.#rules, type);
      if (!equal(output.verificationKey.hash, verificationKey.key.hash)) {
        throw new Error(`${type}: its verification key is not the released one`);
      }
      check?.(output.publicInputs);
      return { publicInputs: output.publicInputs, proof: output.proof, verificationKey };
    }, signal);
  }

  /** PUBLIC_VM. */
  proveVm(input: () => Uint8Array, signal?: AbortSignal): Promise<RecursiveProof> {
    return this.follow(async () => {
      const result = await this.#run("PUBLIC_VM", input, signal);
      if (!(result instanceof Uint8Array)) throw new Error("the output of PUBLIC_VM must be a proof alone");
      return decode(recursiveProof(this.#rules.circuits.proofFields.vm), "PUBLIC_VM proof", result);
    }, signal);
  }

  /**
   * Fails the epoch if `work` rejects while `signal` is not aborted. The returned promise may be left without a
   * handler.
   */
  follow<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const result = work();
    result.catch((error) => {
      if (signal?.aborted !== true) this.fail(error);
    });
    return result;
  }

  async #run(name: JobTypeName, input: () => Uint8Array, signal: AbortSignal = this.signal): Promise<JobResult> {
    const either = signal === this.signal ? signal : AbortSignal.any([signal, this.signal]);
    either.throwIfAborted();
    try {
      return await this.#runner.run({ epoch: this.epoch, type: JOB_TYPES[name], input }, either);
    } catch (error) {
      either.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw new EpochProvingError(this.epoch, `a ${name} job failed: ${reason}`, { cause: error });
    }
  }
}
