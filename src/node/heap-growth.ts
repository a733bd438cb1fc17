import { setFlagsFromString } from "node:v8";

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
