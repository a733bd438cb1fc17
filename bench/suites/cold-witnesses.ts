import { statSync } from "node:fs";
import { join } from "node:path";
import type { Figure, SuiteResult } from "../lib/measurement.ts";
import { MemoryLimit } from "../lib/memory-limit.ts";
import { forgetPages } from "../lib/node-store.ts";
import { type Cold, type ColdReads, inLimitedStateProcess } from "../lib/state-processes.ts";
import type { SuiteContext } from "../lib/suite.ts";

/** Times as large as memory. */
const LARGER = 10;
/** Below this a process cannot run at all; quick states are smaller than ten times that. */
const MIN_MEMORY = 200 * 2 ** 20;
const row = "cold-witness";

/** Witnesses in a process whose memory, with the cached pages of the store, is a tenth of the store's size. */
export async function coldWitnessSuite({ seconds, repeats, states, progress }: SuiteContext): Promise<SuiteResult> {
  const { chain } = await states.node();
  const file = join(chain, "data.mdb");
  const { size } = statSync(file);
  const memory = Math.max(MIN_MEMORY, Math.floor(size / LARGER));
  progress(`a store of ${size >> 20} MiB in ${memory >> 20} MiB of memory`);
  // Pages that are in memory already would not count.
  forgetPages(file);
  const limit = new MemoryLimit(memory);
  try {
    const { pairs } = await inLimitedStateProcess<Cold>(limit, "cold-witnesses", chain, 3 * seconds, repeats);
    const figure = (name: string, unit: Figure["unit"], of: (pair: Cold["pairs"][number]) => number): Figure => ({
      ...{ kind: "figure", row, name, unit },
      values: pairs.map(of),
    });
    const sides = (of: keyof ColdReads) => pairs.map(({ ours, theirs }) => ({ ours: ours[of], theirs: theirs[of] }));
    return {
      measurements: [
        {
          ...{ kind: "comparison", row, peer: "reads", unit: "/s", better: "more" },
          pairs: sides("perSecond"),
          note: "one thread, random keys; the reads are a search for a random key and a tile of a random leaf",
        },
        figure("p99", "ms", ({ ours }) => ours.p99),
        figure("p99 of the two reads alone", "ms", ({ theirs }) => theirs.p99),
        figure("bytes read from the disk", "bytes", ({ ours }) => ours.readBytes),
        figure("bytes that the two reads alone read from the disk", "bytes", ({ theirs }) => theirs.readBytes),
      ],
      notes: [`witnesses from a store larger than memory: ${size} bytes, the process has ${memory}`],
    };
  } finally {
    limit.remove();
  }
}
