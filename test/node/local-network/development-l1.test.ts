import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAnvil } from "../../../src/node/local-network/anvil.ts";
import { DevelopmentL1 } from "../../../src/node/local-network/development-l1.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

const INTERVAL = 12;
/** In 2023: L1's time is far behind the system clock. */
const PAST = 1_700_000_000;
const MNEMONIC = "test test test test test test test test test test test junk";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-development-l1-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withL1(stateFile: string, use: (l1: DevelopmentL1, restored: boolean) => Promise<void>): Promise<void> {
  const { signal } = new AbortController();
  const anvil = await startAnvil({ port: 0, mnemonic: MNEMONIC, chainId: 31337, stateFile, signal });
  try {
    await use(new DevelopmentL1(anvil.url, signal, silentLogger), anvil.restored);
  } finally {
    await anvil.stop();
  }
}

test("a restored L1 continues from its own time, even far behind the system clock", async () => {
  const stateFile = join(folder, "passed.json");
  await withL1(stateFile, async (l1) => {
    await l1.setClock(PAST);
    await l1.setBlockInterval(INTERVAL);
    await l1.mineAt(PAST + INTERVAL);
  });
  await withL1(stateFile, async (l1, restored) => {
    expect(restored).toBe(true);
    const before = await l1.latest();
    expect(before.timestamp).toBe(PAST + INTERVAL);
    await l1.resume(INTERVAL);
    expect(await l1.latest()).toMatchObject({ number: before.number + 1, timestamp: before.timestamp + INTERVAL });
    await l1.mineAt(PAST + 5 * INTERVAL);
    expect((await l1.latest()).timestamp).toBe(PAST + 5 * INTERVAL);
  });
});
