import type { CheckpointHeader } from "../checkpoint-header.ts";

/** A proposer's checkpoint, offered to the committee for attestation. */
export interface CheckpointProposal {
  header: CheckpointHeader;
  /** 32 bytes: root of the archive after the checkpoint's last block. */
  archive: Uint8Array;
  /** Change of the fee asset's price that the proposer votes for. */
  feeAssetPriceModifier: bigint;
  /** The proposer's: 65 bytes r, s, v. */
  signature: Uint8Array;
}
