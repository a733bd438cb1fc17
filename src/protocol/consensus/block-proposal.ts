/** A proposer's block, offered to peers before its checkpoint is on L1. */
export interface BlockProposal {
  /** 440 bytes; see docs/protocol/03-blocks-and-blobs.md. */
  header: Uint8Array;
  /** From 0. */
  indexWithinCheckpoint: number;
  /** 32 bytes: commitment to the checkpoint's messages from L1. */
  inHash: Uint8Array;
  /** 32 bytes: root of the archive after this block. */
  archiveRoot: Uint8Array;
  /** 32 bytes each, in the order of execution. */
  txHashes: Uint8Array[];
  /** The proposer's: 65 bytes r, s, v. */
  signature: Uint8Array;
}
