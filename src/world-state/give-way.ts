import { setImmediate } from "node:timers/promises";

/** Longest run of the event loop, in milliseconds, that work in between is asked to make. */
const LONGEST_RUN = 10;

let since = 0;

/** Lets other events of the process have their turn when none had one for a while. */
export async function giveWay(): Promise<void> {
  if (performance.now() - since < LONGEST_RUN) return;
  await setImmediate();
  since = performance.now();
}
