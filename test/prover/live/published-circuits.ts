import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { concat, equal, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import type { CircuitContext } from "../../../src/prover/circuits/circuit-context.ts";
import { CIRCUITS } from "../../../src/prover/circuits/circuits.ts";
import { ConstraintError } from "../../../src/prover/circuits/layouts/constraint-error.ts";
import { simulateJob, simulateVm } from "../../../src/prover/circuits/simulate.ts";
import { decode, fieldsOf } from "../../../src/prover/codec/codec.ts";
import type { JobRequest, JobRunner } from "../../../src/prover/epoch/job-runner.ts";
import { type BinaryJobType, inputForm } from "../../../src/prover/jobs/job-input.ts";
import { outputForm } from "../../../src/prover/jobs/job-output.ts";
import { binaryTypeOf, type JobResult } from "../../../src/prover/jobs/job-result.ts";
import { circuitFile } from "../../../src/prover/real/published-circuit.ts";
import { type BlobQuestion, evaluatedBlobs } from "./evaluated-blobs.ts";
import { type AbiMember, type ChildSlot, childSlots, type InputPlace, inputPlaces } from "./input-places.ts";

type Wires = Map<number, string>;
type ForeignCall = (name: string, question: BlobQuestion) => Promise<string[][]>;
interface Acvm {
  executeProgram(program: Uint8Array, inputs: Wires, onCall: ForeignCall): Promise<{ witness: Wires }[]>;
  getReturnWitness(program: Uint8Array, witness: Wires): Wires;
}

/** The published form without constraints, which runs in seconds, or the one that is proven, which takes minutes. */
export type CircuitForm = "simulated" | "proven";

/** An input breaks a constraint of a circuit, or holds no blobs that could be evaluated. */
export class CircuitRefusal extends Error {}

/** Runs the circuits of the folder `artifacts` of a published package. */
export class PublishedCircuits {
  readonly #acvm: Acvm;
  readonly #folder: string;
  readonly #context: CircuitContext;
  readonly #bytecodes = new Map<string, Uint8Array>();
  readonly #inputs = new Map<BinaryJobType, readonly AbiMember[]>();
  /** Milliseconds and runs by name of the file. */
  readonly spent = new Map<string, { ms: number; runs: number }>();

  /** `acvm` is the folder of an installed @noir-lang/acvm_js. */
  constructor(folder: string, acvm: string, context: CircuitContext) {
    this.#folder = folder;
    this.#acvm = createRequire(import.meta.url)(join(acvm, "nodejs", "acvm_js.js"));
    this.#context = context;
  }

  /**
   * What the circuit returns for its input, as field elements. Rejects with a CircuitRefusal if the input breaks a
   * constraint. The simulated form of a checkpoint root does not open blobs but asks for the accumulator after them.
   */
  async run(type: BinaryJobType, form: CircuitForm, inputs: Uint8Array): Promise<Uint8Array> {
    let notEvaluated: unknown;
    const onCall: ForeignCall = async (name, question) => {
      if (name !== "evaluateBlobs") return [];
      try {
        return [wordsOf(evaluatedBlobs(this.#context, question))];
      } catch (error) {
        notEvaluated = error;
        throw error;
      }
    };
    const { file, bytecode } = this.#circuit(type, form);
    const wires: Wires = new Map();
    for (const [i, value] of wordsOf(inputs).entries()) wires.set(i, value);
    const began = performance.now();
    try {
      const [{ witness }] = await this.#acvm.executeProgram(bytecode, wires, onCall);
      return concat(...[...this.#acvm.getReturnWitness(bytecode, witness).values()].map(fromHex));
    } catch (error) {
      throw refusalIn(notEvaluated ?? error);
    } finally {
      const before = this.spent.get(file) ?? { ms: 0, runs: 0 };
      this.spent.set(file, { ms: before.ms + performance.now() - began, runs: before.runs + 1 });
    }
  }

  /** The places of an input of the circuit. */
  places(type: BinaryJobType, input: Uint8Array): InputPlace[] {
    return inputPlaces(this.#inputsOf(type), input);
  }

  /** Where the circuit's input has what other circuits returned. */
  childSlots(type: BinaryJobType): ChildSlot[] {
    return childSlots(this.#inputsOf(type));
  }

  #inputsOf(type: BinaryJobType): readonly AbiMember[] {
    let members = this.#inputs.get(type);
    if (members === undefined) {
      members = JSON.parse(readFileSync(circuitFile(this.#folder, type), "utf8")).abi.parameters as AbiMember[];
      this.#inputs.set(type, members);
    }
    return members;
  }

  #circuit(type: BinaryJobType, form: CircuitForm): { file: string; bytecode: Uint8Array } {
    const proven = circuitFile(this.#folder, type);
    const files = form === "simulated" ? [proven.replace(".json", "_simulated.json"), proven] : [proven];
    for (const file of files) {
      let bytecode = this.#bytecodes.get(file);
      if (bytecode === undefined) {
        let text: string;
        try {
          text = readFileSync(file, "utf8");
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "ENOENT" && file !== proven) continue;
          throw error;
        }
        bytecode = Buffer.from(JSON.parse(text).bytecode, "base64");
        this.#bytecodes.set(file, bytecode);
      }
      return { file, bytecode };
    }
    throw new Error(`${proven} is missing`);
  }
}

/** The refusal that an error of a run stands for; any other error as it is. The solver's have a `callStack`. */
function refusalIn(error: unknown): unknown {
  const isRefusal = error instanceof ConstraintError || (error instanceof Error && "callStack" in error);
  return isRefusal ? new CircuitRefusal(error.message, { cause: error }) : error;
}

/** A job that a published circuit was run for. */
export interface JudgedJob {
  readonly type: BinaryJobType;
  /** Field elements. */
  readonly inputs: Uint8Array;
  readonly returned: Uint8Array;
}

/** Has the published circuit judge each job; one that returns other values than ours fails the job. */
export class CircuitJudge implements JobRunner {
  readonly #circuits: PublishedCircuits;
  readonly #context: CircuitContext;
  readonly #formOf: (type: BinaryJobType) => CircuitForm;
  readonly #judged: (job: JudgedJob) => void;
  /** What circuits returned, by type and input: epochs have equal jobs for checkpoints without messages. */
  readonly #known: Map<string, Uint8Array>;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    circuits: PublishedCircuits,
    context: CircuitContext,
    formOf: (type: BinaryJobType) => CircuitForm,
    known: Map<string, Uint8Array>,
    judged: (job: JudgedJob) => void,
  ) {
    this.#circuits = circuits;
    this.#context = context;
    this.#formOf = formOf;
    this.#known = known;
    this.#judged = judged;
  }

  /** One after the other: solving holds the thread. */
  run({ type, input }: JobRequest): Promise<JobResult> {
    const { generation } = this.#context;
    const binaryType = binaryTypeOf(type);
    if (binaryType === undefined) return Promise.resolve(simulateVm(generation));
    const result = this.#turn.then(() => this.#judge(binaryType, input()));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #judge(type: BinaryJobType, input: Uint8Array): Promise<JobResult> {
    const { generation } = this.#context;
    const decoded = decode(inputForm(generation, type), type, input);
    const inputs = fieldsOf(inputForm(generation, type), decoded);
    const ours = fieldsOf(outputForm(generation, type).publicInputs, CIRCUITS[type](this.#context, decoded as never));
    const key = `${type} ${hash("sha256", inputs)}`;
    const known = this.#known.get(key);
    const returned = known ?? (await this.#circuits.run(type, this.#formOf(type), inputs));
    if (!equal(returned, ours)) throw new Error(`${type} returns other values: ${difference(returned, ours)}`);
    this.#known.set(key, returned);
    this.#judged({ type, inputs, returned });
    return simulateJob(this.#context, type, input);
  }
}

function wordsOf(fields: Uint8Array): string[] {
  return Array.from({ length: fields.length / 32 }, (_, i) => toHex(fields.subarray(i * 32, i * 32 + 32)));
}

function difference(theirs: Uint8Array, ours: Uint8Array): string {
  if (theirs.length !== ours.length) return `${theirs.length / 32} fields, ours ${ours.length / 32}`;
  const at = Array.from({ length: ours.length / 32 }, (_, i) => i).filter(
    (i) => !equal(theirs.subarray(i * 32, i * 32 + 32), ours.subarray(i * 32, i * 32 + 32)),
  );
  return `fields ${at.join(", ")} of ${ours.length / 32}`;
}
