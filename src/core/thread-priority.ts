import { setPriority } from "node:os";

/** Nice value: gives about a tenth of a processor under full load. */
const LOW = 10;

/** Milliseconds that a thread of low priority works between two sleeps. */
const WORK_MS = 1;
/** Milliseconds; the system adds some hundredths. */
const SLEEP_MS = 0.01;
const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4));

let low = false;
let lastSleep = 0;

/**
 * Lowers the priority of threads whose work may wait for short calls. On Linux it affects the calling thread alone;
 * elsewhere it does nothing.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  setPriority(0, LOW);
  low = true;
}

/**
 * Puts a thread of low priority to sleep for a moment, once per millisecond of work; does nothing on other threads.
 * Long synchronous work calls it repeatedly: at low priority alone a thread keeps running for milliseconds after
 * another wakes up on the same processor.
 */
export function yieldProcessor(): void {
  if (!low || performance.now() - lastSleep < WORK_MS) return;
  Atomics.wait(NEVER_NOTIFIED, 0, 0, SLEEP_MS);
  lastSleep = performance.now();
}
