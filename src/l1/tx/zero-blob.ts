import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { BYTES_PER_COMMITMENT, versionedHashOf } from "../blobs/blob-offer.ts";
import type { BlobSidecars } from "./transaction.ts";

/** Cells of a blob (EIP-7594). */
export const CELLS_PER_BLOB = 128;

/**
 * One blob of zeros, for a transaction that replaces a blob transaction. Its polynomial is zero, so the commitment and
 * all proofs are the point at infinity.
 */
export function zeroBlobSidecars(cellProofs: boolean): BlobSidecars {
  const infinity = new Uint8Array(BYTES_PER_COMMITMENT);
  infinity[0] = 0xc0;
  return {
    blobs: [new Uint8Array(BYTES_PER_BLOB)],
    commitments: [infinity],
    proofs: Array.from({ length: cellProofs ? CELLS_PER_BLOB : 1 }, () => infinity),
    versionedHashes: [versionedHashOf(infinity)],
    cellProofs,
  };
}
