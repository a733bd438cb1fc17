import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { concat, equal } from "../../protocol/bytes.ts";
import { type Prover, ProvingError } from "../agent/prover.ts";
import type { CircuitContext } from "../circuits/circuit-context.ts";
import { CIRCUITS } from "../circuits/circuits.ts";
import type { RecursiveProof, VerificationKey } from "../circuits/layouts/proof-data.ts";
import { decode, fieldsOf } from "../codec/codec.ts";
import { type BinaryJobType, inputForm } from "../jobs/job-input.ts";
import { encodeOutput, type OutputBytes, outputForm } from "../jobs/job-output.ts";
import { binaryTypeOf, type JobResult, type StoredInput } from "../jobs/job-result.ts";
import { type BbCommands, JOB_FILES } from "./bb-commands.ts";
import type { JobFolders } from "./job-folders.ts";
import { readCircuit } from "./published-circuit.ts";
import type { WitnessSolver } from "./witness-solver.ts";

/** Why PUBLIC_VM is left to others. */
export const NO_PUBLIC_VM = "the published proof program is built without the public VM";

/** Fields of the proof that L1 verifies; other proofs are as long as the job's output says. */
const ROOT_PROOF_FIELDS = 331;
/** Public inputs that belong to the proof and not to the circuit: the points of its pairing. */
const PAIRING_FIELDS = 8;

export interface RealProverParts {
  readonly context: CircuitContext;
  readonly bb: Pick<BbCommands, "prove" | "verify">;
  readonly solver: WitnessSolver;
  /** Folder of the published circuits. */
  readonly circuits: string;
  readonly folders: JobFolders;
  /** The key of a circuit, with which its proofs are made and verified. */
  readonly keyOf: (type: BinaryJobType) => VerificationKey;
}

/** Proves jobs with the network's proof program and the published circuits. */
export class RealProver implements Prover {
  readonly #parts: RealProverParts;

  constructor(parts: RealProverParts) {
    this.#parts = parts;
  }

  async prove({ type, input }: StoredInput, signal: AbortSignal): Promise<JobResult> {
    const binaryType = binaryTypeOf(type);
    // Tried again, so that the broker gives it to an agent that can.
    if (binaryType === undefined) throw new ProvingError(`PUBLIC_VM cannot be proven here: ${NO_PUBLIC_VM}`, true);
    return this.#proveCircuit(binaryType, input, signal);
  }

  async #proveCircuit<T extends BinaryJobType>(type: T, input: Uint8Array, signal: AbortSignal): Promise<OutputBytes> {
    const { context, circuits, folders, keyOf } = this.#parts;
    const { generation } = context;
    const form = inputForm(generation, type);
    const output = outputForm(generation, type);
    const decoded = decode(form, `${type} input`, input);
    const publicInputs = CIRCUITS[type](context, decoded);
    const inputs = fieldsOf(form, decoded);
    const expected = fieldsOf(output.publicInputs, publicInputs);
    const key = keyOf(type);
    const circuit = await readCircuit(circuits, type, key.hash);
    requireWidth("takes", inputs, circuit.inputFields);
    requireWidth("returns", expected, circuit.outputFields);
    const proof = await folders.use((folder, solverFolder) =>
      this.#proof(
        type,
        { ...circuit, inputs, expected, key, folder, solverFolder, proofFields: output.proofFields },
        signal,
      ),
    );
    return encodeOutput(generation, type, {
      publicInputs,
      proof: recursiveProofOf(type, expected, proof, output.proofFields),
      verificationKey: key,
    });
  }

  /** The proof's fields. */
  async #proof(
    type: BinaryJobType,
    task: {
      readonly bytecode: Uint8Array;
      readonly inputs: Uint8Array;
      readonly expected: Uint8Array;
      readonly key: VerificationKey;
      readonly folder: string;
      readonly solverFolder: string;
      /** Of the output. */
      readonly proofFields: number;
    },
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { bb, solver } = this.#parts;
    const { bytecode, inputs, expected, key, folder } = task;
    const { witness, returned } = await solver.solve({ bytecode, inputs }, task.solverFolder, signal);
    if (returned !== undefined) requireExpected("the circuit returns", returned, expected);
    await writeFile(join(folder, JOB_FILES.bytecode), bytecode);
    await writeFile(join(folder, JOB_FILES.key), key.bytes);
    const { proof, publicInputs } = await bb.prove(type, folder, witness, signal);
    requireExpected("the proof is of", publicInputs, expected);
    const fields = type === "ROOT_ROLLUP" ? ROOT_PROOF_FIELDS : task.proofFields;
    if (proof.length !== fields * 32) {
      throw new ProvingError(
        `the proof program wrote a proof of ${proof.length} bytes instead of ${fields * 32}`,
        true,
      );
    }
    await bb.verify(type, folder, signal);
    return proof;
  }
}

function requireWidth(verb: string, fields: Uint8Array, width: number): void {
  if (fields.length === width * 32) return;
  throw new ProvingError(`the circuit ${verb} ${width} fields, this program has ${fields.length / 32}`, true);
}

function requireExpected(subject: string, actual: Uint8Array, expected: Uint8Array): void {
  if (equal(actual, expected)) return;
  throw new ProvingError(`${subject} other values than this program computes from the job's input`, true);
}

/** A proof in the form of outputs. That of the root is for L1 only and has no fields. */
function recursiveProofOf(
  type: BinaryJobType,
  publicInputs: Uint8Array,
  proof: Uint8Array,
  proofFields: number,
): RecursiveProof {
  const binary = { bytes: concat(publicInputs, proof), numPublicInputs: publicInputs.length / 32 };
  if (type !== "ROOT_ROLLUP") return { fields: proof, binary, fieldsValid: true };
  return {
    fields: new Uint8Array(proofFields * 32),
    binary: { ...binary, numPublicInputs: binary.numPublicInputs + PAIRING_FIELDS },
    fieldsValid: false,
  };
}
