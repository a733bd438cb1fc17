import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { rounds } from "../../support/soak.ts";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { killEverything } from "../support/kills.ts";
import { messageTx } from "../support/local-txs.ts";

/** One in the short form, of another kind in each run; a long run sets more. */
const KILLS = Number(process.env.SVC_STATE_KILLS ?? rounds(3, 1));
const FIRST = randomInt(3);
/** Operations take some seconds; the kill comes within this time, in milliseconds. */
const WITHIN_MS = 2_500;

async function mine({ url }: Network): Promise<void> {
  const { rollupVersion } = await call<{ rollupVersion: number }>(url, "node_getNodeInfo");
  const { json, hash } = messageTx(rollupVersion);
  await call(url, "node_sendTx", json);
  const block = async () => (await call<{ blockNumber?: number }>(url, "node_getTxReceipt", hash)).blockNumber;
  await expect.poll(block, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
}

/** Kills a network with all its processes at a random moment of an operation. */
async function killDuring(network: Network, operation: Promise<unknown>): Promise<void> {
  const over = operation.catch(() => undefined);
  await sleep(WITHIN_MS * Math.random());
  await killEverything(network);
  await over;
}

test("a network that is killed during a dump, a load or a revert goes on after the next start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-state-kills-"));
  const args = ["--data-directory", join(folder, "data")];
  let network = await startNetwork(args);
  try {
    const file = join(folder, "state.tar.gz");
    await mine(network);
    await call(network.adminUrl, "svcAdmin_dumpState", file);
    for (let kill = 0; kill < KILLS; kill++) {
      const { adminUrl } = network;
      const snapshot = await call<string>(adminUrl, "svcAdmin_snapshot");
      await mine(network);
      const second = join(folder, "second.tar.gz");
      const kind = (FIRST + kill) % 3;
      if (kind === 0) await killDuring(network, call(adminUrl, "svcAdmin_loadState", file));
      else if (kind === 1) await killDuring(network, call(adminUrl, "svcAdmin_revert", snapshot));
      else await killDuring(network, call(adminUrl, "svcAdmin_dumpState", second));
      network = await startNetwork(args);
      await mine(network);
      // A dump appears whole or not at all.
      if (existsSync(second)) await call(network.adminUrl, "svcAdmin_loadState", second);
      rmSync(second, { force: true });
    }
  } finally {
    network.svc.child.kill("SIGINT");
    await network.svc.ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}, 600_000);
