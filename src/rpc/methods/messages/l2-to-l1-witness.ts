import type { SettledTx } from "../../../archiver/content-types.ts";
import type { EpochRoot } from "../../../l1/types.ts";
import { concat, equal, toHex } from "../../../protocol/bytes.ts";
import { MAX_CHECKPOINTS_PER_EPOCH } from "../../../protocol/constants.ts";
import { outHashWitness } from "../../../protocol/out-hash-witness.ts";
import { epochOutHash } from "../../../protocol/sha-trees.ts";
import { epochOfSlot } from "../../../protocol/time.ts";
import { encodeL2ToL1Witness, type L2ToL1Witness } from "../../codecs/development/l2-to-l1-witness.ts";
import { optional } from "../../codecs/json/codec.ts";
import { fieldText, txHashText } from "../../codecs/json/hex-text.ts";
import { integer } from "../../codecs/json/number.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { fromL1 } from "../node/l1-answer.ts";

type Services = Pick<NodeServices, "chain" | "content" | "identity" | "outbox" | "sync">;

/** Index of a message in its tx. Throws an ExecutionError (docs/protocol/05-rpc.md#521-messages). */
function messageIndex(messages: Uint8Array[], message: Uint8Array, given: number | undefined): number {
  if (given !== undefined) {
    if (messages[given] !== undefined && equal(messages[given], message)) return given;
    throw new ExecutionError(`Message at index ${given} in tx does not match the expected message ${toHex(message)}`);
  }
  const hits = messages.flatMap((own, i) => (equal(own, message) ? [i] : []));
  if (hits.length === 1) return hits[0];
  throw new ExecutionError(
    hits.length === 0
      ? "The L2ToL1Message you are trying to prove inclusion of does not exist"
      : `Multiple messages with the same value ${toHex(message)} found in tx (indices: ${hits.join(", ")}). ` +
          "Provide messageIndexInTx to disambiguate.",
  );
}

interface CoveringRoot {
  root: Uint8Array;
  checkpoints: number;
}

/**
 * The root that covers the least number of the epoch's checkpoints from `least` on. If the outbox does not say how many
 * a root covers, it is the least number with this out hash. Undefined if all roots cover fewer, so that the message
 * cannot be proven yet. Throws an ExecutionError if the root is not that of the stored checkpoints.
 */
function coveringRoot(
  outHashes: Uint8Array[],
  roots: EpochRoot[],
  least: number,
  epoch: number,
): CoveringRoot | undefined {
  const told = roots.find(({ checkpoints = Number.POSITIVE_INFINITY }) => checkpoints >= least);
  if (told === undefined) return undefined;
  const { root } = told;
  const local = (count: number) => epochOutHash(outHashes.slice(0, count));
  const covers = (count: number) => equal(local(count), root);
  const last = told.checkpoints ?? outHashes.length;
  for (let checkpoints = told.checkpoints ?? least; checkpoints <= last; checkpoints++) {
    if (covers(checkpoints)) return { root, checkpoints };
  }
  if (told.checkpoints === undefined) {
    for (let count = 1; count < least; count++) if (covers(count)) return undefined;
  }
  throw new ExecutionError(
    `Local epoch out-hash does not match Outbox at epoch ${epoch} numCheckpointsInEpoch ${last}: ` +
      `local=${toHex(local(last))} outbox=${toHex(root)}`,
  );
}

/** Membership proofs of L2-to-L1 messages (docs/protocol/05-rpc.md#521-messages). */
export function l2ToL1WitnessMethods({ chain, content, identity, outbox, sync }: Services): Method[] {
  const witness = (
    settled: SettledTx,
    epoch: number,
    roots: EpochRoot[],
    message: Uint8Array,
    given: number | undefined,
  ): L2ToL1Witness | undefined => {
    const checkpoints = chain.checkpointsOfEpoch(epoch).slice(0, MAX_CHECKPOINTS_PER_EPOCH);
    const block = chain.block(settled.blockNumber);
    const at = checkpoints.findIndex(({ number }) => number === block?.checkpointNumber);
    const blocks = content.l2ToL1Messages(epoch)[at];
    if (block === undefined || blocks === undefined) return undefined;
    const outHashes = checkpoints.map(({ outHash }) => outHash);
    const covering = coveringRoot(outHashes, roots, at + 1, epoch);
    if (covering === undefined) return undefined;
    const { root, checkpoints: count } = covering;
    const place = { checkpoint: at, block: block.indexWithinCheckpoint, tx: settled.txIndexInBlock };
    const messages = blocks[place.block]?.[place.tx] ?? [];
    const found = outHashWitness(outHashes.slice(0, count), blocks, {
      ...place,
      message: messageIndex(messages, message, given),
    });
    if (found === undefined) return undefined;
    const { leafIndex, siblings } = found;
    return { epoch, checkpoints: count, root, leafIndex, path: concat(...siblings) };
  };

  return [
    method({
      name: "getL2ToL1MembershipWitness",
      summary: "Proof of a message to L1 against the root that L1 holds; nothing until there is one",
      params: [
        param("txHash", txHashText),
        param("message", fieldText, "Hash of the message."),
        param(
          "messageIndexInTx",
          optional(integer({ least: 0 })),
          "Place of the message in its tx, from 0; needed where the tx has it twice.",
        ),
      ],
      handle: async (hash, message, index) => {
        const before = content.settledTx(hash);
        if (before === undefined) return undefined;
        const epoch = epochOfSlot(before.slotNumber, identity.constants);
        const l1Block = sync.lastProcessedL1Block();
        if (l1Block === undefined) return undefined;
        const roots = await fromL1(outbox.roots(epoch, l1Block));
        // Read again after the await: from here on all reads see one snapshot, which may differ from the earlier one.
        const settled = content.settledTx(hash);
        if (settled === undefined) return undefined;
        try {
          return witness(settled, epoch, roots, message, index);
        } catch (error) {
          // The root and the chain were read at different times; a repeated request will find them consistent.
          if (error instanceof ExecutionError && sync.lastProcessedL1Block()?.number !== l1Block.number)
            return undefined;
          throw error;
        }
      },
      nothing: "while the tx is in no block, or L1 has no root that covers it",
      encode: { svc: encodeL2ToL1Witness },
    }),
  ];
}
