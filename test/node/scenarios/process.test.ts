import { mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toFunctionSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { packageRoot } from "../../../src/process/program-version.ts";
import { FAST_MINUTES } from "../../support/fast-minutes.ts";
import { freePort } from "../../support/free-port.ts";
import { runSvc, type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";
import { LATER_PROTOCOL, rollupOf } from "../../world/l1/other-protocol.ts";

/** The tests share a data directory and run in order. */
let folder: string;
let chain: UnpackedChain;
let anvil: Anvil;
const running = new Set<Svc>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-process-test-"));
  chain = unpackRecordedChain(packageRoot());
  anvil = await startAnvil(chain.l1State, new AbortController().signal);
});

afterAll(() => {
  for (const svc of running) svc.child.kill("SIGKILL");
  anvil.kill();
  chain.remove();
  rmSync(folder, { recursive: true, force: true });
});

const args = (...more: string[]) => [
  "start",
  "--node",
  ...["--port", "0", "--rpc-host", "127.0.0.1", "--data-directory", join(folder, "data"), "--l1-rpc-urls", anvil.url],
  ...["--registry-address", RECORDED_CHAIN.registryAddress, "--archiver.blobFileStoreUrls", chain.blobStore],
  ...more,
];
const genesis = { TEST_ACCOUNTS: "true", SPONSORED_FPC: "1", PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses };

function start(): Svc {
  const svc = spawnSvc(args(), genesis);
  running.add(svc);
  svc.ended.then(() => running.delete(svc));
  return svc;
}

async function ask(svc: Svc, method: string, params: unknown[] = []): Promise<unknown> {
  const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result?: unknown }).result;
}

test("a node killed during the initial sync continues from its last block", async () => {
  const first = start();
  await expect.poll(() => ask(first, "node_getBlockNumber"), { timeout: 120_000, interval: 20 }).toBeGreaterThan(0);
  first.child.kill("SIGKILL");
  await first.ended;

  const second = start();
  const [, block] = await second.shows(/opened the chain store at block (\d+)/);
  expect(Number(block)).toBeGreaterThan(0);
  await second.shows(/initial sync is complete/);
  expect(await ask(second, "node_getBlockNumber")).toBe(59);

  const third = await runSvc(args(), genesis);
  expect(third).toMatchObject({ code: 1, stderr: expect.stringContaining(`is in use by process ${second.child.pid}`) });

  second.child.kill("SIGTERM");
  second.child.kill("SIGTERM");
  const { code, stderr } = await second.ended;
  expect(code).toBe(143);
  expect(stderr).toContain("INFO: node: stopped");
});

test("a node configured with another genesis stands by and answers only /status", async () => {
  const port = await freePort();
  const at = `http://127.0.0.1:${port}`;
  const svc = spawnSvc(args("--port", String(port), "--api-prefix", "/l2/"), { ...genesis, SPONSORED_FPC: "0" });
  running.add(svc);
  await svc.shows(/standing by: the rollup was deployed for another genesis/);
  expect((await fetch(`${at}/l2/status`)).status).toBe(200);
  expect((await fetch(`${at}/l2`, { method: "POST" })).status).toBe(404);
  expect((await fetch(`${at}/status`)).status).toBe(404);
  const asked = await runSvc(["status", "--json", "--url", `${at}/l2/`]);
  expect(asked).toMatchObject({ code: 1, stdout: expect.stringContaining("standing by") });
  const document = (await (await fetch(`${at}/l2/status?format=json`)).json()) as Record<string, unknown>;
  expect(document).toEqual(JSON.parse(asked.stdout));
  expect(await runSvc(["status", "--url", `${at}/l2/`])).toMatchObject({
    code: 1,
    stdout:
      "not ready\n  l1: state is waiting, must be ok (standing by: the rollup was deployed for another genesis)\n",
  });
  svc.child.kill("SIGINT");
  expect((await svc.ended).code).toBe(0);
});

test("a node whose rollup is of an unknown protocol says what it commits to and stands by until it is another", async () => {
  const l1 = await LyingL1.inFrontOf(anvil.url);
  l1.lie = rollupOf(LATER_PROTOCOL);
  const port = await freePort();
  const environment = { ...genesis, NODE_OPTIONS: `--import=${FAST_MINUTES}` };
  const svc = spawnSvc(args("--port", String(port), "--l1-rpc-urls", l1.url), environment);
  running.add(svc);
  const [line] = await svc.shows(/WARN: node: standing by: .*/);
  expect(line).toMatch(
    /standing by: rollup 0x[0-9a-f]{40} \(version \d+\) is of a protocol that this program does not know: verification keys 0x6{64}, .*; known are v4 .* and v5 .*; run the network's newer software for it, or name a v4 or v5 rollup of this registry by --rollup-version/,
  );
  expect(line).not.toContain("TEST_ACCOUNTS");
  const ready = await fetch(`http://127.0.0.1:${port}/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain("the rollup is of an unknown protocol, and this program follows v4 or v5");
  // The canonical rollup is of v4 now.
  l1.lie = undefined;
  await svc.shows(/following the rollup 0x[0-9a-f]{40}/);
  await svc.shows(/answering JSON-RPC on/);
  svc.child.kill("SIGINT");
  // 0 for a signal in what is left of the start.
  expect([0, 130]).toContain((await svc.ended).code);
  await l1.close();
});

test("a node with ENABLE_AUTO_SHUTDOWN ends with 0 once the registry has another rollup", async () => {
  const l1 = await LyingL1.inFrontOf(anvil.url);
  const environment = { ...genesis, ENABLE_AUTO_SHUTDOWN: "true", NODE_OPTIONS: `--import=${FAST_MINUTES}` };
  const svc = spawnSvc(args("--l1-rpc-urls", l1.url), environment);
  running.add(svc);
  await svc.shows(/initial sync is complete/);
  const selector = toFunctionSelector("function getCanonicalRollup()");
  const next = "77".repeat(20);
  l1.lie = {
    answer: ({ method, params: [call] }, truth) =>
      method === "eth_call" && (call as { data: string }).data === selector
        ? { ...truth, result: `0x${next.padStart(64, "0")}` }
        : undefined,
  };
  const { code, stderr } = await svc.ended;
  await l1.close();
  expect(code).toBe(0);
  expect(stderr).toMatch(
    new RegExp(`WARN: node: rollup 0x${next} has replaced 0x[0-9a-f]{40} as the canonical one: ending with code 0`),
  );
  expect(stderr).toContain("INFO: node: stopped");
});

test("a truncated database is refused before it is opened, and not changed", async () => {
  const file = join(folder, "data", "chain", "data.mdb");
  // The file ends with free space for the next commits, so the cut must be large enough to remove used pages.
  const size = 64 * 1024;
  truncateSync(file, size);
  const { code, stderr } = await runSvc(args(), genesis);
  expect(code).toBe(1);
  expect(stderr).toMatch(/FATAL: node: database file .*data\.mdb is damaged: it ends after \d+ bytes/);
  expect(statSync(file).size).toBe(size);
});
