import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordedSubmissions } from "../../../world/prover/three-epochs.ts";
import { KilledProvers, type PartName } from "./killed-provers.ts";
import "../../../support/soak.ts";

/** More of them: SVC_PROVER_KILLS=100 npx vitest run test/prover/scenarios/kills. */
const KILLS = Number(process.env.SVC_PROVER_KILLS ?? 3);
/** In this order. The prover node is killed less often, because it takes longest to start. */
const KILLED: readonly PartName[] = ["agent", "broker", "prover node", "agent", "broker", "agent"];
/** With many kills, jobs take long enough for the epoch to last. */
const IS_LONG = KILLS > 20;
const JOB_MS = IS_LONG ? 800 : 20;
const MAX_BETWEEN_KILLS_MS = IS_LONG ? 2500 : 800;
const LAST_OF_EPOCH_23 = 56;
const RECORDED = recordedSubmissions().filter(({ epoch }) => epoch >= 23);

let folder: string;
let provers: KilledProvers | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-prover-kills-"));
});
afterEach(async () => {
  await provers?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("an epoch is proven once, however often prover node, broker and agents are killed meanwhile", {
  timeout: 1_800_000,
}, async () => {
  provers = await KilledProvers.start(folder, JOB_MS);
  const progress: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(randomInt(100, MAX_BETWEEN_KILLS_MS));
    await provers.kill(KILLED[kill % KILLED.length]);
    progress.push(provers.jobsDone);
  }
  // All kills were within the first epoch.
  expect(await provers.proofs()).toEqual([]);
  await provers.allowRoot();
  const proofs = await provers.proven(3);
  const facts = { kills: provers.kills, jobsDone: provers.jobsDone, progress: progress.join(" ") };
  if (IS_LONG) process.stdout.write(`${JSON.stringify(facts)}\n`);
  expect(proofs.map(({ checkpoint }) => checkpoint)).toEqual([LAST_OF_EPOCH_23, 60, 64]);
  expect([proofs[0], proofs[2]].map(({ calldata }) => calldata)).toEqual(RECORDED.map(({ calldata }) => calldata));
});
