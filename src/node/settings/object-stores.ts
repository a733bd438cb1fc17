import { existsSync } from "node:fs";
import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import { NoBlobSourceReachableError } from "../../l1/blobs/errors.ts";
import { ObjectStoreUrlError } from "../../storage/objects/errors.ts";
import { openObjectReader, openObjectStore } from "../../storage/objects/open-store.ts";
import { objectStoreAccess } from "./object-access.ts";
import { hasProver } from "./roles.ts";

type Open = typeof openObjectReader;

/** Throws a ConfigurationError for a store that cannot be used. */
function opener({
  objectStores,
}: PartValues): (option: string, urls: readonly (string | undefined)[], open: Open) => void {
  const access = objectStoreAccess(objectStores);
  return (option, urls, open) => {
    for (const url of urls) {
      try {
        if (url !== undefined) open(url, access);
      } catch (error) {
        if (!(error instanceof ObjectStoreUrlError)) throw error;
        throw new ConfigurationError(`${option} cannot be used: ${error.message}`, { cause: error });
      }
    }
  };
}

/** Throws a ConfigurationError for a store of proofs that agents, or a prover with a broker elsewhere, cannot use. */
export function checkProofStore(values: PartValues): void {
  opener(values)("PROVER_PROOF_STORE", [values.prover.proofStore], openObjectStore);
}

/** Throws a ConfigurationError for a store that no part of the node can use, with the name of its option. */
export function checkObjectStores(values: PartValues): void {
  const { blobs, txCollection, snapshots, prover, broker, modes } = values;
  const opened = opener(values);
  opened("BLOB_FILE_STORE_URLS", blobs.fileStoreUrls, openObjectReader);
  opened("BLOB_FILE_STORE_UPLOAD_URL", [blobs.uploadUrl], openObjectStore);
  opened("SYNC_SNAPSHOTS_URLS", snapshots.urls, openObjectReader);
  opened("TX_COLLECTION_FILE_STORE_URLS", txCollection.txCollectionFileStoreUrls, openObjectReader);
  if (txCollection.txFileStoreEnabled) opened("TX_FILE_STORE_URL", [txCollection.txFileStoreUrl], openObjectStore);
  opened("PROVER_NODE_FAILED_EPOCH_STORE", [prover.failedEpochStore], openObjectStore);
  if (!hasProver(modes)) return;
  opened("PROVER_FAILED_PROOF_STORE", [prover.failedProofStore], openObjectStore);
  if (broker.url !== undefined) checkProofStore(values);
}

/** Whether this node makes one of the stores that it reads blobs from at its start. */
export function writesOwnBlobSource({ fileStoreUrls, uploadUrl }: PartValues["blobs"]): boolean {
  return uploadUrl !== undefined && fileStoreUrls.includes(uploadUrl);
}

/**
 * Throws a NoBlobSourceReachableError where the only sources of blobs are folders that are not there, which needs no
 * network to be known.
 */
export function requireBlobFolder({ blobs, l1 }: PartValues): void {
  const { fileStoreUrls: urls, archiveUrl, allowEmpty } = blobs;
  if (allowEmpty || urls.length === 0 || archiveUrl !== undefined || l1.consensusUrls.length > 0) return;
  if (writesOwnBlobSource(blobs)) return;
  const missing = (url: string) => url.startsWith("file:") && !existsSync(new URL(url));
  if (!urls.every(missing)) return;
  throw new NoBlobSourceReachableError(urls.map((source) => ({ source, reason: "there is no such folder" })));
}
