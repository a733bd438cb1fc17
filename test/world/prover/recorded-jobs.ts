import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { parseJobId } from "../../../src/prover/jobs/job-id.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { type JobType, nameOfJobType } from "../../../src/prover/jobs/job-type.ts";

/** A job of the fixtures with its output. */
export interface RecordedJob {
  id: string;
  epoch: number;
  type: JobType;
  input: Uint8Array;
}

export interface BinaryRecordedJob extends RecordedJob {
  name: BinaryJobType;
  output: { publicInputs: Uint8Array; proof: Uint8Array; verificationKey: Uint8Array };
}

export interface VmRecordedJob extends RecordedJob {
  output: Uint8Array;
}

interface Row {
  id: string;
  input: string | object;
  output: string | { inputs: string; proof: string; verificationKey: string };
}

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));

/** Rows as in the fixture: base64, but the input of PUBLIC_VM is a JSON object. */
export function recordedJobsOf(rows: readonly Row[]): { binary: BinaryRecordedJob[]; vm: VmRecordedJob[] } {
  const binary: BinaryRecordedJob[] = [];
  const vm: VmRecordedJob[] = [];
  for (const { id, input, output } of rows) {
    const parts = parseJobId(id);
    if (parts === undefined) throw new RangeError(`not the id of a job: ${id}`);
    const { epoch, type } = parts;
    const name = nameOfJobType(type);
    if (name === "PUBLIC_VM") {
      vm.push({ id, epoch, type, input: Buffer.from(JSON.stringify(input)), output: bytesOf(output as string) });
    } else {
      const { inputs, proof, verificationKey } = output as Exclude<Row["output"], string>;
      binary.push({
        id,
        epoch,
        type,
        name,
        input: bytesOf(input as string),
        output: {
          publicInputs: bytesOf(inputs),
          proof: bytesOf(proof),
          verificationKey: bytesOf(verificationKey),
        },
      });
    }
  }
  return { binary, vm };
}

/** One or more jobs of every type. */
export function recordedJobs(): { binary: BinaryRecordedJob[]; vm: VmRecordedJob[] } {
  const file = new URL("../../fixtures/prover/jobs.json.br", import.meta.url);
  return recordedJobsOf(JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Row[]);
}
