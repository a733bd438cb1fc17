import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rounds } from "../support/soak.ts";
import { goldenCases, NodeProcess, type RecordedL1, startRecordedL1 } from "../world/node/recorded-node.ts";

/** Kills in all. A round kills nodes on one data directory a few times, then lets one finish. */
const KILLS = rounds(50, 8);

let l1: RecordedL1;
beforeAll(async () => {
  l1 = await startRecordedL1();
});
afterAll(() => l1?.stop());

/** Methods that together read every table: tips, headers with all roots, bodies, witnesses at several blocks. */
const METHODS = [
  "getBlockHeader",
  "getBlockByArchive",
  "getCheckpoints",
  "getPublicDataWitness",
  "getLowNullifierMembershipWitness",
];
const questions = goldenCases()
  .filter((c) => METHODS.includes(c.method) && c.result !== undefined)
  .filter((_, i) => i % 8 === 0);
const text = (value: unknown) => JSON.stringify(value, (key, item) => (key === "_cachedHash" ? undefined : item));

/**
 * Kills at a random moment of the initial sync: a random time after the start, or shortly after a random block.
 * Returns whether the sync was still running. Throws if the node ended by itself.
 */
async function killWhileSyncing(node: NodeProcess): Promise<boolean> {
  const block = Math.random() < 0.5 ? Math.ceil(Math.random() * 48) : 0;
  const until = Date.now() + Math.random() * 1500;
  const reached = async () => Number((await node.ask("getBlockNumber")).body.result) >= block;
  while (block > 0 ? !(await reached().catch(() => false)) : Date.now() < until) {
    if (!node.running) throw new Error(`the node ended by itself:\n${node.log.slice(-4000)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  if (block > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
  if (!node.running) throw new Error(`the node ended by itself:\n${node.log.slice(-4000)}`);
  await node.end("SIGKILL");
  return !node.log.includes("initial sync is complete");
}

test(`a node killed ${KILLS} times while syncing ends with the recorded roots and answers, with no manual step`, {
  timeout: 1_800_000,
}, async () => {
  expect(questions.length).toBeGreaterThan(40);
  let kills = 0;
  while (kills < KILLS) {
    const dataDirectory = mkdtempSync(join(tmpdir(), "svc-kill-"));
    try {
      // A kill after the sync has completed does not count and ends the round.
      for (const last = Math.min(KILLS, kills + 1 + Math.floor(Math.random() * 5)); kills < last; kills++) {
        if (!(await killWhileSyncing(await NodeProcess.start(l1, dataDirectory)))) break;
      }
      const node = await NodeProcess.start(l1, dataDirectory);
      try {
        await node.ready();
        for (const { method, params, result } of questions) {
          const { body } = await node.ask(method, params);
          expect(text(body.result), `${method}(${JSON.stringify(params)})`).toBe(text(result));
        }
        expect(await node.end("SIGTERM")).toBe(143);
      } finally {
        await node.end("SIGKILL");
      }
    } finally {
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  }
});
