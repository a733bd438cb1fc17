import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anvilBinary } from "../../../src/local-network/anvil-binary.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { startAnvil } from "../../world/l1/chain-a.ts";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { l1Process } from "../support/l1-process.ts";
import { messageTx } from "../support/local-txs.ts";
import "../../support/soak.ts";

let folder: string;
let data: string;
let stateFile: string;
let network: Network;
const LIMIT_MS = 300_000;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-l1-faults-"));
  data = join(folder, "data");
  stateFile = join(data, "l1-state.json");
  network = await startNetwork(["--data-directory", data], { LOG_LEVEL: "info;debug:local-network" });
}, LIMIT_MS);
afterAll(async () => {
  network?.svc.child.kill("SIGINT");
  await network?.svc.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

const ask = <T>(method: string, ...params: unknown[]) => call<T>(network.url, method, ...params);
const blockNumber = () => ask<number>("node_getBlockNumber");

/** The last block whose checkpoint is on L1. */
async function checkpointed(url: string): Promise<number> {
  type Tips = { checkpointed: { block: { number: number } } };
  return (await call<Tips>(url, "node_getL2Tips")).checkpointed.block.number;
}

/** Sends a tx, again if refused: txs are refused while L1's fees cannot be read. */
async function sendTx(url = network.url): Promise<string> {
  const { json, hash } = messageTx((await call<{ rollupVersion: number }>(url, "node_getNodeInfo")).rollupVersion);
  const sent = () => call(url, "node_sendTx", json).then(() => "sent", String);
  await expect.poll(sent, { timeout: 120_000, interval: 500 }).toBe("sent");
  return hash;
}

const blockOf = async (hash: string) => (await ask<{ blockNumber?: number }>("node_getTxReceipt", hash)).blockNumber;
async function mined(hash: string): Promise<void> {
  const isMined = async () => (await blockOf(hash)) !== undefined;
  try {
    await expect.poll(isMined, { timeout: 120_000, interval: 50 }).toBe(true);
  } catch (cause) {
    throw new Error(`not mined; the log ends with ${network.svc.output.stderr.slice(-6000)}`, { cause });
  }
}

/** The last L1 block kept on disk: the copy's number, which names the journal's segment, plus the blocks in it. */
function keptUpTo(): number {
  const folder = join(data, "l1-journal");
  const numbers = readdirSync(folder).flatMap((name) => {
    const blocks = readFileSync(join(folder, name), "utf8").matchAll(/{"block":{"number":(\d+),/g);
    return [Number.parseInt(name, 10), ...[...blocks].map(([, number]) => Number(number))];
  });
  return Math.max(...numbers);
}

test(
  "a killed L1 is restored from its copy and journal, and the chain continues",
  async () => {
    await mined(await sendTx());
    const before = await blockNumber();
    // Waits for L1: a block that is not on L1 yet would be dropped.
    await expect.poll(() => checkpointed(network.url), { timeout: 60_000, interval: 20 }).toBe(before);
    const l1Height = Number(await call<string>(network.l1Url, "eth_blockNumber"));
    await expect.poll(keptUpTo, { timeout: 120_000 }).toBeGreaterThanOrEqual(l1Height);
    await ask("node_getCurrentMinFees");
    process.kill(l1Process(stateFile), "SIGKILL");
    expect(await ask("node_getCurrentMinFees")).toMatchObject({ feePerL2Gas: expect.stringMatching(/^[1-9]/) });
    const hash = await sendTx();
    await network.svc.shows(/L1 is running again/);
    expect(network.svc.output.stderr).toMatch(/L1 ended unexpectedly: restarting it from its last copy/);
    expect(network.svc.output.stderr).not.toMatch(/L2 chain unwound/);
    await mined(hash);
    // A block that L1's end kept from being published is built again.
    await expect.poll(() => checkpointed(network.url), { timeout: 60_000, interval: 20 }).toBe(before + 1);
    expect(await blockNumber()).toBe(before + 1);
    expect(network.svc.child.exitCode).toBeNull();
  },
  LIMIT_MS,
);

test(
  "a damaged L1 state file is refused by name, and no data is lost",
  async () => {
    const tips = await ask<{ proposed: unknown }>("node_getL2Tips");
    network.svc.child.kill("SIGINT");
    await network.svc.ended;
    const good = readFileSync(stateFile);
    truncateSync(stateFile, Math.floor(good.length / 2));
    const damaged = readFileSync(stateFile);
    const free = ["--port", "0", "--admin-port", "0", "--local-network.l1Port", "0"];
    const { code, stderr } = await runSvc(["start", "--local-network", ...free, "--data-directory", data]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${stateFile} is no state of L1 (EOF while parsing`);
    expect(stderr).toContain("it was left as it is");
    expect(readFileSync(stateFile).equals(damaged)).toBe(true);

    writeFileSync(stateFile, good);
    network = await startNetwork(["--data-directory", data]);
    expect((await ask<{ proposed: unknown }>("node_getL2Tips")).proposed).toEqual(tips.proposed);
    await mined(await sendTx());
  },
  LIMIT_MS,
);

test(
  "while a given L1 is down slots are skipped with a reason; restored from an older copy, the chain continues there",
  async () => {
    const first = await startAnvil(["--chain-id", "31337"]);
    const port = new URL(first.url).port;
    const kept = join(folder, "older-l1.json");
    // Short slots, so that some pass while L1 is down.
    const node = await startNetwork(["--l1-rpc-urls", first.url], {
      AZTEC_SLOT_DURATION: "24",
    });
    let back: ChildProcess | undefined;
    try {
      const receipt = (hash: string) => call<{ blockNumber?: number }>(node.url, "node_getTxReceipt", hash);
      const isOnL1 = async (hash: string) => {
        const { blockNumber } = await receipt(hash);
        return blockNumber !== undefined && blockNumber <= (await checkpointed(node.url));
      };
      const onL1 = (hash: string) => expect.poll(() => isOnL1(hash), { timeout: 120_000, interval: 20 }).toBe(true);
      const sendAndCheckpoint = async () => {
        const hash = await sendTx(node.url);
        await onL1(hash);
        return hash;
      };
      await sendAndCheckpoint();
      const state = await call<string>(first.url, "anvil_dumpState");
      writeFileSync(kept, gunzipSync(Buffer.from(state.slice(2), "hex")));
      const lost = [await sendAndCheckpoint(), await sendAndCheckpoint()];
      const number = await call<number>(node.url, "node_getBlockNumber");
      await first.stop();
      await node.svc.shows(/slot \d+ passed without a checkpoint of this node: "?(L1 unavailable|not synced)/);
      expect(node.svc.child.exitCode).toBeNull();
      expect(await call(node.url, "node_getBlockNumber")).toBe(number);

      const args = ["--port", port, "--chain-id", "31337", "--load-state", kept, "--silent"];
      back = spawn(anvilBinary(), args, { stdio: "ignore" });
      const fresh = await sendTx(node.url);
      await node.svc.shows(/L1 reorganized below its last known head/);
      for (const hash of [...lost, fresh]) await onL1(hash);
    } catch (cause) {
      throw new Error(`the log ends with ${node.svc.output.stderr.slice(-4000)}`, { cause });
    } finally {
      node.svc.child.kill("SIGINT");
      await node.svc.ended;
      back?.kill("SIGKILL");
      await first.stop();
    }
  },
  LIMIT_MS,
);
