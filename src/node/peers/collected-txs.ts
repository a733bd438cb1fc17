import type { PartValues } from "../../config/part-values.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { Tolerance } from "../../mempool/validation/gossip-checks.ts";
import type { PeerChannels } from "../../p2p/peer-node.ts";
import { FileTxSource } from "../../p2p/tx-collection/file-store-source.ts";
import { followMinedBlocks } from "../../p2p/tx-collection/follow-mined-blocks.ts";
import { observeTxCollection, providedTxsRecord } from "../../p2p/tx-collection/metrics.ts";
import { NO_PEERS } from "../../p2p/tx-collection/no-peers.ts";
import { NodeTxSource } from "../../p2p/tx-collection/node-source.ts";
import { requestPeers } from "../../p2p/tx-collection/request-peers.ts";
import { TxCollection } from "../../p2p/tx-collection/tx-collection.ts";
import { type TxUploadParts, TxUploads } from "../../p2p/tx-collection/tx-uploads.ts";
import type { Teardown } from "../../process/teardown.ts";
import { versionHeaders } from "../../rpc/routes/version-headers.ts";
import { openObjectReader, openObjectStore } from "../../storage/objects/open-store.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import { objectStoreAccess } from "../settings/object-access.ts";
import { receivedTx } from "./received-tx-json.ts";

interface CollectedTxsOptions {
  values: PartValues;
  mempool: Pick<MempoolPart, "digests" | "pool" | "validator">;
  /** Undefined for a node without P2P. */
  channels: PeerChannels | undefined;
  teardown: Teardown;
}

/** Other nodes' answers carry the release, which may differ. */
const UNCOMPARED_HEADER = "x-aztec-packageVersion";

/** Collects transactions that gossip did not bring, and uploads the pool's where that is configured. */
export function collectedTxs(context: ChainContext, options: CollectedTxsOptions): TxCollection {
  const { chain, synchronizer, reader, clock, metrics, endpoints, loggerFor } = context;
  const { values, mempool, channels, teardown } = options;
  const { identity } = reader;
  const { transactions } = chain.generation;
  const logger = loggerFor("p2p:tx-collection");
  const network = {
    l1ChainId: identity.l1ChainId,
    rollupVersion: identity.rollupVersion,
    rollupAddress: identity.addresses.rollupAddress,
  };
  const versions = versionHeaders({
    ...network,
    l1RollupAddress: network.rollupAddress,
    generation: chain.generation,
  }).filter(([name]) => name !== UNCOMPARED_HEADER);
  const access = objectStoreAccess(values.objectStores);
  const fileStores = values.txCollection.txCollectionFileStoreUrls.map((url) => {
    const source = new FileTxSource(openObjectReader(url, access), network, transactions);
    return { source, health: endpoints.of("txs", url, (signal) => source.checkReachable(signal)) };
  });
  const collection = new TxCollection(
    {
      ...mempool,
      ...(channels === undefined ? NO_PEERS : askedPeers(channels)),
      transactions: chain.generation.transactions,
      nodes: values.txCollection.txCollectionNodeRpcUrls.map(
        (url) => new NodeTxSource({ url, versions, readTx: receivedTx(transactions) }),
      ),
      fileStores,
      now: clock.now,
      record: providedTxsRecord(metrics),
      missed: () => mempool.digests.hurry(),
      logger,
    },
    values.txCollection,
  );
  teardown.add("tx collection", () => collection.stop());
  teardown.add(
    "mined blocks without txs",
    followMinedBlocks({ collection, synchronizer, chain, constants: identity.constants }),
  );
  const uploads = configuredUploads(values, { network, pool: mempool.pool, logger, teardown });
  observeTxCollection(metrics, {
    counts: collection.counts,
    fileStores: fileStores.map(({ source }) => source),
    uploads,
  });
  return collection;
}

interface UploadParts extends Pick<TxUploadParts, "network" | "logger"> {
  pool: TxPool;
  teardown: Teardown;
}

/** Uploads the pool's transactions, where that is configured. */
function configuredUploads(
  { txCollection, objectStores }: PartValues,
  { network, pool, logger, teardown }: UploadParts,
): TxUploads | undefined {
  const { txFileStoreEnabled, txFileStoreUrl: url } = txCollection;
  if (!txFileStoreEnabled) return undefined;
  if (url === undefined) {
    logger.warn({}, "TX_FILE_STORE_ENABLED has no effect without TX_FILE_STORE_URL");
    return undefined;
  }
  const objects = openObjectStore(url, objectStoreAccess(objectStores));
  const uploads = new TxUploads({ objects, network, pool, logger }, txCollection);
  teardown.add("tx uploads", () => uploads.stop());
  teardown.add(
    "uploads of added txs",
    pool.onAdded((hashes) => uploads.add(hashes)),
  );
  return uploads;
}

function askedPeers({ client, peers, scores }: PeerChannels) {
  return {
    client,
    peers: requestPeers({
      connected: () => peers.peers().map(({ id }) => id),
      openRequests: (peer) => client.openRequests(peer),
    }),
    penalties: {
      penalize: (peer: string, tolerance: Tolerance, reason: string) => scores.penalize(peer, tolerance, reason),
    },
  };
}
