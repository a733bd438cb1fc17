import { costOf } from "./lanes.ts";

/** Whether the text of a test file imports soak.ts. */
export const isSoak = (text: string): boolean => /^import .*"(?:\.\.\/)+support\/soak\.ts";$/m.test(text);

/**
 * Of the soak tests those that one run of continuous integration has time for: part `part` ("2/4", from 1) of about
 * equal durations. Each file is in one part.
 */
export function soakPart(paths: readonly string[], part: string): string[] {
  const [, number, count] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(part)?.map(Number) ?? [];
  if (!(number <= count)) throw new Error(`SVC_SOAK_PART must be a part of several, like 2/4, and is ${part}`);
  const parts = Array.from({ length: count }, () => ({ ms: 0, paths: [] as string[] }));
  const byDuration = paths.toSorted((a, b) => costOf(b).ms - costOf(a).ms || (a < b ? -1 : 1));
  for (const path of byDuration) {
    const shortest = parts.reduce((least, one) => (one.ms < least.ms ? one : least));
    shortest.paths.push(path);
    shortest.ms += costOf(path).ms;
  }
  return parts[number - 1].paths;
}
