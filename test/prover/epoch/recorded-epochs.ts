import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { VmPublicInputs } from "../../../src/prover/circuits/layouts/vm-public-inputs.ts";
import { decode } from "../../../src/prover/codec/codec.ts";
import type { PublicPart } from "../../../src/prover/epoch/epoch-types.ts";

/** An epoch as the reference implementation proved it. */
export interface RecordedEpoch {
  epoch: number;
  /** Of its jobs. */
  ids: string[];
  /** What the VM's circuit takes and returns, base64, by transaction hash. */
  publicInputs: Record<string, string>;
}

export function recordedEpochs(): RecordedEpoch[] {
  const file = new URL("../../fixtures/prover/epoch-jobs.json.br", import.meta.url);
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as RecordedEpoch[];
}

/** The recorded public inputs of a transaction, with an empty text in place of the VM's hints. */
export async function recordedPart({ publicInputs }: RecordedEpoch, hash: string): Promise<PublicPart> {
  const bytes = new Uint8Array(Buffer.from(publicInputs[hash], "base64"));
  return { vmInput: new Uint8Array(), publicInputs: decode(VmPublicInputs, hash, bytes) };
}
