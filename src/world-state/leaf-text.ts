import type { TextPart } from "../core/core.ts";
import { LEAF_ROW } from "./tables/leaf-row.ts";
import type { LeafPart, LeafText } from "./types.ts";

/** Offsets of these parts in an entry of the key table; its key is the tree's number and the leaf's key. */
const PARTS: Record<LeafPart["of"], TextPart> = {
  key: { as: "word", of: "key", at: 1 },
  value: { as: "word", of: "row", at: LEAF_ROW.value },
  nextKey: { as: "word", of: "row", at: LEAF_ROW.nextKey },
  index: { as: "position", of: "row", at: LEAF_ROW.index },
  nextIndex: { as: "position", of: "row", at: LEAF_ROW.nextIndex },
  path: { as: "path" },
};

export function textParts(text: LeafText): TextPart[] {
  return text.map((part) => (typeof part === "string" ? part : PARTS[part.of]));
}
