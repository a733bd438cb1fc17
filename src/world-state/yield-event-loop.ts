import { setImmediate } from "node:timers/promises";

/** Milliseconds that work may hold the event loop before it has to yield. */
const MAX_RUN_MS = 10;

let lastYield = 0;

/** Lets the event loop turn, when the last turn that a call of this function waited for is MAX_RUN_MS or longer ago. */
export async function yieldEventLoop(): Promise<void> {
  if (performance.now() - lastYield < MAX_RUN_MS) return;
  await setImmediate();
  lastYield = performance.now();
}
