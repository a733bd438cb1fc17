import type { L1Block } from "../types.ts";

export interface BlobRequest {
  l1Block: L1Block;
  /** Versioned hashes still missing, at least one. */
  wanted: readonly Uint8Array[];
  signal?: AbortSignal;
}

/** A blob as a source gives it: sizes are right and the commitment hashes to a wanted hash; data and commitment are not compared yet. */
export interface BlobOffer {
  versionedHash: Uint8Array;
  /** 131,072 bytes. */
  data: Uint8Array;
  /** 48 bytes. */
  commitment: Uint8Array;
}

export interface BlobAnswer {
  offers: BlobOffer[];
  /**
   * Why a wanted blob is not among the offers: absent, a BlobRejectedError for one that was there but is not right, or the error with
   * which asking for it ended.
   */
  refusals: { versionedHash: Uint8Array; reason: string | Error }[];
}

/** Somewhere to get blobs from. */
export interface BlobSource {
  /** For messages; redacted. */
  readonly name: string;
  /** Throws a BlobSourceError when the source as a whole cannot answer. */
  ask(request: BlobRequest): Promise<BlobAnswer>;
  /** Throws a BlobSourceError when it does not answer. */
  checkReachable(signal?: AbortSignal): Promise<void>;
}

/** A BlobSource that can also keep blobs for others. */
export interface BlobUploadStore {
  readonly name: string;
  /** Stores a blob unless it is there already. */
  put(blob: BlobOffer, signal?: AbortSignal): Promise<void>;
  /** Rewrites the file by which readers see that the store is alive. */
  putHealthcheck(signal?: AbortSignal): Promise<void>;
}
