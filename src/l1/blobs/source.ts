import type { L1Block } from "../types.ts";

export interface BlobRequest {
  l1Block: L1Block;
  /** Versioned hashes still missing, at least one. */
  wanted: readonly Uint8Array[];
  signal?: AbortSignal;
}

/**
 * A blob from a source. Sizes are correct and the commitment hashes to a wanted hash, but the data is not checked
 * against the commitment.
 */
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
   * Why a wanted blob is not among the offers: a text if it is absent, a BlobRejectedError if it is invalid, or the
   * error of the request.
   */
  refusals: { versionedHash: Uint8Array; reason: string | Error }[];
}

/** A source of blobs. */
export interface BlobSource {
  /** Redacted, for messages. */
  readonly name: string;
  /** Throws a BlobSourceError if the source as a whole cannot answer. */
  ask(request: BlobRequest): Promise<BlobAnswer>;
  /** Throws a BlobSourceError if the source does not answer. */
  checkReachable(signal?: AbortSignal): Promise<void>;
}

/** A store to which blobs are uploaded for other nodes. */
export interface BlobUploadStore {
  readonly name: string;
  /** Stores a blob unless it exists. */
  put(blob: BlobOffer, signal?: AbortSignal): Promise<void>;
  /** Writes the health-check file, by which readers see that the store works. */
  putHealthcheck(signal?: AbortSignal): Promise<void>;
}
