import { messageCheckpoint } from "../../protocol/l1-to-l2-message.ts";
import { encodeBoolean, encodeNumber } from "../encoding/json-writer.ts";
import { field } from "../params/field.ts";
import { type Method, method, param } from "../registry.ts";
import type { NodeServices } from "./services.ts";

/** Messages between L1 and L2 (sheet 02 section 3.4). */
export function messageMethods({ chain }: Pick<NodeServices, "chain">): Method[] {
  const messageParam = param("l1ToL2Message", field);
  return [
    method({
      name: "getL1ToL2MessageCheckpoint",
      params: [messageParam],
      handle: (leaf) => {
        const index = chain.messageIndex(leaf);
        return index === undefined ? undefined : messageCheckpoint(index);
      },
      encode: { node: encodeNumber },
    }),
    method({
      name: "isL1ToL2MessageSynced",
      params: [messageParam],
      handle: (leaf) => chain.messageIndex(leaf) !== undefined,
      encode: { node: encodeBoolean },
    }),
  ];
}
