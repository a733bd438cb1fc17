import { gunzipSync } from "node:zlib";
import snappy from "snappy";
import { JsonField } from "../../json/json-field.ts";
import { toHex } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { BYTES_PER_COMMITMENT, offerFromHex, offerOf } from "./blob-offer.ts";
import { BlobRejectedError, type BlobRule } from "./errors.ts";
import type { BlobOffer } from "./source.ts";

/**
 * Layout of a file store below its root (docs/protocol/04-l1-contracts.md#411-fetching-blobs):
 *   aztec-{l1ChainId}-{rollupVersion}-{rollup address}/blobs/{versioned hash}.data
 *   aztec-{l1ChainId}-{rollupVersion}-{rollup address}/.healthcheck
 */
export interface BlobStoreNetwork {
  l1ChainId: number;
  rollupVersion: number;
  /** Lower-case 0x. */
  rollupAddress: string;
}

function storeFolder({ l1ChainId, rollupVersion, rollupAddress }: BlobStoreNetwork): string {
  return `aztec-${l1ChainId}-${rollupVersion}-${rollupAddress.toLowerCase()}`;
}

export function blobKey(network: BlobStoreNetwork, versionedHash: Uint8Array): string {
  return `${storeFolder(network)}/blobs/${toHex(versionedHash)}.data`;
}

export function healthcheckKey(network: BlobStoreNetwork): string {
  return `${storeFolder(network)}/.healthcheck`;
}

export const HEALTHCHECK_CONTENT = "ok";

/** Limit on the JSON of a blob file, which contains 262,144 + 96 hex digits. */
const MAX_JSON_BYTES = 300_000;
/** Snappy and gzip expand incompressible data by at most a sixth. */
export const MAX_FILE_BYTES = 400_000;

/** Uncompressed length in the header of a Snappy block: a little-endian base-128 varint. */
function unpackedLength(block: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < 5 && i < block.length; i++) {
    length += (block[i] & 0x7f) * 2 ** (7 * i);
    if (block[i] < 0x80) return length;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Reads a `.data` file: JSON {blob, kzg_commitment} as one Snappy block, possibly gzipped. Throws a BlobRejectedError
 * that names the failed step.
 */
export function readBlobFile(source: string, file: Uint8Array, wanted: Uint8Array): BlobOffer {
  const reject = (rule: BlobRule, detail: string) => new BlobRejectedError(source, toHex(wanted), rule, detail);
  let block = file;
  if (file[0] === 0x1f && file[1] === 0x8b) {
    try {
      block = gunzipSync(file, { maxOutputLength: 2 * MAX_JSON_BYTES });
    } catch {
      throw reject("gzip", `${file.length} bytes of gzip do not unpack`);
    }
  }
  const length = unpackedLength(block);
  if (length > MAX_JSON_BYTES) {
    throw reject("snappy", `${block.length} bytes are no Snappy block of a blob`);
  }
  let json: Buffer;
  try {
    json = snappy.uncompressSync(Buffer.from(block), { asBuffer: true }) as Buffer;
  } catch {
    throw reject(
      "snappy",
      `${block.length} bytes of Snappy, which should unpack to ${length}, are truncated or altered`,
    );
  }
  const usual = usualContents(json);
  if (usual !== undefined) return offerOf(source, usual, wanted);
  const fields = JsonField.parse(json.toString("utf8"), "", (_, rule) => {
    throw reject("json", rule);
  });
  fields.object();
  return offerFromHex(
    source,
    { blob: fields.key("blob").value, commitment: fields.key("kzg_commitment").value },
    wanted,
  );
}

/** Where the digits are in JSON as writeBlobFile and the reference write it, and the text around them. */
const BLOB_AT = '{"blob":"0x'.length;
const COMMITMENT_AT = BLOB_AT + 2 * BYTES_PER_BLOB + '","kzg_commitment":"0x'.length;
const END_AT = COMMITMENT_AT + 2 * BYTES_PER_COMMITMENT;
const AROUND: readonly (readonly [number, Buffer])[] = [
  [0, Buffer.from('{"blob":"0x')],
  [BLOB_AT + 2 * BYTES_PER_BLOB, Buffer.from('","kzg_commitment":"0x')],
  [END_AT, Buffer.from('"}')],
];
/** Digits that are compared at once. */
const ZEROS = Buffer.alloc(4096, "0");

/**
 * Bytes of the digits from `at`, of which most are zeros at the end; undefined if others than digits are among them.
 */
function digitBytes(json: Buffer, at: number, length: number): Uint8Array | undefined {
  let end = at + 2 * length;
  for (let step = end - ZEROS.length; step >= at && json.compare(ZEROS, 0, ZEROS.length, step, end) === 0; ) {
    end = step;
    step -= ZEROS.length;
  }
  const out = Buffer.alloc(length);
  return 2 * out.write(json.toString("latin1", at, end), "hex") === end - at ? out : undefined;
}

/** Blob and commitment of JSON in the usual form, without parsing its quarter of a million characters. */
function usualContents(json: Buffer): Pick<BlobOffer, "data" | "commitment"> | undefined {
  if (json.length !== END_AT + 2) return undefined;
  if (AROUND.some(([at, text]) => json.compare(text, 0, text.length, at, at + text.length) !== 0)) return undefined;
  const data = digitBytes(json, BLOB_AT, BYTES_PER_BLOB);
  const commitment = digitBytes(json, COMMITMENT_AT, BYTES_PER_COMMITMENT);
  return data && commitment && { data, commitment };
}

export function writeBlobFile({ data, commitment }: BlobOffer): Uint8Array {
  return snappy.compressSync(JSON.stringify({ blob: toHex(data), kzg_commitment: toHex(commitment) }));
}
