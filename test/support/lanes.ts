import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What a test file takes: milliseconds from the start of its process, and how many cores it keeps busy meanwhile. */
export interface Cost {
  ms: number;
  load: number;
}

/** Files that run at a time: on two cores, because many wait for slots and processes half of their time. */
export const LANES = 5;
const CORES = 2;

/** Of a file that is not in the list. */
const SHORT: Cost = { ms: 700, load: 0.9 };

/** By file: milliseconds, and milliseconds of CPU time with those of its child processes. */
const DURATIONS: Record<string, [number, number]> = JSON.parse(
  readFileSync(new URL("durations.json", import.meta.url), "utf8"),
) as Record<string, [number, number]>;

export function costOf(path: string): Cost {
  if (!(path in DURATIONS)) return SHORT;
  const [ms, cpuMs] = DURATIONS[path];
  return { ms, load: cpuMs / ms };
}

/**
 * Orders files for `lanes` workers, each of which takes the next file when its last one has ended. A worker gets the
 * longest file that needs no more than what the others leave of the cores; if there is none, the one that needs the
 * least. So those that compute run beside those that wait, and the heaviest do not run beside each other.
 */
export function laneOrder<T>(files: readonly T[], costOf: (file: T) => Cost, lanes: number, cores: number): T[] {
  const waiting = files.map((file) => ({ file, ...costOf(file) })).sort((a, b) => b.ms - a.ms);
  const running: { end: number; load: number }[] = [];
  const order: T[] = [];
  let now = 0;
  while (waiting.length > 0) {
    if (running.length === lanes) {
      running.sort((a, b) => b.end - a.end);
      now = running.pop()?.end ?? now;
    }
    const free = running.reduce((left, { load }) => left - load, cores);
    const fitting = waiting.findIndex(({ load }) => load <= free);
    const least = Math.min(...waiting.map(({ load }) => load));
    const index = fitting >= 0 ? fitting : waiting.findIndex(({ load }) => load === least);
    const [{ file, ms, load }] = waiting.splice(index, 1);
    order.push(file);
    running.push({ end: now + ms, load });
  }
  return order;
}

export class Lanes extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPath = files
      .map((file) => ({ file, path: relative(this.ctx.config.root, file.moduleId) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    const alone = byPath.filter(({ file }) => file.project.config.isolate);
    // A process is kept for the next file if that is one of the same project.
    const sharing = Map.groupBy(byPath, ({ file }) => (file.project.config.isolate ? undefined : file.project.name));
    sharing.delete(undefined);
    const order = [...laneOrder(alone, ({ path }) => costOf(path), LANES, CORES), ...[...sharing.values()].flat()];
    return order.map(({ file }) => file);
  }
}
