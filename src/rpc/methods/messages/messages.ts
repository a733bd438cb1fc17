import { messageCheckpoint } from "../../../protocol/l1-to-l2-message.ts";
import { encodeArray, encodeBoolean, encodeCheckpointNumber, encodeWord } from "../../codecs/json/encoder.ts";
import { integer } from "../../codecs/json/number.ts";
import { inBoth } from "../../codecs/shared/apis.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";

/** Nested lists: checkpoints, blocks, txs, messages. */
const encodeMessages = encodeArray(encodeArray(encodeArray(encodeArray(encodeWord))));

/** Slots are u32, so no later epoch has a slot. */
const LAST_EPOCH = 2 ** 32 - 1;

/** Messages between L1 and L2 (docs/protocol/05-rpc.md#521-messages). */
export function messageMethods({ chain, content }: Pick<NodeServices, "chain" | "content">): Method[] {
  const message = inBoth(({ field }) => [param("l1ToL2Message", field, "Hash of the message.")] as const);
  return [
    method({
      name: "getL1ToL2MessageCheckpoint",
      summary: "Checkpoint in which a message from L1 becomes available",
      params: message,
      handle: (leaf) => {
        const index = chain.messageIndex(leaf);
        return index === undefined ? undefined : messageCheckpoint(index);
      },
      nothing: "for a message that is not known",
      encode: { node: encodeCheckpointNumber, svc: encodeCheckpointNumber },
    }),
    method({
      name: "isL1ToL2MessageSynced",
      summary: "Whether a message from L1 is known, ready or not",
      deprecated: { node: "getL1ToL2MessageCheckpoint" },
      params: message.node,
      handle: (leaf) => chain.messageIndex(leaf) !== undefined,
      encode: { node: encodeBoolean },
    }),
    method({
      name: "getL2ToL1Messages",
      summary: "Messages to L1 of an epoch's checkpointed blocks by checkpoint, block and tx",
      deprecated: { svc: "getL2ToL1MembershipWitness" },
      params: [param("epoch", integer({ least: 0 }), "The epoch.")],
      handle: (epoch) => (epoch <= LAST_EPOCH ? content.l2ToL1Messages(epoch) : []),
      long: () => true,
      encode: { node: encodeMessages, svc: encodeMessages },
    }),
  ];
}
