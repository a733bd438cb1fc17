import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { goldenCases, NodeProcess, type RecordedL1, startRecordedL1 } from "./recorded-node.ts";

/** Kills in all. A round is one data directory that is killed a few times and then left to finish. */
const KILLS = 50;

let l1: RecordedL1;
beforeAll(async () => {
  l1 = await startRecordedL1();
});
afterAll(() => l1?.stop());

/** Answers that touch every table: tips, headers with all roots, bodies, witnesses at several blocks. */
const METHODS = [
  "getBlockHeader",
  "getBlockByArchive",
  "getCheckpoints",
  "getPublicDataWitness",
  "getLowNullifierMembershipWitness",
];
const questions = goldenCases().filter((c, i) => METHODS.includes(c.method) && c.result !== undefined && i % 11 === 0);
const text = (value: unknown) => JSON.stringify(value, (key, item) => (key === "_cachedHash" ? undefined : item));

/** Kills at a random moment of the sync: after some time, or as soon as some block is there. */
async function killAtRandom(node: NodeProcess): Promise<void> {
  const byBlock = Math.random() < 0.7;
  const block = Math.ceil(Math.random() * 58);
  const until = Date.now() + Math.random() * 3000;
  while (node.running) {
    const at = byBlock
      ? await node.ask("getBlockNumber").then(
          ({ body }) => Number(body.result),
          () => 0,
        )
      : 0;
    if (byBlock ? at >= block : Date.now() >= until) break;
    if (!byBlock) await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - Date.now())));
  }
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
  await node.end("SIGKILL");
}

it(`${KILLS} kills while syncing end in the recorded roots and answers, with no manual step`, {
  timeout: 900_000,
}, async () => {
  expect(questions.length).toBeGreaterThan(40);
  let kills = 0;
  while (kills < KILLS) {
    const dataDirectory = mkdtempSync(join(tmpdir(), "svc-kill-"));
    try {
      for (const last = Math.min(KILLS, kills + 1 + Math.floor(Math.random() * 5)); kills < last; kills++) {
        await killAtRandom(await NodeProcess.start(l1, dataDirectory));
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
