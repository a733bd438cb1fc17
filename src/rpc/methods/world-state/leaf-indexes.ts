import { PUBLIC_DATA_TREE, type TreeId } from "../../../protocol/constants.ts";
import { array } from "../../codecs/json/codec.ts";
import { encodeLeafLocations, type LeafLocation } from "../../codecs/release/witness.ts";
import { type ApiCodecs, DEVELOPMENT_CODECS, RELEASE_CODECS } from "../../codecs/shared/apis.ts";
import { treeId } from "../../codecs/shared/tree-id.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { isByContents, type StateSource, stateOf } from "../chain/reference-block.ts";
import { referenceBlock } from "./block-and-field.ts";

const MAX_LEAVES = 100;
/** Searches of up to this many leaves are not long calls. */
const FEW_LEAVES = 32;

const LEAVES = {
  summary: "Where leaves are in a tree and which blocks put them there",
};

const leaves = (codecs: ApiCodecs, what: string) =>
  [
    referenceBlock(codecs),
    param("treeId", treeId),
    param("leafValues", array(codecs.field, MAX_LEAVES), `The leaves: ${what}.`),
  ] as const;

/** Where leaves are in their trees. */
export function leafIndexMethods(services: StateSource): Method[] {
  const { chain, world } = services;
  const location = (block: number, tree: TreeId, value: Uint8Array): LeafLocation | undefined => {
    const index = world.findLeaf(block, tree, value);
    const origin = index === undefined ? undefined : world.blockOfLeaf(tree, index);
    const record = origin === undefined ? undefined : chain.block(origin);
    return record && { blockNumber: record.number, blockHash: record.hash, index: index! };
  };
  return [
    method({
      name: "findLeavesIndexes",
      ...LEAVES,
      params: leaves(RELEASE_CODECS, "their values; in the public data tree none can be found"),
      handle: (reference, tree, values) => {
        const block = stateOf(services, reference);
        if (tree === PUBLIC_DATA_TREE && values.length > 0) {
          // A leaf of this tree is a slot and a value, so one field cannot identify it. The text is the network's.
          const read = "Attempted to read beyond buffer length. Start index: 32, Num bytes to read: 32";
          throw new ExecutionError(`${read}, Buffer length: 32`);
        }
        return values.map((value) => location(block, tree, value));
      },
      long: (_reference, _tree, values) => values.length > FEW_LEAVES,
      immutable: (_places, reference) => isByContents(reference),
      encode: { node: encodeLeafLocations },
    }),
    method({
      name: "findLeavesIndexes",
      ...LEAVES,
      params: leaves(DEVELOPMENT_CODECS, "their values; in the public data tree their slots"),
      handle: (reference, tree, values) => {
        const block = stateOf(services, reference);
        return values.map((value) => location(block, tree, value));
      },
      long: (_reference, _tree, values) => values.length > FEW_LEAVES,
      immutable: (_places, reference) => isByContents(reference),
      encode: { svc: encodeLeafLocations },
    }),
  ];
}
