import { TREE_HEIGHTS } from "../../../protocol/constants.ts";
import type { Fr } from "../../../protocol/field.ts";
import type { Encoder } from "../../codecs/json/encoder.ts";
import type { ApiCodecs } from "../../codecs/shared/apis.ts";
import type { BlockParameter, BlockSelector } from "../../codecs/shared/block-parameter.ts";
import { param } from "../../registry/registry.ts";
import { rawOfBlock } from "./raw-params.ts";

export const referenceBlock = ({ block }: ApiCodecs) =>
  param("referenceBlock", block, "The block as of which the state is read.");

/** Parameters of methods that read one field's entry at a block. */
export const byField = (name: string, description: string) => (codecs: ApiCodecs) =>
  [referenceBlock(codecs), param(name, codecs.field, description)] as const;

/** Widens a block as the raw forms read it: a word may also be an archive root. */
export function wide(block: BlockParameter): BlockSelector {
  return block instanceof Uint8Array ? { hashOrArchive: block } : block;
}

/** Raw forms of a method with parameters block and one or two fields. */
export function rawInBoth<R>(
  fields: 1 | 2,
  handle: (block: BlockSelector, first: Fr, second: Fr) => R | undefined,
  encode: Encoder<R>,
) {
  return {
    node: rawOfBlock(fields, handle, encode),
    svc: rawOfBlock(fields, (block, first, second) => handle(wide(block), first, second), encode),
  };
}

/** One path buffer per tree suffices: a result is encoded before the next call is handled. */
export function pathBuffers(): Uint8Array[] {
  return TREE_HEIGHTS.map((height) => new Uint8Array(height * 32));
}
