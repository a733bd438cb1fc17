import { EndpointBook } from "../../endpoints/endpoint-book.ts";
import { type ObjectStoreAccess, openObjectReader, openObjectStore } from "../../storage/objects/open-store.ts";
import { type Logger, silentLogger } from "../../telemetry/logger.ts";
import type { L1CallCounts } from "../rpc/l1-call-counts.ts";
import { L1Rpc } from "../rpc/l1-rpc.ts";
import type { RollupIdentity } from "../types.ts";
import { AnvilSource, DEVELOPMENT_CHAIN_IDS } from "./anvil-source.ts";
import { ArchiveSource } from "./archive-source.ts";
import { askedSource } from "./asked-source.ts";
import { BeaconHost, BeaconSlots, BeaconSource } from "./beacon-source.ts";
import { SourcedBlobFetcher } from "./blob-fetcher.ts";
import { FileStoreSource, FileStoreUpload } from "./file-store-source.ts";
import { Kzg } from "./kzg.ts";

export interface BlobFetcherOptions extends ObjectStoreAccess {
  identity: Pick<RollupIdentity, "l1ChainId" | "rollupVersion" | "addresses">;
  /** Execution RPC, which gives the beacon slot of a block. On a development chain it is also a blob source. */
  l1RpcUrls: readonly string[];
  /** ETHEREUM_HTTP_TIMEOUT_MS; that of all other requests by default. */
  l1TimeoutMs?: number;
  /** BLOB_FILE_STORE_URLS, in the order in which they are asked. */
  fileStoreUrls?: readonly string[];
  /** BLOB_FILE_STORE_TIMEOUT_MS; that of all other requests by default. */
  fileStoreTimeoutMs?: number;
  /** Ask consensus hosts before file stores. */
  consensusFirst?: boolean;
  /** BLOB_FILE_STORE_UPLOAD_URL. */
  uploadUrl?: string;
  /** L1_CONSENSUS_HOST_URLS; keys and key headers are in the same order. */
  consensusUrls?: readonly string[];
  consensusApiKeys?: readonly (string | undefined)[];
  consensusApiKeyHeaders?: readonly (string | undefined)[];
  /** BLOB_ARCHIVE_API_URL. */
  archiveUrl?: string;
  /** Delays before file stores are asked again for blobs of new checkpoints. */
  storeRetryDelaysMs?: readonly number[];
  /** Shared KZG worker, closed by its owner. If absent, the fetcher creates its own. */
  kzg?: Kzg;
  /** Aborts calls to L1 in progress and refuses later ones. */
  signal?: AbortSignal;
  /** Counts the calls to L1. */
  calls?: L1CallCounts;
  /** The health of endpoints, shared with their other users. */
  endpoints?: EndpointBook;
  logger?: Logger;
}

/**
 * Creates the blob fetcher of one network. If no source is configured, blobs of a development chain are read from its
 * L1 node; other chains then have no source. Throws a BlobSourceConfigurationError or an ObjectStoreUrlError for an
 * unusable URL.
 */
export function createBlobFetcher(options: BlobFetcherOptions): SourcedBlobFetcher {
  const { identity, timeoutMs, retryDelaysMs, signal, calls, endpoints, logger = silentLogger } = options;
  const { l1ChainId, rollupVersion, addresses } = identity;
  const network = { l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress };
  const rpcOf = (urls: readonly string[]) =>
    new L1Rpc({
      urls,
      chainId: l1ChainId,
      timeoutMs: options.l1TimeoutMs ?? timeoutMs,
      retryDelaysMs,
      signal,
      calls,
      endpoints: book,
      logger,
    });
  const kzg = options.kzg ?? new Kzg();
  const book = endpoints ?? new EndpointBook({ logger });
  if (endpoints === undefined) signal?.addEventListener("abort", () => book.close(), { once: true });
  const storeAccess = { ...options, timeoutMs: options.fileStoreTimeoutMs ?? timeoutMs };
  const fileStores = (options.fileStoreUrls ?? []).map((url) =>
    askedSource(new FileStoreSource(openObjectReader(url, storeAccess), network), url, book),
  );
  const hosts = (options.consensusUrls ?? []).map((url, i) => {
    const keys = { apiKey: options.consensusApiKeys?.[i], apiKeyHeader: options.consensusApiKeyHeaders?.[i] };
    return new BeaconHost({ url, ...keys, retryDelaysMs, timeoutMs });
  });
  const askedHosts = hosts.map((host) => {
    const probe = (ended: AbortSignal) => host.checkReachable(ended);
    return { host, health: book.of("blobs", host.url, probe) };
  });
  const slots = new BeaconSlots(rpcOf(options.l1RpcUrls), askedHosts);
  const beacons = askedHosts.map(({ host, health }) => ({ source: new BeaconSource(host, slots), health }));
  const { archiveUrl } = options;
  const archives = archiveUrl
    ? [askedSource(new ArchiveSource(archiveUrl, { retryDelaysMs, timeoutMs }), archiveUrl, book)]
    : [];
  const none = fileStores.length + hosts.length + archives.length === 0;
  const development = none && DEVELOPMENT_CHAIN_IDS.includes(l1ChainId);
  const anvilSource = (url: string) =>
    new AnvilSource(new BeaconHost({ url, retryDelaysMs, timeoutMs }), rpcOf([url]), kzg);
  return new SourcedBlobFetcher({
    fileStores,
    consensusFirst: options.consensusFirst,
    beacons: development ? options.l1RpcUrls.map((url) => askedSource(anvilSource(url), url, book)) : beacons,
    archives,
    upload: options.uploadUrl
      ? new FileStoreUpload(openObjectStore(options.uploadUrl, storeAccess), network)
      : undefined,
    kzg,
    ownsKzg: !options.kzg,
    logger,
    storeRetryDelaysMs: options.storeRetryDelaysMs,
  });
}
