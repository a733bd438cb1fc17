/** Names of memory tags by number (sheet 05 section 2), as the reference node writes them. */
export const TAG_NAMES = ["FIELD", "U1", "U8", "U16", "U32", "U64", "U128"] as const;

export function tagName(tag: number): string {
  return TAG_NAMES[tag] ?? `${tag}`;
}
