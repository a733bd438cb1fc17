import { encodeBoolean, encodeNumber, encodeText } from "../encoding/json-writer.ts";
import { type Method, method } from "../registry.ts";
import type { NodeServices } from "./services.ts";

/** What the node is and whether it is ready (sheet 02 section 3.1). */
export function nodeStatusMethods({ identity, status }: Pick<NodeServices, "identity" | "status">): Method[] {
  return [
    method({ name: "isReady", params: [], handle: () => status.ready(), encode: { node: encodeBoolean } }),
    method({ name: "getNodeVersion", params: [], handle: () => status.version, encode: { node: encodeText } }),
    method({ name: "getVersion", params: [], handle: () => identity.rollupVersion, encode: { node: encodeNumber } }),
    method({ name: "getChainId", params: [], handle: () => identity.l1ChainId, encode: { node: encodeNumber } }),
  ];
}
