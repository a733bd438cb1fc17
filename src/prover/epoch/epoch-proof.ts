import { versionedHashOf } from "../../l1/blobs/blob-offer.ts";
import { bigUintBytes, concat, equal, readBigUint } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import { items } from "../../protocol/tx-effect.ts";
import { scalarLimbs } from "../circuits/blob-accumulation.ts";
import { commitmentFields, compressPoint } from "../circuits/layouts/bls-point.ts";
import { ConstraintError } from "../circuits/layouts/constraint-error.ts";
import type { ProofData, RecursiveProof } from "../circuits/layouts/proof-data.ts";
import type { EpochRollup } from "../circuits/layouts/rollups.ts";
import type { EpochProof, EpochTerms } from "./epoch-types.ts";

/** Fields of a proof's public inputs that belong to the proof: the points of its pairing. */
const PAIRING_FIELDS = 8;

/** The KZG opening of the epoch's joined blob at z. */
export interface JoinedOpening {
  /** 32 bytes. */
  readonly y: Uint8Array;
  /** 48 bytes. */
  readonly proof: Uint8Array;
}

/** What L1 is given for a root proof. Throws a ConstraintError if the opening is of another value. */
export function epochProof(
  terms: EpochTerms,
  range: Pick<EpochProof, "start" | "end" | "headers">,
  { publicInputs, proof }: ProofData<EpochRollup>,
  opening: JoinedOpening,
): EpochProof {
  const { previousArchiveRoot, endArchiveRoot, outHash, blobs } = publicInputs;
  if (!equal(opening.y, blobs.y)) throw new ConstraintError("blobs.y", "must be the value that the blobs open to");
  const commitment = compressPoint(blobs.c, "blobs.c");
  return {
    epoch: terms.epoch,
    ...range,
    previousArchive: previousArchiveRoot,
    endArchive: endArchiveRoot,
    outHash,
    proverId: terms.proverId,
    fees: feeFields(publicInputs),
    blobInputs: concat(versionedHashOf(commitment), blobs.z, blobs.y, commitment, opening.proof),
    proof: proofBytes(proof),
    publicInputs: publicInputFields(publicInputs, commitment),
  };
}

function feeFields({ fees }: EpochRollup): Fr[] {
  return fees.flatMap(({ recipient, value }) => [bigUintBytes(readBigUint(recipient), 32), value]);
}

/** The binary proof behind its public inputs. */
function proofBytes({ binary: { bytes, numPublicInputs } }: RecursiveProof): Uint8Array {
  return numPublicInputs === 0 ? bytes : bytes.subarray((numPublicInputs - PAIRING_FIELDS) * 32);
}

/** What the verifier takes (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
function publicInputFields(publicInputs: EpochRollup, commitment: Uint8Array): Fr[] {
  const { previousArchiveRoot, endArchiveRoot, outHash, headerHashes, constants, blobs } = publicInputs;
  const { chainId, version, vkTreeRoot, protocolContractsHash, proverId } = constants;
  return [
    ...[previousArchiveRoot, endArchiveRoot, outHash],
    ...items(headerHashes),
    ...feeFields(publicInputs),
    ...[chainId, version, vkTreeRoot, protocolContractsHash, proverId],
    ...[blobs.blobCommitmentsHash, blobs.z],
    ...scalarLimbs(readBigUint(blobs.y)),
    ...commitmentFields(commitment),
  ];
}
