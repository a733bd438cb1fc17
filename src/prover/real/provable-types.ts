import type { VerificationKey } from "../circuits/layouts/proof-data.ts";
import type { BinaryJobType } from "../jobs/job-input.ts";
import { binaryTypeOf } from "../jobs/job-result.ts";
import { JOB_TYPE_NAMES, JOB_TYPES, type JobType, type JobTypeName, nameOfJobType } from "../jobs/job-type.ts";
import { circuitSize } from "./circuit-size.ts";
import { NO_PUBLIC_VM } from "./real-prover.ts";

/** What an agent has for one job at a time. */
interface JobMeans {
  readonly memoryBytes: number;
  /** Of the reference string. */
  readonly points: number;
  readonly hasCircuit: (type: BinaryJobType) => boolean;
}

/** A type that an agent does not take, and why. */
interface LeftType {
  readonly name: JobTypeName;
  readonly reason: string;
}

/** The types of `wanted` (all if empty) that an agent can prove, decided before it takes a job. */
export function provableTypes(
  wanted: readonly JobType[],
  means: JobMeans,
  keyOf: (type: BinaryJobType) => VerificationKey,
): { readonly types: JobType[]; readonly left: LeftType[] } {
  const types: JobType[] = [];
  const left: LeftType[] = [];
  for (const name of wanted.length === 0 ? JOB_TYPE_NAMES : wanted.map(nameOfJobType)) {
    const binaryType = binaryTypeOf(JOB_TYPES[name]);
    const reason = binaryType === undefined ? NO_PUBLIC_VM : lackOf(means, binaryType, keyOf);
    if (reason === undefined) types.push(JOB_TYPES[name]);
    else left.push({ name, reason });
  }
  return { types, left };
}

function lackOf(
  { memoryBytes, points, hasCircuit }: JobMeans,
  type: BinaryJobType,
  keyOf: (type: BinaryJobType) => VerificationKey,
): string | undefined {
  const needed = circuitSize(keyOf(type));
  if (!hasCircuit(type)) return "its circuit is missing";
  if (points < needed.points) return `it takes ${needed.points} points of the reference string, there are ${points}`;
  if (memoryBytes < needed.memoryBytes) return `it takes ${mib(needed.memoryBytes)} MiB, there are ${mib(memoryBytes)}`;
  return undefined;
}

function mib(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
