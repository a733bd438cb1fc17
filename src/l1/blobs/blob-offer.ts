import { hash } from "node:crypto";
import { equal, toHex } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { BlobRejectedError, type BlobRule } from "./errors.ts";
import type { BlobOffer } from "./source.ts";

export const BYTES_PER_COMMITMENT = 48;

/** EIP-4844: 0x01 and the last 31 bytes of the commitment's SHA-256. */
export function versionedHashOf(commitment: Uint8Array): Uint8Array {
  const digest = new Uint8Array(hash("sha256", commitment, "buffer"));
  digest[0] = 1;
  return digest;
}

/** Bytes of 0x text that must have a known length; undefined for anything else. */
function hexBytes(value: unknown, length: number): Uint8Array | undefined {
  if (typeof value !== "string" || value.length !== 2 + 2 * length || !value.startsWith("0x")) return undefined;
  const out = Buffer.from(value.slice(2), "hex");
  return out.length === length ? out : undefined;
}

function describe(value: unknown): string {
  return typeof value === "string" ? `${value.length} characters` : typeof value;
}

/**
 * Parses a blob and its commitment from 0x text, as in JSON APIs and stores. Throws a BlobRejectedError for wrong sizes
 * or characters, and for a commitment that does not hash to `wanted`, if given.
 */
export function offerFromHex(
  source: string,
  fields: { blob: unknown; commitment: unknown },
  wanted?: Uint8Array,
): BlobOffer {
  const reject = (rule: BlobRule, detail: string) =>
    new BlobRejectedError(source, wanted ? toHex(wanted) : "unknown", rule, detail);
  const commitment = hexBytes(fields.commitment, BYTES_PER_COMMITMENT);
  if (!commitment) {
    const detail = `commitment must be ${BYTES_PER_COMMITMENT} bytes of 0x text, got ${describe(fields.commitment)}`;
    throw reject("commitment-size", detail);
  }
  const data = hexBytes(fields.blob, BYTES_PER_BLOB);
  if (!data) {
    throw reject("blob-size", `blob must be ${BYTES_PER_BLOB} bytes of 0x text, got ${describe(fields.blob)}`);
  }
  return offerOf(source, { data, commitment }, wanted);
}

/** A blob with its commitment. Throws a BlobRejectedError if that does not hash to `wanted`, if given. */
export function offerOf(
  source: string,
  { data, commitment }: Pick<BlobOffer, "data" | "commitment">,
  wanted?: Uint8Array,
): BlobOffer {
  const versionedHash = versionedHashOf(commitment);
  if (wanted && !equal(versionedHash, wanted)) {
    const detail = `commitment hashes to ${toHex(versionedHash)}`;
    throw new BlobRejectedError(source, toHex(wanted), "versioned-hash", detail);
  }
  return { versionedHash, data, commitment };
}
