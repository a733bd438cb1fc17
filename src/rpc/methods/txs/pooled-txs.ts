import { array, optional } from "../../codecs/json/codec.ts";
import { encodeArray, encodeNumberAs } from "../../codecs/json/encoder.ts";
import { COUNT } from "../../codecs/json/json-schema.ts";
import { plainNumber } from "../../codecs/json/number.ts";
import { type ApiCodecs, DEVELOPMENT_CODECS, inBoth, RELEASE_CODECS } from "../../codecs/shared/apis.ts";
import { encodeTx, proofOption, type ShownTx } from "../../codecs/shared/tx.ts";
import type { PooledTx } from "../../ports/mempool.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";

/** Most txs per answer of the release. */
const MAX_TXS = 50;
const DEFAULT_PENDING_TXS = 50;

const HASHES = "Hashes of the txs that are asked for.";
const encodeCount = encodeNumberAs(COUNT);

/** The release always includes the proof and has no option for it. */
export function shownTx(pooled: PooledTx, options: { includeProof: boolean } = { includeProof: true }): ShownTx {
  return { ...pooled, withProof: options.includeProof };
}

/** Txs in the pool (docs/protocol/05-rpc.md#524-receipts-and-the-pool). */
export function pooledTxMethods({ chain, mempool }: Pick<NodeServices, "chain" | "mempool">): Method[] {
  const { maxListed } = chain.generation.api;
  const byHash = inBoth(({ txHash }) => [param("txHash", txHash)] as const);
  const proofParam = param("options", optional(proofOption, { includeProof: false }));
  const listParams = (most: number, { txHash }: ApiCodecs) =>
    [
      param(
        "limit",
        optional(plainNumber({ least: 1, most }), DEFAULT_PENDING_TXS),
        `Txs at most, ${DEFAULT_PENDING_TXS} by default.`,
      ),
      param("after", optional(txHash), "Only txs that come after this one in the order; none when it is not pending."),
    ] as const;

  return [
    method({
      name: "getTxByHash",
      summary: "Tx of the pool",
      params: { node: byHash.node, svc: [...byHash.svc, proofParam] },
      handle: async (hash, options?) => {
        const pooled = await mempool.get(hash);
        return pooled && shownTx(pooled, options);
      },
      nothing: "for a tx that the pool does not hold",
      encode: { node: encodeTx, svc: encodeTx },
    }),
    method({
      name: "getTxsByHash",
      summary: "Txs of the pool in the order asked for, without those that it does not hold",
      params: {
        node: [param("txHashes", array(RELEASE_CODECS.txHash, MAX_TXS), HASHES)],
        svc: [param("txHashes", array(DEVELOPMENT_CODECS.txHash, maxListed), HASHES), proofParam],
      },
      handle: async (hashes, options?) => {
        const pooled = await Promise.all(hashes.map((hash) => mempool.get(hash)));
        return pooled.filter((found) => found !== undefined).map((found) => shownTx(found, options));
      },
      encode: { node: encodeArray(encodeTx), svc: encodeArray(encodeTx) },
    }),
    method({
      name: "getPendingTxs",
      summary: "Pending txs of highest priority first, those after a given one",
      params: {
        node: listParams(MAX_TXS, RELEASE_CODECS),
        p2p: listParams(MAX_TXS, RELEASE_CODECS),
        svc: [...listParams(maxListed, DEVELOPMENT_CODECS), proofParam],
      },
      handle: async (limit, after, options?) => {
        const pooled = await mempool.list(Math.floor(limit), after);
        return pooled.map((found) => shownTx(found, options));
      },
      encode: { node: encodeArray(encodeTx), p2p: encodeArray(encodeTx), svc: encodeArray(encodeTx) },
    }),
    method({
      name: "getPendingTxCount",
      summary: "How many txs are pending",
      params: [],
      handle: () => mempool.count(),
      encode: { node: encodeCount, p2p: encodeCount, svc: encodeCount },
    }),
  ];
}
