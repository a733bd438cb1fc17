import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

/** Works until its thread gave the processor up so often, for so many milliseconds at most, and tells how often it did. */
const WORKER = `
  const { readFileSync } = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  const givenUp = () => Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync("/proc/thread-self/status", "latin1"))[1]);
  const work = (letOthersRun, ms, often) => {
    const before = givenUp();
    let times = 0;
    for (const end = performance.now() + ms; performance.now() < end && times < often; times = givenUp() - before) {
      for (let i = 0; i < 1000; i++) letOthersRun();
    }
    return times;
  };
  import(workerData.module).then(({ letOthersRun, lowerThreadPriority }) => {
    const ordinary = work(letOthersRun, 200, Infinity);
    lowerThreadPriority();
    parentPort.postMessage({ ordinary, low: work(letOthersRun, 30_000, 50) });
  });
`;

test.runIf(process.platform === "linux")(
  "a thread of low priority sleeps in the middle of its work, another does not",
  async () => {
    const module = new URL("../../src/core/thread-priority.ts", import.meta.url).href;
    const worker = new Worker(WORKER, {
      eval: true,
      workerData: { module },
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const { ordinary, low } = await new Promise<{ ordinary: number; low: number }>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    expect(ordinary).toBeLessThan(50);
    expect(low).toBeGreaterThanOrEqual(50);
  },
  60_000,
);
