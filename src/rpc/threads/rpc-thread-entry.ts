import { parentPort, workerData } from "node:worker_threads";
import { runRpcThread } from "./rpc-thread.ts";

/** What a thread of RpcThreads runs. */
if (parentPort === null) throw new TypeError("this file is for worker threads");
await runRpcThread(workerData, parentPort);
