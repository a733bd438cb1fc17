import type { Fr } from "../../../protocol/field.ts";
import type { Codec } from "../json/codec.ts";
import { field, l2Address, txHash } from "../json/field.ts";
import { fieldText, l2AddressText, txHashText } from "../json/hex-text.ts";
import { type BlockSelector, blockParameter, blockSelector } from "./block-parameter.ts";

/** Codecs that differ between the two APIs. */
export interface ApiCodecs {
  readonly block: Codec<BlockSelector>;
  readonly field: Codec<Fr>;
  readonly txHash: Codec<Fr>;
  readonly l2Address: Codec<Fr>;
}

export const RELEASE_CODECS: ApiCodecs = { block: blockParameter, field, txHash, l2Address };
export const DEVELOPMENT_CODECS: ApiCodecs = {
  block: blockSelector,
  field: fieldText,
  txHash: txHashText,
  l2Address: l2AddressText,
};

/** Builds one parameter list for both APIs. */
export function inBoth<const P>(list: (codecs: ApiCodecs) => P): { readonly node: P; readonly svc: P } {
  return { node: list(RELEASE_CODECS), svc: list(DEVELOPMENT_CODECS) };
}
