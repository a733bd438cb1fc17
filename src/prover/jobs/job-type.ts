/** Names of the circuits that are proven by jobs. A type's number on the wire is its index here. */
export const JOB_TYPE_NAMES = [
  "PUBLIC_VM",
  "PUBLIC_CHONK_VERIFIER",
  "PRIVATE_TX_BASE_ROLLUP",
  "PUBLIC_TX_BASE_ROLLUP",
  "TX_MERGE_ROLLUP",
  "BLOCK_ROOT_FIRST_ROLLUP",
  "BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP",
  "BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP",
  "BLOCK_ROOT_ROLLUP",
  "BLOCK_ROOT_SINGLE_TX_ROLLUP",
  "BLOCK_MERGE_ROLLUP",
  "CHECKPOINT_ROOT_ROLLUP",
  "CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP",
  "CHECKPOINT_PADDING_ROLLUP",
  "CHECKPOINT_MERGE_ROLLUP",
  "ROOT_ROLLUP",
  "PARITY_BASE",
  "PARITY_ROOT",
] as const;

export type JobTypeName = (typeof JOB_TYPE_NAMES)[number];

/** The number of a job type: an integer from 0 to 17. */
export type JobType = number & { readonly __jobType: unique symbol };

export const JOB_TYPES = Object.fromEntries(JOB_TYPE_NAMES.map((name, type) => [name, type])) as Readonly<
  Record<JobTypeName, JobType>
>;

export function isJobType(value: unknown): value is JobType {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < JOB_TYPE_NAMES.length;
}

export function isJobTypeName(value: string): value is JobTypeName {
  return Object.hasOwn(JOB_TYPES, value);
}

export function nameOfJobType(type: JobType): JobTypeName {
  return JOB_TYPE_NAMES[type] as JobTypeName;
}
