/**
 * Names of memory tags by number (docs/protocol/06-public-execution.md#65-memory-and-tags), as the reference node
 * writes them.
 */
export const TAG_NAMES = ["FIELD", "U1", "U8", "U16", "U32", "U64", "U128"] as const;

export function tagName(tag: number): string {
  return TAG_NAMES[tag] ?? `${tag}`;
}
