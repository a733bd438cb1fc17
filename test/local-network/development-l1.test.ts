import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAnvil } from "../../src/local-network/anvil.ts";
import { DevelopmentL1 } from "../../src/local-network/development-l1.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";

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

test("L1 loads its blob checks while it mines, and nothing of that stays", async () => {
  await withL1(join(folder, "blob-checks.json"), async (l1) => {
    const before = await l1.latest();
    let done = false;
    const loading = l1.loadBlobChecks(31337).then(() => {
      done = true;
    });
    await l1.mineAt(before.timestamp + INTERVAL);
    expect(done).toBe(false);
    await loading;
    expect((await l1.latest()).number).toBe(before.number + 1);
    const status = { jsonrpc: "2.0", id: 1, method: "txpool_status", params: [] };
    const headers = { "content-type": "application/json" };
    const response = await fetch(l1.url, { method: "POST", headers, body: JSON.stringify(status) });
    expect(await response.json()).toMatchObject({ result: { pending: "0x0", queued: "0x0" } });
  });
});
