import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rounds } from "../../support/soak.ts";
import { killLocalNetwork } from "../support/kills.ts";

/** The first one comes while a proposed block is not on L1 yet, the second one at any moment. */
const KILLS = rounds(2, 1);
const MAX_SECONDS = 2;
/** L1's journal has a block about 50 ms after L1 mined it; a busy machine may take longer. */
const MAX_LOST_MS = 5_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-kills-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

test("a local network killed with its L1 loses no accepted transaction, and only the latest blocks", async () => {
  const counts = await killLocalNetwork(join(folder, "data"), KILLS, MAX_SECONDS);
  expect(counts.accepted).toBeGreaterThan(KILLS);
  expect(counts.blocks).toBeGreaterThan(KILLS);
  expect(counts.mined + counts.pending + counts.dropped.withTheirAnchor, JSON.stringify(counts)).toBe(counts.accepted);
  for (const { successors, onL1For } of counts.lost) {
    if (onL1For === undefined) expect(successors, JSON.stringify(counts)).toBe(0);
    else expect(onL1For, JSON.stringify(counts)).toBeLessThan(MAX_LOST_MS);
  }
  if (counts.lost.length > 0) expect(counts.warnings, JSON.stringify(counts)).toBeGreaterThan(0);
}, 300_000);
