import { setPriority } from "node:os";

/** As nice counts: some tenth of a processor where others want all of it. */
const LOW = 10;

/** For threads whose work may wait for short calls: on Linux this lowers the priority of the calling thread alone; elsewhere it does nothing. */
export function lowerThreadPriority(): void {
  if (process.platform === "linux") setPriority(0, LOW);
}
