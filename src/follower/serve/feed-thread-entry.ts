import { parentPort, workerData } from "node:worker_threads";
import { runFeedThread } from "./feed-thread.ts";

/** What the thread of the feed runs. */
if (parentPort === null) throw new TypeError("this file is for worker threads");
await runFeedThread(parentPort, workerData);
