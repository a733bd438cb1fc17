import { epochOfSlot } from "../../protocol/time.ts";
import { encodeReceipt as encodeDevelopmentReceipt, type ShownOutcome } from "../encoding/development/receipt.ts";
import {
  encodeTxEffect as encodeDevelopmentEffect,
  encodeIndexedEffect as encodeDevelopmentIndexedEffect,
} from "../encoding/development/tx-effect.ts";
import { encodeArray, encodeNothing, encodeNumberAs, encoder } from "../encoding/encoder.ts";
import { encodeSimulation, encodeValidity } from "../encoding/simulation.ts";
import { encodeTx, type ShownTx } from "../encoding/tx.ts";
import { encodeIndexedEffect, encodeReceipt, type SettledStatus } from "../encoding/v4/receipt.ts";
import { encodeTxEffect } from "../encoding/v4/tx-effect.ts";
import { array, optional } from "../params/codec.ts";
import { DEVELOPMENT_CODECS, type GenerationCodecs, inBoth, RELEASE_CODECS } from "../params/generations.ts";
import { plainNumber } from "../params/number.ts";
import { simulationOverrides } from "../params/simulation-overrides.ts";
import { boolean } from "../params/text.ts";
import { proofOption, receiptOptions, validationOptions } from "../params/tx.ts";
import type { PooledTx } from "../ports/mempool.ts";
import type { NodeServices } from "../ports/node-services.ts";
import { type Method, method, never, param } from "../registry.ts";
import { COUNT } from "../schema/json-schema.ts";

/** Most txs per answer. */
const MOST_TXS = { node: 50, svc: 100 } as const;
const DEFAULT_PENDING_TXS = 50;

const SKIP_FEES = "Whether the tx need not be able to pay; false by default.";
const HASHES = "Hashes of the txs that are asked for.";
const encodeCount = encodeNumberAs(COUNT);

type Services = Pick<NodeServices, "chain" | "content" | "identity" | "mempool" | "txValidator" | "simulator">;

/**
 * Transactions: sent, pending and settled (docs/protocol/05-rpc.md#524-receipts-and-the-pool,
 * docs/protocol/05-rpc.md#524-receipts-and-the-pool).
 */
