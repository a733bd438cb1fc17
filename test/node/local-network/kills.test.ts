import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killLocalNetwork } from "./kills.ts";

const KILLS = 2;
/** A second is the aim; a busy machine may take longer to write a block down. */
const MOST_LOST_MS = 5_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-kills-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

test("a local network that is killed with its L1 loses no transaction that it took, and no block but the last ones", async () => {
  const counts = await killLocalNetwork(join(folder, "data"), KILLS);
  expect(counts.accepted).toBeGreaterThan(KILLS);
  expect(counts.blocks).toBeGreaterThan(KILLS);
  expect(counts.mined + counts.pending + counts.dropped.withTheirAnchor, JSON.stringify(counts)).toBe(counts.accepted);
  expect(Math.max(0, ...counts.lostAges), JSON.stringify(counts)).toBeLessThan(MOST_LOST_MS);
}, 300_000);
