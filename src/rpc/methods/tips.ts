import { encodeNumber } from "../encoding/json-writer.ts";
import { encodeTips } from "../encoding/v4/tips.ts";
import { type Method, method } from "../registry.ts";
import type { NodeServices } from "./services.ts";

/** How far the chain has come (sheet 02 section 3.2). */
export function tipMethods({ chain }: Pick<NodeServices, "chain">): Method[] {
  const heights = {
    getBlockNumber: () => chain.latestBlockNumber(),
    getProvenBlockNumber: () => chain.provenBlockNumber(),
    getCheckpointedBlockNumber: () => chain.checkpointedBlockNumber(),
    getCheckpointNumber: () => chain.latestCheckpointNumber(),
  };
  return [
    ...Object.entries(heights).map(([name, handle]) =>
      method({ name, params: [], handle, encode: { node: encodeNumber } }),
    ),
    method({ name: "getL2Tips", params: [], handle: () => chain.tips(), encode: { node: encodeTips } }),
  ];
}