export function txMethods({ chain, content, identity, mempool, txValidator, simulator }: Services): Method[] {
  const byHash = inBoth(({ txHash }) => [param("txHash", txHash)] as const);
  const proofParam = param("options", optional(proofOption, { includeProof: false }));
  /** The release always includes the proof and has no option for it. */
  const shown = (pooled: PooledTx, options: { includeProof: boolean } = { includeProof: true }): ShownTx => ({
    ...pooled,
    withProof: options.includeProof,
  });

  const statusOf = (block: number): SettledStatus => {
    if (block <= chain.finalizedBlockNumber()) return "finalized";
    if (block <= chain.provenBlockNumber()) return "proven";
    return block <= chain.checkpointedBlockNumber() ? "checkpointed" : "proposed";
  };
  const settledOutcome = (hash: Uint8Array, includeTxEffect: boolean): ShownOutcome | undefined => {
    const settled = content.settledTx(hash);
    if (settled === undefined) return undefined;
    const epoch = epochOfSlot(settled.slotNumber, identity.constants);
    const outcome = { status: statusOf(settled.blockNumber), txHash: hash, settled, epoch };
    return { outcome, includeTxEffect, tx: undefined };
  };
  /**
   * A tx may move from the pool to a block while the pool is read, so the chain is checked again before the tx counts
   * as dropped.
   */
  const poolOutcome = async (
    hash: Uint8Array,
    {
      includeTxEffect,
      includePendingTx,
      includeProof,
    }: Record<"includeTxEffect" | "includePendingTx" | "includeProof", boolean>,
  ): Promise<ShownOutcome> => {
    const status = await mempool.status(hash);
    if (status === "pending" || status === "mined") {
      const pooled = includePendingTx ? await mempool.get(hash) : undefined;
      const attached = pooled && shown(pooled, { includeProof });
      return { outcome: { status: "pending", txHash: hash }, includeTxEffect, tx: attached };
    }
    const settled = settledOutcome(hash, includeTxEffect);
    return settled ?? { outcome: { status: "dropped", txHash: hash }, includeTxEffect, tx: undefined };
  };
  const NOTHING_ATTACHED = { includeTxEffect: false, includePendingTx: false, includeProof: false };

  const listParams = (most: number, { txHash }: GenerationCodecs) =>
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
      name: "sendTx",
      summary: "Takes a tx into the pool and passes it on",
      params: inBoth(({ tx }) => [param("tx", tx)] as const),
      handle: (given) => mempool.submit(given).then((): undefined => undefined),
      encode: { node: encodeNothing, svc: encodeNothing },
    }),
    method({
      name: "isValidTx",
      summary: "Whether a tx could be in the next block",
      params: inBoth(
        ({ tx }) =>
          [
            param("tx", tx),
            param("options", optional(validationOptions, { isSimulation: false, skipFeeEnforcement: false })),
          ] as const,
      ),
      handle: (given, options) => txValidator.validate(given, options),
      encode: { node: encodeValidity, svc: encodeValidity },
    }),
    method({
      name: "simulatePublicCalls",
      summary: "Runs the public part of a tx on the latest state and throws the changes away",
      params: {
        node: [param("tx", RELEASE_CODECS.tx), param("skipFeeEnforcement", optional(boolean, false), SKIP_FEES)],
        svc: [
          param("tx", DEVELOPMENT_CODECS.tx),
          param("skipFeeEnforcement", optional(boolean, false), SKIP_FEES),
          param("overrides", optional(simulationOverrides)),
        ],
      },
      handleFrom: ({ namespace, caller }, given, skipFeeEnforcement, overrides?) => {
        const generation = namespace === "node" ? "release" : "development";
        const options = { skipFeeEnforcement, overrides, generation, client: caller?.client() ?? "" } as const;
        // Calls across threads take an AbortSignal as their last argument, or none.
        return caller === undefined
          ? simulator.simulate(given, options)
          : simulator.simulate(given, options, caller.signal());
      },
      encode: {
        node: encodeSimulation("ReleasePublicSimulationOutput", encodeTxEffect),
        svc: encodeSimulation("PublicSimulationOutput", encodeDevelopmentEffect),
      },
    }),
    method({
      name: "getTxReceipt",
      summary: "What became of a tx: settled, pending or dropped",
      params: {
        node: byHash.node,
        svc: [...byHash.svc, param("options", optional(receiptOptions, NOTHING_ATTACHED))],
      },
      handle: (hash, options = NOTHING_ATTACHED) =>
        settledOutcome(hash, options.includeTxEffect) ?? poolOutcome(hash, options),
      // Settled txs only: the pool's answer is a promise.
      keep: () => "commit",
      encode: {
        node: encoder<ShownOutcome>(encodeReceipt.schema, (out, { outcome }) => encodeReceipt(out, outcome)),
        svc: encodeDevelopmentReceipt,
      },
    }),
    method({
      name: "getTxEffect",
      summary: "Effects of a settled tx and its place on the chain",
      deprecated: { svc: "getTxReceipt with includeTxEffect" },
      params: byHash,
      handle: (hash) => content.settledTx(hash),
      long: never,
      keep: ({ blockNumber }) => blockNumber,
      nothing: "for a tx that is in no block",
      encode: { node: encodeIndexedEffect, svc: encodeDevelopmentIndexedEffect },
    }),
    method({
      name: "getTxByHash",
      summary: "Tx of the pool",
      params: { node: byHash.node, svc: [...byHash.svc, proofParam] },
      handle: async (hash, options?) => {
        const pooled = await mempool.get(hash);
        return pooled && shown(pooled, options);
      },
      nothing: "for a tx that the pool does not hold",
      encode: { node: encodeTx, svc: encodeTx },
    }),
    method({
      name: "getTxsByHash",
      summary: "Txs of the pool in the order asked for, without those that it does not hold",
      params: {
        node: [param("txHashes", array(RELEASE_CODECS.txHash, MOST_TXS.node), HASHES)],
        svc: [param("txHashes", array(DEVELOPMENT_CODECS.txHash, MOST_TXS.svc), HASHES), proofParam],
      },
      handle: async (hashes, options?) => {
        const pooled = await Promise.all(hashes.map((hash) => mempool.get(hash)));
        return pooled.filter((found) => found !== undefined).map((found) => shown(found, options));
      },
      encode: { node: encodeArray(encodeTx), svc: encodeArray(encodeTx) },
    }),
    method({
      name: "getPendingTxs",
      summary: "Pending txs of highest priority first, those after a given one",
      params: {
        node: listParams(MOST_TXS.node, RELEASE_CODECS),
        p2p: listParams(MOST_TXS.node, RELEASE_CODECS),
        svc: [...listParams(MOST_TXS.svc, DEVELOPMENT_CODECS), proofParam],
      },
      handle: async (limit, after, options?) => {
        const pooled = await mempool.list(Math.floor(limit), after);
        return pooled.map((found) => shown(found, options));
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
