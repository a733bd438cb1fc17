import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

/** Works for so many milliseconds and counts how often its thread gave the processor up. */
const WORKER = `
  const { readFileSync } = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  const givenUp = () => Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync("/proc/thread-self/status", "latin1"))[1]);
  const work = (letOthersRun) => {
    const before = givenUp();
    for (const end = performance.now() + workerData.ms; performance.now() < end; ) letOthersRun();
    return givenUp() - before;
  };
  import(workerData.module).then(({ letOthersRun, lowerThreadPriority }) => {
    const ordinary = work(letOthersRun);
    lowerThreadPriority();
    parentPort.postMessage({ ordinary, low: work(letOthersRun) });
  });
`;

test.runIf(process.platform === "linux")(
  "a thread of low priority sleeps in the middle of its work, another does not",
  async () => {
    const module = new URL("../../src/core/thread-priority.ts", import.meta.url).href;
    const worker = new Worker(WORKER, {
      eval: true,
      workerData: { module, ms: 300 },
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const { ordinary, low } = await new Promise<{ ordinary: number; low: number }>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    expect(low).toBeGreaterThan(ordinary + 10);
  },
);
