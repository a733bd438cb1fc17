import { hash } from "node:crypto";
import { equal } from "../../../src/protocol/bytes.ts";
import { ConstraintError } from "../../../src/prover/circuits/layouts/constraint-error.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { CircuitRefusal, type JudgedJob, type PublishedCircuits } from "./published-circuits.ts";

/**
 * Who refuses a change: its own circuit, our evaluation of the blobs for it, a circuit above it, or the rollup
 * contract.
 */
export type Refusal =
  | { readonly by: "circuit" | "above" }
  | { readonly by: "blobs"; readonly reason: string }
  | { readonly by: "L1"; readonly words: readonly string[] };

/** A job and the slots of its input that have what other jobs returned. */
interface PlacedJob extends JudgedJob {
  readonly children: readonly { readonly index: number; readonly at: number }[];
}

/**
 * The jobs of an epoch, children before parents, and where each result went: a changed one can be carried up to the
 * root.
 */
export class JudgedEpoch {
  readonly #circuits: PublishedCircuits;
  readonly #jobs: PlacedJob[] = [];
  /** Index of a job by what it returned. */
  readonly #returned = new Map<string, number>();

  constructor(circuits: PublishedCircuits) {
    this.#circuits = circuits;
  }

  get jobs(): readonly JudgedJob[] {
    return this.#jobs;
  }

  /** Equal jobs are one. */
  add(job: JudgedJob): void {
    if (this.#jobs.some(({ type, inputs }) => type === job.type && equal(inputs, job.inputs))) return;
    const children = this.#circuits.childSlots(job.type).flatMap(({ at, width }) => {
      const index = this.#returned.get(digest(job.inputs.subarray(at * 32, (at + width) * 32)));
      return index === undefined ? [] : [{ index, at }];
    });
    this.#returned.set(digest(job.returned), this.#jobs.length);
    this.#jobs.push({ ...job, children });
  }

  /** Gives the circuit of a job another input, and what it returns then to all circuits above. Undefined: no effect. */
  async change(index: number, inputs: Uint8Array): Promise<Refusal | undefined> {
    const { type, returned } = this.#jobs[index];
    const answer = await this.#answer(type, inputs);
    if (answer instanceof CircuitRefusal) {
      const { cause, message } = answer;
      return cause instanceof ConstraintError ? { by: "blobs", reason: message } : { by: "circuit" };
    }
    return equal(answer, returned) ? undefined : this.#carry(index, answer);
  }

  async #carry(index: number, returned: Uint8Array): Promise<Refusal | undefined> {
    const changed = new Map([[index, returned]]);
    for (const [i, job] of this.#jobs.entries()) {
      const inputs = job.inputs.slice();
      let differs = false;
      for (const { index: child, at } of job.children) {
        const other = changed.get(child);
        if (other === undefined) continue;
        inputs.set(other, at * 32);
        differs = true;
      }
      if (!differs) continue;
      const answer = await this.#answer(job.type, inputs);
      if (answer instanceof CircuitRefusal) return { by: "above" };
      if (!equal(answer, job.returned)) changed.set(i, answer);
    }
    const root = this.#jobs.findIndex(({ type }) => type === "ROOT_ROLLUP");
    const words = wordsRefusedByL1(this.#jobs[root].returned, changed.get(root) ?? this.#jobs[root].returned);
    return words.length === 0 ? undefined : { by: "L1", words };
  }

  async #answer(type: BinaryJobType, inputs: Uint8Array): Promise<Uint8Array | CircuitRefusal> {
    try {
      return await this.#circuits.run(type, "simulated", inputs);
    } catch (error) {
      if (error instanceof CircuitRefusal) return error;
      throw error;
    }
  }
}

const numbered = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i));

/** The words that the verifier on L1 takes (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
const WORDS = [
  ...["previousArchive", "endArchive", "outHash"],
  ...numbered(32, (i) => `headerHashes[${i}]`),
  ...Array.from({ length: 32 }, (_, i) => [`fees[${i}].recipient`, `fees[${i}].value`]).flat(),
  ...["chainId", "version", "vkTreeRoot", "protocolContractsHash", "proverId"],
  ...["blobCommitmentsHash", "z", "y[0]", "y[1]", "y[2]", "C[0]", "C[1]"],
];

/**
 * The words in which a root differs from what L1 has: archives, hashes of headers (and with them fees and out hash) and
 * of commitments from `propose`, constants of its own, and the opening that its precompile verifies. Only the prover's
 * id is whatever the submission says.
 */
function wordsRefusedByL1(honest: Uint8Array, other: Uint8Array): string[] {
  return WORDS.filter((name, i) => {
    const word = (of: Uint8Array) => of.subarray(i * 32, i * 32 + 32);
    return name !== "proverId" && !equal(word(honest), word(other));
  });
}

function digest(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}
