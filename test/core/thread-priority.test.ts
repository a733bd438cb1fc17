import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

/**
 * Counts the voluntary context switches of its thread during work: first with ordinary priority, then with low
 * priority, in longer and longer rounds until one has enough of them. It reads the counter only before and after a
 * round, because each read leaves garbage, whose collection causes switches too.
 */
const WORKER = `
  const { readFileSync } = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  const givenUp = () => Number(/^voluntary_ctxt_switches:\\s+(\\d+)/m.exec(readFileSync("/proc/thread-self/status", "latin1"))[1]);
  const work = (yieldProcessor, ms) => {
    const before = givenUp();
    for (const end = performance.now() + ms; performance.now() < end; ) for (let i = 0; i < 1000; i++) yieldProcessor();
    return givenUp() - before;
  };
  import(workerData.module).then(({ yieldProcessor, lowerThreadPriority }) => {
    const ordinary = work(yieldProcessor, 200);
    lowerThreadPriority();
    let low = 0;
    for (let ms = 200; ms < 20_000 && low < 50; ms *= 2) low = work(yieldProcessor, ms);
    parentPort.postMessage({ ordinary, low });
  });
`;

test.runIf(process.platform === "linux")(
  "a thread of low priority sleeps during its work, and one of ordinary priority does not",
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
