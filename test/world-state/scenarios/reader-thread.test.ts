import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { fr } from "../../../src/protocol/field.ts";
import { apply, makeBlock, openState } from "../../world/world-state/open-state.ts";
import type { ReaderThreadData, ReaderThreadReport } from "./reader-thread.ts";

test("a reader on another thread sees only complete states while blocks are applied and unwound", async () => {
  const open = openState();
  let counter = 1000n;
  const nextBlock = async () => {
    const fresh = () => fr((++counter * 0x9e3779b97f4a7c15n) % 2n ** 40n);
    const publicDataWrites = [1, 2, 3].map((k) => ({
      leafSlot: fr(200 + ((Number(counter) * k) % 60)),
      value: fresh(),
    }));
    await apply(open, [
      makeBlock(open.state, [{ nullifiers: [fresh(), fresh(), fresh()], publicDataWrites }], undefined),
    ]);
  };
  await nextBlock();
  const stop = new SharedArrayBuffer(8);
  const latestRoots = () => Atomics.load(new Int32Array(stop), 1);
  const worker = new Worker(new URL("./reader-thread.ts", import.meta.url), {
    workerData: { path: open.path, commits: open.store.commits, stop } satisfies ReaderThreadData,
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const ended = once(worker, "exit");
  try {
    expect(await once(worker, "message")).toEqual(["reading"]);
    for (let round = 0; round < 60 || latestRoots() < 10; round++) {
      await nextBlock();
      const { tip } = open.state.status();
      if (round % 5 === 4) open.store.transaction(() => open.state.unwindTo(tip - 3));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const reported = once(worker, "message") as Promise<[ReaderThreadReport]>;
    Atomics.store(new Int32Array(stop), 0, 1);
    const [report] = await reported;
    expect(report.wrong).toEqual([]);
    expect(report.checked).toBeGreaterThan(20);
    expect(report.texts).toBeGreaterThan(10);
    expect(report.latestRoots).toBeGreaterThanOrEqual(10);
  } finally {
    Atomics.store(new Int32Array(stop), 0, 1);
    await ended;
    await open.close();
  }
}, 180_000);
