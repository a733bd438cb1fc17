import { concat } from "../../../protocol/bytes.ts";
import { PUBLIC_DATA_TREE, SEPARATOR } from "../../../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../../../protocol/field.ts";
import { encodeWord } from "../../codecs/json/encoder.ts";
import { inBoth } from "../../codecs/shared/apis.ts";
import type { BlockSelector } from "../../codecs/shared/block-parameter.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { isByContents, type StateSource, stateAt } from "../chain/reference-block.ts";
import { rawInBoth, referenceBlock } from "./block-and-field.ts";

/** Values of public storage. */
export function publicStorageMethods(services: StateSource & Pick<NodeServices, "core">): Method[] {
  const storageAt = (reference: BlockSelector, contract: Fr, slot: Fr) => {
    const state = stateAt(services, reference);
    const leafSlot = services.core.hashWithSeparator(SEPARATOR.PUBLIC_LEAF_SLOT, concat(contract, slot));
    return state.leaf(PUBLIC_DATA_TREE, leafSlot)?.value ?? FR_ZERO;
  };
  return [
    method({
      name: "getPublicStorageAt",
      summary: "Value of a storage slot, zero where none was written",
      params: inBoth(
        (codecs) =>
          [
            referenceBlock(codecs),
            param("contract", codecs.l2Address),
            param("slot", codecs.field, "The slot as in the contract's source."),
          ] as const,
      ),
      handle: storageAt,
      immutable: (_value, reference) => isByContents(reference),
      encode: { node: encodeWord, svc: encodeWord },
      raw: rawInBoth(2, storageAt, encodeWord),
    }),
  ];
}
