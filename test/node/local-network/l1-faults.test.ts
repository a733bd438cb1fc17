import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvc } from "../../cli/run-svc.ts";
import { messageTx } from "./local-txs.ts";
import { call, type Network, startNetwork } from "./network-process.ts";

let folder: string;
let data: string;
let stateFile: string;
let network: Network;
const LIMIT_MS = 300_000;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-l1-faults-"));
  data = join(folder, "data");
  stateFile = join(data, "l1-state.json");
  network = await startNetwork(["--data-directory", data], { LOG_LEVEL: "info;debug:sequencer" });
}, LIMIT_MS);
afterAll(async () => {
  network?.svc.child.kill("SIGINT");
  await network?.svc.ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}, 60_000);

const ask = <T>(method: string, ...params: unknown[]) => call<T>(network.url, method, ...params);
const blockNumber = () => ask<number>("node_getBlockNumber");

async function sendTx(): Promise<string> {
  const { json, hash } = messageTx((await ask<{ rollupVersion: number }>("node_getNodeInfo")).rollupVersion);
  await ask("node_sendTx", json);
  return hash;
}
const blockOf = async (hash: string) => (await ask<{ blockNumber?: number }>("node_getTxReceipt", hash)).blockNumber;
const mined = (hash: string) => expect.poll(() => blockOf(hash), { timeout: 120_000, interval: 50 }).toBeGreaterThan(0);

/** The process of L1: the only child of the shell that watches it and is no shell. */
function l1Process(): number {
  const shell = readFileSync(`${stateFile}.pid`, "utf8");
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ").map(Number);
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--mnemonic"));
  if (found === undefined) throw new Error(`no L1 among ${children}`);
  return found;
}

test(
  "an L1 that is killed is started again from its copy, and the chain goes on",
  async () => {
    await expect
      .poll(() => statSync(stateFile, { throwIfNoEntry: false })?.size ?? 0, { timeout: 30_000 })
      .toBeGreaterThan(0);
    const before = await blockNumber();
    process.kill(l1Process(), "SIGKILL");
    // It is taken while L1 is away, or right after.
    const hash = await sendTx();
    await network.svc.shows(/L1 runs again/);
    expect(network.svc.output.stderr).toMatch(/L1 ended by itself: starting it again from its last copy/);
    await mined(hash);
    expect(await blockNumber()).toBe(before + 1);
      expect(network.svc.child.exitCode).toBeNull();
  },
  LIMIT_MS,
);

test(
  "a damaged state of L1 is refused with its name, and nothing is lost",
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
