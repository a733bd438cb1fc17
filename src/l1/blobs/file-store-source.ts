import { mapParallel } from "../../events/parallel.ts";
import { ObjectStoreError } from "../../storage/objects/errors.ts";
import type { ObjectReader, ObjectStore } from "../../storage/objects/object-store.ts";
import {
  type BlobStoreNetwork,
  blobKey,
  HEALTHCHECK_CONTENT,
  healthcheckKey,
  MAX_FILE_BYTES,
  readBlobFile,
  writeBlobFile,
} from "./blob-file.ts";
import { BlobRejectedError, BlobSourceError } from "./errors.ts";
import type { BlobAnswer, BlobOffer, BlobRequest, BlobSource, BlobUploadStore } from "./source.ts";

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
