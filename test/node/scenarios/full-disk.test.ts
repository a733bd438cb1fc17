import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { packageRoot } from "../../../src/process/program-version.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";

/** A block that ends a checkpoint of the recorded chain. */
const ROLLBACK_TARGET = 1;
let folder: string;
let disk: string;
let mounted = false;
let chain: UnpackedChain;
let anvil: Anvil;
const running = new Set<Svc>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-full-disk-test-"));
  disk = join(folder, "disk");
  mkdirSync(disk);
  mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "none", disk]).status === 0;
  chain = unpackRecordedChain(packageRoot());
  anvil = await startAnvil(chain.l1State, new AbortController().signal);
});

afterAll(() => {
  for (const svc of running) svc.child.kill("SIGKILL");
  anvil.kill();
  chain.remove();
  if (mounted) spawnSync("umount", [disk]);
  rmSync(folder, { recursive: true, force: true });
});

const args = () => [
  "start",
  "--node",
  "--disable-admin-api-key",
  ...[
    "--admin-port",
    "0",
    "--port",
    "0",
    "--rpc-host",
    "127.0.0.1",
    "--data-directory",
    join(disk, "data"),
    "--l1-rpc-urls",
    anvil.url,
  ],
  ...["--registry-address", RECORDED_CHAIN.registryAddress, "--archiver.blobFileStoreUrls", chain.blobStore],
];
const genesis = { TEST_ACCOUNTS: "true", SPONSORED_FPC: "1", PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses };

function start(): Svc {
  const svc = spawnSvc(args(), genesis);
  running.add(svc);
  svc.ended.then(() => running.delete(svc));
  return svc;
}

async function ask(svc: Svc, method: string, params: unknown[]): Promise<unknown> {
  const [, port] = await svc.shows(/answering admin JSON-RPC on \S+:(\d+)/);
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.json();
}

test("a node with a full disk exits with one log line, and continues once there is room", async (context) => {
  // test/storage/store.full.test.ts tests a full store without a mount, by another limit.
  if (!mounted) return context.skip("this user may not mount a file system");
  const first = start();
  await first.shows(/initial sync is complete/);
  const filler = openSync(join(disk, "filler"), "w");
  expect(() => {
    for (;;) writeSync(filler, Buffer.alloc(4096));
  }).toThrow("ENOSPC");
  closeSync(filler);
  // Removes most of the chain: the commit needs more pages than the store has free.
  await ask(first, "nodeAdmin_rollbackTo", [ROLLBACK_TARGET]).catch(() => undefined);
  const { code, stderr } = await first.ended;
  const lines = stderr.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(/FATAL: node: the store .*\/chain cannot be written: the disk is full$/);
  expect(lines.filter((line) => /FATAL|ERROR|WARN.*again/.test(line))).toHaveLength(1);
  expect(code).toBe(1);

  rmSync(join(disk, "filler"));
  const second = start();
  const [, block] = await second.shows(/opened the chain store at block (\d+)/);
  expect(Number(block)).toBe(59);
  second.child.kill("SIGTERM");
  await second.ended;
});
