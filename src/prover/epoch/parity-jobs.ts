import { createHash } from "node:crypto";
import { concat } from "../../protocol/bytes.ts";
import { L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import type { EpochContext } from "./epoch-context.ts";
import type { Proven } from "./epoch-jobs.ts";
import { proverIdField } from "./prover-id.ts";

/** Messages of one PARITY_BASE job, and number of these jobs for a checkpoint. */
const MESSAGES_PER_JOB = 256;
const JOBS = L1_TO_L2_MESSAGES_PER_CHECKPOINT / MESSAGES_PER_JOB;

/** Jobs for the messages of an epoch's checkpoints. Most have none, and equal messages are proven once. */
export class ParityJobs {
  readonly #context: EpochContext;
  readonly #bases = new Map<string, Proven<"PARITY_BASE">>();
  readonly #roots = new Map<string, Proven<"PARITY_ROOT">>();

  constructor(context: EpochContext) {
    this.#context = context;
  }

  /** At most 1024 messages. */
  prove(messages: readonly Fr[]): Proven<"PARITY_ROOT"> {
    const padded = new Uint8Array(L1_TO_L2_MESSAGES_PER_CHECKPOINT * 32);
    padded.set(concat(...messages));
    return once(this.#roots, padded, () => {
      const bases = Array.from({ length: JOBS }, (_, i) =>
        this.#base(padded.subarray(i * MESSAGES_PER_JOB * 32, (i + 1) * MESSAGES_PER_JOB * 32)),
      );
      return this.#context.jobs.prove(
        "PARITY_ROOT",
        Promise.all(bases).then((children) => ({ children })),
      );
    });
  }

  #base(messages: Uint8Array): Proven<"PARITY_BASE"> {
    const { generation, jobs, terms } = this.#context;
    const proverId = generation.circuits.parityNamesProver ? proverIdField(terms) : undefined;
    return once(this.#bases, messages, () =>
      jobs.prove("PARITY_BASE", { messages, vkTreeRoot: terms.vkTreeRoot, proverId }),
    );
  }
}

function once<T>(made: Map<string, T>, bytes: Uint8Array, make: () => T): T {
  const key = createHash("sha256").update(bytes).digest("hex");
  const known = made.get(key);
  if (known !== undefined) return known;
  const value = make();
  made.set(key, value);
  return value;
}
