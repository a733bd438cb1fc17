import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { SourcedBlobFetcher } from "../../l1/blobs/blob-fetcher.ts";
import { createBlobFetcher } from "../../l1/blobs/create-blob-fetcher.ts";
import type { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { objectStoreAccess } from "../settings/object-access.ts";
import { writesOwnBlobSource } from "../settings/object-stores.ts";

const MINUTE_MS = 60_000;

/**
 * Opens the configured blob sources and checks that they answer. Throws NoBlobSourceReachableError if none does and
 * that is not allowed, BlobSourceConfigurationError or ObjectStoreUrlError. `signals.start` aborts the start;
 * `signals.l1` aborts calls to L1 during the whole lifetime of the sources, which `l1Calls` counts.
 */
export async function openBlobSources(
  values: PartValues,
  identity: RollupIdentity,
  logger: Logger,
  signals: { start: AbortSignal; l1: AbortSignal },
  { l1Calls: calls, endpoints }: { l1Calls?: L1CallCounts; endpoints?: EndpointBook } = {},
): Promise<SourcedBlobFetcher> {
  const blobs = createBlobFetcher({
    identity,
    l1RpcUrls: values.l1.urls,
    l1TimeoutMs: values.l1.timeoutMs,
    fileStoreUrls: values.blobs.fileStoreUrls,
    fileStoreTimeoutMs: values.blobs.fileStoreTimeoutMs,
    consensusFirst: !values.blobs.preferFileStores,
    uploadUrl: values.blobs.uploadUrl,
    consensusUrls: values.l1.consensusUrls,
    consensusApiKeys: reveal(values.l1.consensusApiKeys)?.map((key) => key || undefined),
    consensusApiKeyHeaders: values.l1.consensusApiKeyHeaders.map((header) => header || undefined),
    archiveUrl: values.blobs.archiveUrl,
    ...objectStoreAccess(values.objectStores),
    signal: signals.l1,
    calls,
    endpoints,
    logger,
  });
  const interval = values.blobs.healthCheckMinutes * MINUTE_MS;
  try {
    const written = blobs.keepHealthcheck(interval, signals.start);
    // A new store becomes a source with the first healthcheck. Of a store that is not read the write is not awaited, so
    // that a slow one does not delay the start.
    if (writesOwnBlobSource(values.blobs)) await written;
    const reachable = await blobs.checkSources({ allowEmpty: values.blobs.allowEmpty, signal: signals.start });
    logger.info({ sources: blobs.sourceNames, reachable }, "{reachable:blob source} can be reached");
    return blobs;
  } catch (error) {
    await blobs.close();
    throw error;
  }
}
