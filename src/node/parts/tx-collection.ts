import type { Values } from "../../config/options.ts";
import { FileTxSource } from "../../p2p/tx-collection/file-store-source.ts";
import { followMinedBlocks } from "../../p2p/tx-collection/follow-mined-blocks.ts";
import { NodeTxSource } from "../../p2p/tx-collection/node-source.ts";
import type { BatchTxRequesterOptions, TxCollectionOptions } from "../../p2p/tx-collection/options.ts";
import { TxCollection, type TxCollectionParts } from "../../p2p/tx-collection/tx-collection.ts";
import { type TxUploadOptions, TxUploads } from "../../p2p/tx-collection/tx-uploads.ts";
import { versionHeaders } from "../../rpc/http/version-headers.ts";
import { openObjectReader, openObjectStore } from "../../storage/objects/open-store.ts";
import { NETWORK_RELEASE } from "../network-release.ts";
import { type ObjectStoreSettings, objectStoreAccess } from "../object-access.ts";
import { receivedTx } from "../received-tx-json.ts";
import { Teardown } from "../teardown.ts";
import type { ChainContext } from "./chain-context.ts";
import type { MempoolPart } from "./mempool.ts";

export type TxCollectionSettings = Pick<
  Values,
  | keyof TxCollectionOptions
  | keyof BatchTxRequesterOptions
  | keyof TxUploadOptions
  | "txCollectionFileStoreUrls"
  | "txCollectionNodeRpcUrls"
  | "txFileStoreEnabled"
  | "txFileStoreUrl"
> &
  ObjectStoreSettings;

export interface TxCollectionPartOptions extends Pick<TxCollectionParts, "client" | "peers" | "penalties"> {
  values: TxCollectionSettings;
  mempool: Pick<MempoolPart, "pool" | "validator">;
}

export interface TxCollectionPart {
  readonly collection: TxCollection;
  stop(): Promise<void>;
}

/**
 * Starts collecting transactions that gossip does not bring, and the upload of those that the pool takes. Throws an
 * ObjectStoreUrlError for a store that cannot be used.
 */
export function startTxCollection(context: ChainContext, options: TxCollectionPartOptions): TxCollectionPart {
  const { chain, reader, synchronizer, loggerFor } = context;
  const { values, mempool, client, peers, penalties } = options;
  const { pool, validator } = mempool;
  const logger = loggerFor("p2p:txs");
  const { l1ChainId, rollupVersion, addresses, constants } = reader.identity;
  const { rollupAddress } = addresses;
  const network = { l1ChainId, rollupVersion, rollupAddress };
  const access = objectStoreAccess(values);
  const fileStores = values.txCollectionFileStoreUrls.map(
    (url) => new FileTxSource(openObjectReader(url, access), network),
  );
  if (values.txFileStoreEnabled && values.txFileStoreUrl === undefined) {
    logger.warn({}, "TX_FILE_STORE_ENABLED has no effect without TX_FILE_STORE_URL");
  }
  const uploads =
    values.txFileStoreEnabled && values.txFileStoreUrl !== undefined
      ? new TxUploads({ objects: openObjectStore(values.txFileStoreUrl, access), network, pool, logger }, values)
      : undefined;
  // Nodes of other releases of the same network differ in the package version.
  const versions = versionHeaders({
    l1ChainId,
    l1RollupAddress: rollupAddress,
    rollupVersion,
    packageVersion: NETWORK_RELEASE,
  }).filter(([name]) => name !== "x-aztec-packageVersion");
  const nodes = values.txCollectionNodeRpcUrls.map((url) => new NodeTxSource({ url, versions, readTx: receivedTx }));

  const teardown = new Teardown(logger);
  const collection = new TxCollection(
    { pool, validator, client, peers, penalties, nodes, fileStores, now: context.clock.now, logger },
    values,
  );
  teardown.add("tx collection", () => collection.stop());
  if (uploads !== undefined) {
    teardown.add("tx uploads", () => uploads.stop());
    teardown.add(
      "tx upload queue",
      pool.onAdded((hashes) => uploads.add(hashes)),
    );
  }
  teardown.add("mined blocks", followMinedBlocks({ collection, synchronizer, chain, constants }));
  collection.start();
  return { collection, stop: () => teardown.run() };
}
