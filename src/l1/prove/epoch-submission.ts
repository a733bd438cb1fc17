import { encodeFunctionData, type Hex } from "viem";
import { fromHex, readBigUint, toHex } from "../../protocol/bytes.ts";
import type { CheckpointHeader } from "../../protocol/checkpoint-header.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { headerStruct } from "../abi/header-struct.ts";
import { SUBMISSION_ABI } from "../abi/rollup-proofs.ts";
import type { PostedAttestations } from "../committee/packed-attestations.ts";

/** A proof of the checkpoints `start .. end` of an epoch, and what L1 computes its public inputs from. */
export interface EpochProof {
  /** Checkpoint numbers; `start` is the first of its epoch. */
  readonly start: number;
  readonly end: number;
  /** Archive root before checkpoint `start`. */
  readonly previousArchive: Uint8Array;
  /** Archive root after checkpoint `end`. */
  readonly endArchive: Uint8Array;
  /** Out hash in the header of checkpoint `end`. */
  readonly outHash: Uint8Array;
  /** 20 bytes. */
  readonly proverId: Uint8Array;
  /** 64 words: coinbase and fees of each checkpoint, then zeros. */
  readonly fees: readonly Uint8Array[];
  /** Of the checkpoints, in order. */
  readonly headers: readonly CheckpointHeader[];
  /**
   * Input of the point evaluation of EIP-4844 for the epoch's batched blobs, 192 bytes
   * (docs/protocol/03-blocks-and-blobs.md#316-batched-opening-of-an-epoch).
   */
  readonly blobInputs: Uint8Array;
  /** Without its public inputs. */
  readonly proof: Uint8Array;
}

export interface EpochSubmission extends EpochProof {
  /** Those of checkpoint `end`, as they were posted. */
  readonly attestations: PostedAttestations;
}

const hex = (bytes: Uint8Array) => toHex(bytes) as Hex;

function epochArgs({ previousArchive, endArchive, outHash, proverId }: EpochProof) {
  return {
    previousArchive: hex(previousArchive),
    endArchive: hex(endArchive),
    outHash: hex(outHash),
    proverId: hex(proverId),
  };
}

/** What the rollup's functions about proofs take in a generation. */
export type EpochProofForm = Pick<Generation, "l1" | "headers">;

function rowsOf({ l1, headers: { accumulatedFeesAt } }: EpochProofForm, { fees, headers }: EpochProof) {
  if (l1.epochProofTakes === "fees") return fees.map(hex);
  if (accumulatedFeesAt === undefined) throw new Error("the headers that a proof is submitted with must have fees");
  return headers.map((header) => ({
    ...headerStruct(header),
    accumulatedFees: readBigUint(header, accumulatedFeesAt, 32),
  }));
}

/** Arguments of `getEpochProofPublicInputs`. */
export function publicInputArgs(form: EpochProofForm, proof: EpochProof): unknown[] {
  const { start, end, blobInputs } = proof;
  return [BigInt(start), BigInt(end), epochArgs(proof), rowsOf(form, proof), hex(blobInputs)];
}

/** Input of the rollup's `submitEpochRootProof` (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
export function submissionCalldata(form: EpochProofForm, submission: EpochSubmission): Uint8Array {
  const { start, end, attestations, blobInputs, proof } = submission;
  const input = encodeFunctionData({
    abi: SUBMISSION_ABI[form.l1.epochProofTakes],
    functionName: "submitEpochRootProof",
    args: [
      {
        start: BigInt(start),
        end: BigInt(end),
        args: epochArgs(submission),
        rows: rowsOf(form, submission),
        attestations: {
          signatureIndices: hex(attestations.signatureIndices),
          signaturesOrAddresses: hex(attestations.signaturesOrAddresses),
        },
        blobInputs: hex(blobInputs),
        proof: hex(proof),
      },
    ],
  });
  return fromHex(input);
}
