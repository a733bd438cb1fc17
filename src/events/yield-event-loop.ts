import { setImmediate } from "node:timers/promises";

/** Longest time that work may occupy the event loop before it must yield, in milliseconds. */
const MAX_RUN_MS = 10;

let lastYield = 0;

/** Waits for the next turn of the event loop if the last turn awaited here is MAX_RUN_MS or longer ago. */
export async function yieldEventLoop(): Promise<void> {
  if (performance.now() - lastYield < MAX_RUN_MS) return;
  await setImmediate();
  lastYield = performance.now();
}
