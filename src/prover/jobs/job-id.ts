import { createHash } from "node:crypto";
import { isJobTypeName, JOB_TYPES, type JobType, nameOfJobType } from "./job-type.ts";

/** The parts of a job's id. */
interface JobIdParts {
  readonly epoch: number;
  readonly type: JobType;
  /** SHA-256 of the input's bytes, lowercase hex. */
  readonly inputHash: string;
}

/**
 * `<epoch>:<TYPE>:<SHA-256 of the input's bytes>`: equal inputs within an epoch are one job. `input` is the encoded
 * input, for PUBLIC_VM the UTF-8 bytes of its JSON text.
 */
export function jobIdOf(epoch: number, type: JobType, input: Uint8Array): string {
  return `${epoch}:${nameOfJobType(type)}:${createHash("sha256").update(input).digest("hex")}`;
}

const JOB_ID = /^(0|[1-9][0-9]{0,9}):([A-Z_]{1,64}):([0-9a-f]{64})(?::[2-9])?$/;

/**
 * The id of a further attempt at a job, counted from 2: to a broker it is another job, since it answers a known id with
 * its first result.
 */
export function attemptIdOf(id: string, attempt: number): string {
  return attempt === 1 ? id : `${id}:${attempt}`;
}

/** The number of an attempt is left out. Undefined if the text is not the id of a job of a known type. */
export function parseJobId(id: string): JobIdParts | undefined {
  const [, epoch, name, inputHash] = JOB_ID.exec(id) ?? [];
  if (epoch === undefined || name === undefined || inputHash === undefined || !isJobTypeName(name)) return undefined;
  return { epoch: Number(epoch), type: JOB_TYPES[name], inputHash };
}
