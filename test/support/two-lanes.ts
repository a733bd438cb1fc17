import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Milliseconds by file, of files that took half a second or more. */
const DURATIONS: Record<string, number> = JSON.parse(
  readFileSync(new URL("durations.json", import.meta.url), "utf8"),
) as Record<string, number>;
/** Of a file that is not in the list, with the start of its process. */
const SHORT_MS = 400;

/**
 * Orders files for two workers. Longest first would run the heaviest tests beside each other, with a dozen processes
 * between them; so one worker takes the longest files, longest first, and the other one meanwhile the others. Both end
 * at about the same time.
 */
export function twoLanes<T>(files: readonly T[], pathOf: (file: T) => string): T[] {
  const timed = files
    .map((file) => ({ file, path: pathOf(file), ms: SHORT_MS + (DURATIONS[pathOf(file)] ?? 0) }))
    .sort((a, b) => b.ms - a.ms || (a.path < b.path ? -1 : 1));
  const half = timed.reduce((sum, { ms }) => sum + ms, 0) / 2;
  const clocks = { long: 0, short: 0 };
  const starts: { file: T; at: number }[] = [];
  for (const { file, ms } of timed) {
    const lane = clocks.long < half ? "long" : "short";
    starts.push({ file, at: clocks[lane] });
    clocks[lane] += ms;
  }
  return starts.sort((a, b) => a.at - b.at).map(({ file }) => file);
}

export class TwoLanes extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return twoLanes(files, ({ moduleId }) => relative(this.ctx.config.root, moduleId));
  }
}
