import type { BinaryJobType } from "./job-input.ts";
import type { OutputBytes } from "./job-output.ts";
import { type JobType, nameOfJobType } from "./job-type.ts";

/** The encoded output of a job, which proof stores hold: of PUBLIC_VM its proof alone. */
export type JobResult = OutputBytes | Uint8Array;

/** A job's input as it was stored. */
export interface StoredInput {
  readonly type: JobType;
  /** Encoded; of PUBLIC_VM the UTF-8 bytes of its JSON text. */
  readonly input: Uint8Array;
}

/** A job's output as it was stored. */
export interface StoredOutput {
  readonly type: JobType;
  readonly result: JobResult;
}

/** Undefined for PUBLIC_VM, whose input is JSON. */
export function binaryTypeOf(type: JobType): BinaryJobType | undefined {
  const name = nameOfJobType(type);
  return name === "PUBLIC_VM" ? undefined : name;
}
