import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../../src/storage/store.ts";

/** Reports what a reader on its own thread knows of the store's version, at the start and on each message. */
const { path, commits } = workerData as { path: string; commits: SharedArrayBuffer | undefined };
const store = openStore({ path, commits, readOnly: true });
const rows = store.table("rows");

function say(): void {
  const current = store.current();
  const asked = store.version();
  parentPort?.postMessage({ current, asked, value: rows.get(Uint8Array.of(1))?.[0] });
}
say();
parentPort?.on("message", say);
