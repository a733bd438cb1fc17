import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { concat, equal, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import type { CircuitContext } from "../../../src/prover/circuits/circuit-context.ts";
import { CIRCUITS } from "../../../src/prover/circuits/circuits.ts";
import { simulateJob, simulateVm } from "../../../src/prover/circuits/simulate.ts";
import { decode, fieldsOf } from "../../../src/prover/codec/codec.ts";
import type { JobRequest, JobRunner } from "../../../src/prover/epoch/job-runner.ts";
import { type BinaryJobType, inputForm } from "../../../src/prover/jobs/job-input.ts";
import { outputForm } from "../../../src/prover/jobs/job-output.ts";
import { binaryTypeOf, type JobResult } from "../../../src/prover/jobs/job-result.ts";
import { circuitFile } from "../../../src/prover/real/published-circuit.ts";

type Wires = Map<number, string>;
type ForeignCall = (name: string) => Promise<string[][]>;
interface Acvm {
  executeProgram(program: Uint8Array, inputs: Wires, onCall: ForeignCall): Promise<{ witness: Wires }[]>;
  getReturnWitness(program: Uint8Array, witness: Wires): Wires;
}

/** The published form without constraints, which runs in seconds, or the one that is proven, which takes minutes. */
export type CircuitForm = "simulated" | "proven";

/** Runs the circuits of the folder `artifacts` of a published package. */
export class PublishedCircuits {
  readonly #acvm: Acvm;
  readonly #folder: string;
  readonly #bytecodes = new Map<string, Uint8Array>();
  /** Milliseconds and runs by name of the file. */
  readonly spent = new Map<string, { ms: number; runs: number }>();

  /** `acvm` is the folder of an installed @noir-lang/acvm_js. */
  constructor(folder: string, acvm: string) {
    this.#folder = folder;
    this.#acvm = createRequire(import.meta.url)(join(acvm, "nodejs", "acvm_js.js"));
  }

  /**
   * What the circuit returns for its input, as field elements. Rejects if the input breaks a constraint. The simulated
   * form of a checkpoint root does not open blobs: it asks for the accumulator after them, and `accumulator` answers.
   */
  async run(
    type: BinaryJobType,
    form: CircuitForm,
    inputs: Uint8Array,
    accumulator: Uint8Array = new Uint8Array(),
  ): Promise<Uint8Array> {
    const onCall: ForeignCall = async (name) => (name === "evaluateBlobs" ? [wordsOf(accumulator)] : []);
    const { file, bytecode } = this.#circuit(type, form);
    const wires: Wires = new Map();
    for (const [i, value] of wordsOf(inputs).entries()) wires.set(i, value);
    const began = performance.now();
    try {
      const [{ witness }] = await this.#acvm.executeProgram(bytecode, wires, onCall);
      return concat(...[...this.#acvm.getReturnWitness(bytecode, witness).values()].map(fromHex));
    } finally {
      const before = this.spent.get(file) ?? { ms: 0, runs: 0 };
      this.spent.set(file, { ms: before.ms + performance.now() - began, runs: before.runs + 1 });
    }
  }

  /** A place of each member of the circuit's input, of arrays of the first and the last item. */
  places(type: BinaryJobType): InputPlace[] {
    const { abi } = JSON.parse(readFileSync(circuitFile(this.#folder, type), "utf8")) as { abi: Abi };
    const found: InputPlace[] = [];
    let at = 0;
    for (const { name, type: of } of abi.parameters) at = addPlaces(found, name, of, at);
    return found;
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

/** One field element of a circuit's input. */
export interface InputPlace {
  readonly path: string;
  readonly at: number;
}

type AbiType =
  | { readonly kind: "field" | "integer" | "boolean" }
  | { readonly kind: "array"; readonly length: number; readonly type: AbiType }
  | { readonly kind: "struct"; readonly fields: readonly AbiMember[] };
interface AbiMember {
  readonly name: string;
  readonly type: AbiType;
}
interface Abi {
  readonly parameters: readonly AbiMember[];
}

/** Adds the places of a value that begins at `at`. Returns where it ends. */
function addPlaces(found: InputPlace[], path: string, type: AbiType, at: number): number {
  if (type.kind === "struct") {
    return type.fields.reduce((end, { name, type: of }) => addPlaces(found, `${path}.${name}`, of, end), at);
  }
  if (type.kind === "array") {
    const last = type.length - 1;
    return Array.from({ length: type.length }).reduce<number>(
      (end, _, i) => addPlaces(i === 0 || i === last ? found : [], `${path}[${i}]`, type.type, end),
      at,
    );
  }
  found.push({ path, at });
  return at + 1;
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
    const returned = known ?? (await this.#circuits.run(type, this.#formOf(type), inputs, accumulatorIn(type, ours)));
    if (!equal(returned, ours)) throw new Error(`${type} returns other values: ${difference(returned, ours)}`);
    this.#known.set(key, returned);
    if (known === undefined) this.#judged({ type, inputs, returned });
    return simulateJob(this.#context, type, input);
  }
}

/** The end accumulator in what a checkpoint root returns. */
export function accumulatorIn(type: BinaryJobType, returned: Uint8Array): Uint8Array {
  return type.startsWith("CHECKPOINT_ROOT") ? returned.subarray(127 * 32, 145 * 32) : new Uint8Array();
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
