import { gunzipSync } from "node:zlib";
import snappy from "snappy";
import { mapParallel } from "../../events/parallel.ts";
import { JsonField } from "../../json/json-field.ts";
import { toHex } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { ObjectStoreError } from "../../storage/objects/errors.ts";
import type { ObjectReader, ObjectStore } from "../../storage/objects/object-store.ts";
import { BYTES_PER_COMMITMENT, offerFromHex, offerOf } from "./blob-offer.ts";
import { BlobRejectedError, type BlobRule, BlobSourceError } from "./errors.ts";
import type { BlobAnswer, BlobOffer, BlobRequest, BlobSource, BlobUploadStore } from "./source.ts";

/**
 * Layout of a file store below its root (docs/protocol/04-l1-contracts.md#411-fetching-blobs):
 *   aztec-{l1ChainId}-{rollupVersion}-{rollup address}/blobs/{versioned hash}.data
 *   aztec-{l1ChainId}-{rollupVersion}-{rollup address}/.healthcheck
 */
interface BlobStoreNetwork {
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
const MAX_FILE_BYTES = 400_000;

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

const MAX_HEALTHCHECK_BYTES = 4096;

/** Blobs of one network in a file store (docs/protocol/04-l1-contracts.md#411-fetching-blobs). */
export class FileStoreSource implements BlobSource {
  readonly name: string;
  readonly #objects: ObjectReader;
  readonly #network: BlobStoreNetwork;

  constructor(objects: ObjectReader, network: BlobStoreNetwork) {
    this.name = objects.name;
    this.#objects = objects;
    this.#network = network;
  }

  async ask({ wanted, signal }: BlobRequest): Promise<BlobAnswer> {
    const answer: BlobAnswer = { offers: [], refusals: [] };
    await mapParallel(wanted, 6, async (versionedHash) => {
      try {
        const file = await this.#objects.get(blobKey(this.#network, versionedHash), {
          signal,
          maxBytes: MAX_FILE_BYTES,
        });
        if (file) answer.offers.push(readBlobFile(this.name, file, versionedHash));
        else answer.refusals.push({ versionedHash, reason: "not there" });
      } catch (error) {
        if (error instanceof BlobRejectedError) answer.refusals.push({ versionedHash, reason: error });
        else if (error instanceof ObjectStoreError) answer.refusals.push({ versionedHash, reason: error });
        else throw error;
      }
    });
    return answer;
  }

  async checkReachable(signal?: AbortSignal): Promise<void> {
    const key = healthcheckKey(this.#network);
    let there: boolean;
    try {
      there = (await this.#objects.get(key, { signal, maxBytes: MAX_HEALTHCHECK_BYTES })) !== undefined;
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      throw new BlobSourceError(this.name, error.rule, { cause: error });
    }
    if (!there) throw new BlobSourceError(this.name, `has no ${key}`);
  }
}

/** A file store that this node writes to. */
export class FileStoreUpload implements BlobUploadStore {
  readonly name: string;
  readonly #objects: ObjectStore;
  readonly #network: BlobStoreNetwork;

  constructor(objects: ObjectStore, network: BlobStoreNetwork) {
    this.name = objects.name;
    this.#objects = objects;
    this.#network = network;
  }

  async put(blob: BlobOffer, signal?: AbortSignal): Promise<void> {
    const key = blobKey(this.#network, blob.versionedHash);
    if (!(await this.#objects.has(key, signal))) await this.#objects.put(key, writeBlobFile(blob), { signal });
  }

  putHealthcheck(signal?: AbortSignal): Promise<void> {
    return this.#objects.put(healthcheckKey(this.#network), Buffer.from(HEALTHCHECK_CONTENT), { signal });
  }
}
