import { setPriority } from "node:os";

/** As nice counts: some tenth of a processor where others want all of it. */
const LOW = 10;

/** Milliseconds that a thread of low priority works before it sleeps. */
const WORK_MS = 1;
/** Milliseconds; the system adds some hundredths. */
const SLEEP_MS = 0.01;
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

let low = false;
/** When this thread slept last. */
let slept = 0;

/** For threads whose work may wait for short calls: on Linux this lowers the priority of the calling thread alone; elsewhere it does nothing. */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  setPriority(0, LOW);
  low = true;
}

/**
 * To be called again and again in the middle of long work. A thread of low priority sleeps for a moment after each millisecond: otherwise
 * one that wakes up on its processor, of whatever priority, may have to wait until its slice of some milliseconds has ended.
 */
export function letOthersRun(): void {
  if (!low || performance.now() - slept < WORK_MS) return;
  Atomics.wait(NEVER_NOTIFIED, 0, 0, SLEEP_MS);
  slept = performance.now();
}
