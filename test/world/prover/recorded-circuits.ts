import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { verificationKeyOf } from "../../../src/prover/circuits/verification-keys.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { circuitFile } from "../../../src/prover/real/published-circuit.ts";
import { type BinaryRecordedJob, recordedJobs } from "./recorded-jobs.ts";

const file = new URL("../../fixtures/prover/circuits.json.br", import.meta.url);
const circuits = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Record<string, object>;

/** Writes the circuits of the fixtures into a folder, as the published package has them. */
export function writeCircuits(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, circuit] of Object.entries(circuits)) writeFileSync(join(folder, name), JSON.stringify(circuit));
  return folder;
}

/** The recorded jobs whose circuit is among the fixtures. */
export const jobsWithCircuit: BinaryRecordedJob[] = recordedJobs().binary.filter(({ name }) =>
  Object.hasOwn(circuits, basename(circuitFile("", name))),
);

export function jobOf(type: BinaryJobType): BinaryRecordedJob {
  const job = jobsWithCircuit.find(({ name }) => name === type);
  if (job === undefined) throw new RangeError(`no recorded job of type ${type} with a circuit`);
  return job;
}

export const releasedKeyOf = (type: BinaryJobType) => verificationKeyOf(V4, type).key;
