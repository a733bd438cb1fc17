import { versionedHashOf } from "../blobs/blob-offer.ts";
import type { Kzg } from "../blobs/kzg.ts";
import type { KzgPart } from "../blobs/kzg-messages.ts";
import type { BlobSidecars } from "../tx/transaction.ts";

/**
 * Mainnet and Sepolia, whose nodes accept only blobs with cell proofs
 * (docs/protocol/08-building-and-checkpoints.md#819-blob-sidecars).
 */
const CELL_PROOF_CHAINS: readonly number[] = [1, 11_155_111];

export function wantsCellProofs(chainId: number): boolean {
  return CELL_PROOF_CHAINS.includes(chainId);
}

/** What to load for the chain's proofs before they are asked for. */
export function kzgPart(chainId: number): KzgPart {
  return wantsCellProofs(chainId) ? "library" : "points";
}

/** Commitments and proofs of blobs (131,072 bytes each). Throws KzgUnavailableError. */
export async function blobSidecars(
  kzg: Pick<Kzg, "prove">,
  blobs: readonly Uint8Array[],
  cellProofs: boolean,
): Promise<BlobSidecars> {
  const proven = await Promise.all(blobs.map((blob) => kzg.prove(blob, cellProofs)));
  const commitments = proven.map(({ commitment }) => commitment);
  return {
    blobs,
    commitments,
    proofs: proven.flatMap(({ proofs }) => proofs),
    versionedHashes: commitments.map(versionedHashOf),
    cellProofs,
  };
}
