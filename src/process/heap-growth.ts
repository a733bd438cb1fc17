import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Growth of a thread's heap, in percent of what is alive, after which all of it is collected. V8 counts bytes outside
 * the heap too, such as those of messages, and left to itself it collects the whole heap after every 16 MiB of them:
 * more than once a second at 20 txs a second. Most are garbage by the next collection of young objects.
 */
const HEAP_GROWTH_PERCENT = 100;

/** Makes collections of whole heaps rare. For all threads of the process; called before the node starts. */
export function collectWholeHeapsRarely(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}

/** The same where memory counts for more than processors. */
const SMALL_GROWTH_PERCENT = 30;

/** Collects whole heaps after they have grown by a third, for all threads of the process. */
export function keepHeapsSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${SMALL_GROWTH_PERCENT}`);
}

/** From this size on V8 may not double the space for young objects. */
const YOUNG_BYTES = 2 * 1024 * 1024;

let limit: PerformanceObserver | undefined;

/**
 * Keeps the space for young objects of this thread at 2 to 4 MiB, until `letYoungHeapGrow` is called; loading a program
 * alone takes it to 32 MiB, where it stays on a busy thread. Its size can only be given with the runtime's arguments,
 * but the factor by which it grows is read at each growth.
 */
export function limitYoungHeap(): void {
  setYoungGrowth(1);
  limit = new PerformanceObserver(() => {
    const size = getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0;
    setYoungGrowth(size < YOUNG_BYTES ? 2 : 1);
  });
  limit.observe({ entryTypes: ["gc"] });
}

/** For processes with many objects that live for a while: the smaller the space is, the more often they are copied. */
export function letYoungHeapGrow(): void {
  limit?.disconnect();
  limit = undefined;
  setYoungGrowth(2);
}

/** Of all threads of the process. */
function setYoungGrowth(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
