/** An RPC thread with methods that kill it, and one that returns its thread id; used by rpc-threads.test.ts. */
import { parentPort, threadId, workerData } from "node:worker_threads";
import { encodeNothing, encodeNumber } from "../../../src/rpc/codecs/json/encoder.ts";
import { method, Registry } from "../../../src/rpc/registry/registry.ts";
import { runRpcThread } from "../../../src/rpc/threads/rpc-thread.ts";

const later = (end: () => void) => (): undefined => void setTimeout(end, 5);

if (parentPort === null) throw new TypeError("this file is for worker threads");
await runRpcThread(
  workerData,
  parentPort,
  (registry) =>
    new Registry([
      ...registry.methods,
      method({ name: "whoAmI", params: [], handle: () => threadId, encode: { svc: encodeNumber } }),
      method({
        name: "throwLater",
        params: [],
        handle: later(() => {
          throw new Error("a defect");
        }),
        encode: { svc: encodeNothing },
      }),
      method({ name: "exitLater", params: [], handle: later(() => process.exit(3)), encode: { svc: encodeNothing } }),
    ]),
);
