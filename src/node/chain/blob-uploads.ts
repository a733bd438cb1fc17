import type { PartValues } from "../../config/part-values.ts";
import { BackgroundUploads } from "../../l1/blobs/background-uploads.ts";
import { FileStoreUpload } from "../../l1/blobs/file-store-source.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { openObjectStore } from "../../storage/objects/open-store.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { objectStoreAccess } from "../settings/object-access.ts";

/** Uploads to the configured store; undefined if there is none. Throws an ObjectStoreUrlError. */
export function blobUploads(
  values: Pick<PartValues, "blobs" | "objectStores">,
  { l1ChainId, rollupVersion, addresses }: Pick<RollupIdentity, "l1ChainId" | "rollupVersion" | "addresses">,
  logger: Logger,
): BackgroundUploads | undefined {
  const { uploadUrl: url } = values.blobs;
  if (url === undefined) return undefined;
  const network = { l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress };
  return new BackgroundUploads(
    new FileStoreUpload(openObjectStore(url, objectStoreAccess(values.objectStores)), network),
    logger,
  );
}
