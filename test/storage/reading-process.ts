import { writeSync } from "node:fs";
import { openStore } from "../../src/storage/store.ts";

/** Takes a snapshot of the store at the given path and keeps it: its event loop gets no further turn. */
const store = openStore({ path: process.argv[2], readOnly: true, anotherProcess: true });
store.table("rows").get(Uint8Array.of(1));
writeSync(1, "reading\n");
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
