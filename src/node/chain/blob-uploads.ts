import type { Values } from "../../config/options.ts";
import { BackgroundUploads } from "../../l1/blobs/background-uploads.ts";
import { FileStoreUpload } from "../../l1/blobs/file-store-source.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { openObjectStore } from "../../storage/objects/open-store.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type ObjectStoreSettings, objectStoreAccess } from "../settings/object-access.ts";

export type BlobUploadSettings = ObjectStoreSettings & Pick<Values, "blobFileStoreUploadUrl">;

/** Uploads to the configured store; undefined if there is none. Throws an ObjectStoreUrlError. */
export function blobUploads(
  values: BlobUploadSettings,
  { l1ChainId, rollupVersion, addresses }: Pick<RollupIdentity, "l1ChainId" | "rollupVersion" | "addresses">,
  logger: Logger,
): BackgroundUploads | undefined {
  const { blobFileStoreUploadUrl: url } = values;
  if (url === undefined) return undefined;
  const network = { l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress };
  return new BackgroundUploads(new FileStoreUpload(openObjectStore(url, objectStoreAccess(values)), network), logger);
}
