/** Tags of memory cells by number (sheet 05 section 2). */
export const TAG_NAMES = ["FF", "U1", "U8", "U16", "U32", "U64", "U128"] as const;

export function tagName(tag: number): string {
  return TAG_NAMES[tag] ?? `${tag}`;
}
