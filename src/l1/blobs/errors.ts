import { OperatorError } from "../../errors/operator-error.ts";

/** Rule that a rejected blob breaks. */
export type BlobRule =
  | "gzip"
  | "snappy"
  | "json"
  | "hex"
  | "blob-size"
  | "commitment-size"
  | "versioned-hash"
  | "commitment";

/** A source returned an invalid or wrong blob. */
export class BlobRejectedError extends Error {
  override readonly name = "BlobRejectedError";
  readonly source: string;
  /** 0x text. */
  readonly versionedHash: string;
  readonly rule: BlobRule;
  readonly detail: string;

  constructor(source: string, versionedHash: string, rule: BlobRule, detail: string) {
    super(`blob ${versionedHash} of ${source}: ${detail}`);
    this.source = source;
    this.versionedHash = versionedHash;
    this.rule = rule;
    this.detail = detail;
  }
}

/** A source could not be read. */
export class BlobSourceError extends Error {
  override readonly name = "BlobSourceError";
  readonly source: string;
  readonly reason: string;

  constructor(source: string, reason: string, options?: ErrorOptions) {
    super(`blob source ${source}: ${reason}`, options);
    this.source = source;
    this.reason = reason;
  }
}

interface MissingBlob {
  /** 0x text. */
  versionedHash: string;
  /** The last reason of each source, in the order in which they were asked. */
  reasons: { source: string; reason: string }[];
}

/** Every source was asked and some blobs are still missing. Asking later may help. */
export class MissingBlobError extends Error {
  override readonly name = "MissingBlobError";
  readonly l1BlockNumber: number;
  readonly missing: readonly MissingBlob[];

  constructor(l1BlockNumber: number, missing: readonly MissingBlob[]) {
    const lines = missing.map(
      ({ versionedHash, reasons }) =>
        `${versionedHash}: ${reasons.map((r) => `${r.source}: ${r.reason}`).join("; ") || "no source is configured"}`,
    );
    super(`${missing.length} blobs of L1 block ${l1BlockNumber} are missing\n  ${lines.join("\n  ")}`);
    this.l1BlockNumber = l1BlockNumber;
    this.missing = missing;
  }
}

/** The configuration of a blob source is invalid. */
export class BlobSourceConfigurationError extends OperatorError {
  override readonly errorCode: string = "blob-source-url";

  override readonly name = "BlobSourceConfigurationError";
  /** Redacted. */
  readonly url: string;
  readonly rule: string;

  constructor(url: string, rule: string) {
    super(`${rule} (${url})`);
    this.url = url;
    this.rule = rule;
  }
}

const NO_SOURCE_REMEDY =
  "name a store of this network by BLOB_FILE_STORE_URLS, or a beacon node by L1_CONSENSUS_HOST_URLS; on a new network " +
  "a store is made by the node that uploads to it (BLOB_FILE_STORE_UPLOAD_URL), and until then " +
  "BLOB_ALLOW_EMPTY_SOURCES=true starts without one";

/** No blob source answers, or none is configured although one is required. */
export class NoBlobSourceReachableError extends OperatorError {
  override readonly errorCode: string = "no-blob-source";
  readonly remedy = NO_SOURCE_REMEDY;

  override readonly name = "NoBlobSourceReachableError";
  readonly failures: readonly { source: string; reason: string }[];

  constructor(failures: readonly { source: string; reason: string }[]) {
    const list = failures.map((f) => `${f.source}: ${f.reason}`).join("; ");
    super(`no blob source can be reached: ${list || "none is configured"}; ${NO_SOURCE_REMEDY}`);
    this.failures = failures;
  }
}

/** The KZG library could not be used. */
export class KzgUnavailableError extends Error {
  override readonly name = "KzgUnavailableError";
}
