import { epochOfSlot } from "../../../protocol/time.ts";
import { encodeReceipt as encodeDevelopmentReceipt, type ShownOutcome } from "../../codecs/development/receipt.ts";
import { encodeIndexedEffect as encodeDevelopmentIndexedEffect } from "../../codecs/development/tx-effect.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encoder } from "../../codecs/json/encoder.ts";
import { EFFECT_FORMS } from "../../codecs/release/effect-forms.ts";
import type { SettledStatus } from "../../codecs/release/receipt.ts";
import { inBoth } from "../../codecs/shared/apis.ts";
import { receiptOptions } from "../../codecs/shared/tx.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, never, param } from "../../registry/registry.ts";
import { shownTx } from "./pooled-txs.ts";

const NOTHING_ATTACHED = { includeTxEffect: false, includePendingTx: false, includeProof: false };

type Services = Pick<NodeServices, "chain" | "content" | "identity" | "mempool" | "status">;

/** What became of a tx (docs/protocol/05-rpc.md#524-receipts-and-the-pool). */
export function txOutcomeMethods({ chain, content, identity, mempool, status: node }: Services): Method[] {
  const { encodeIndexedEffect, encodeReceipt } = EFFECT_FORMS[node.revertWords];
  const byHash = inBoth(({ txHash }) => [param("txHash", txHash)] as const);
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
      const attached = pooled && shownTx(pooled, { includeProof });
      return { outcome: { status: "pending", txHash: hash }, includeTxEffect, tx: attached };
    }
    const settled = settledOutcome(hash, includeTxEffect);
    return settled ?? { outcome: { status: "dropped", txHash: hash, known: status }, includeTxEffect, tx: undefined };
  };

  return [
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
      // Before, the tx may come into another block.
      immutable: ({ blockNumber }) => blockNumber <= chain.finalizedBlockNumber(),
      nothing: "for a tx that is in no block",
      encode: { node: encodeIndexedEffect, svc: encodeDevelopmentIndexedEffect },
    }),
  ];
}
