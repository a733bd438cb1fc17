import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { packageRoot } from "../../../src/process/program-version.ts";
import { runSvc, type Svc, spawnSvc } from "../../world/cli/run-svc.ts";

/**
 * The tests share a data directory and run in order: one node on the recorded chain of 59 blocks, restarted several
 * times.
 */
let folder: string;
let chain: UnpackedChain;
let anvil: Anvil;
let svc: Svc;
let key: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-admin-process-"));
  chain = unpackRecordedChain(packageRoot());
  anvil = await startAnvil(chain.l1State, new AbortController().signal);
});

afterAll(() => {
  svc?.child.kill("SIGKILL");
  anvil?.kill();
  chain?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const args = (...more: string[]) => [
  "start",
  "--node",
  ...["--port", "0", "--rpc-host", "127.0.0.1", "--data-directory", join(folder, "data"), "--l1-rpc-urls", anvil.url],
  ...["--registry-address", RECORDED_CHAIN.registryAddress, "--archiver.blobFileStoreUrls", chain.blobStore],
  ...more,
];
const environment = {
  TEST_ACCOUNTS: "true",
  SPONSORED_FPC: "1",
  PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses,
  LOG_LEVEL: "trace",
  PROVER_REAL_PROOFS: "false",
};

const LIMIT = { timeout: 120_000, interval: 50 };

async function start(more: string[] = [], variables: Record<string, string> = {}): Promise<void> {
  svc = spawnSvc(args(...more), { ...environment, ...variables });
  await svc.shows(/answering admin JSON-RPC/);
}

async function stop(): Promise<void> {
  svc.child.kill("SIGTERM");
  expect((await svc.ended).code).toBe(143);
}

async function post(port: string, method: string, params: unknown[], headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
}

async function admin(method: string, params: unknown[] = [], headers: Record<string, string> = { "x-api-key": key }) {
  const [, port] = await svc.shows(/answering admin JSON-RPC on \S+:(\d+)/);
  return post(port, method, params, headers);
}

async function read(method: string, params: unknown[] = []): Promise<unknown> {
  const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
  return (await post(port, method, params)).result;
}
const height = () => read("node_getBlockNumber");
const shownKeys = () => [...svc.output.stdout.matchAll(/^ +([0-9a-f]{64})$/gm)].map((match) => match[1]);
const hashFile = () => readFileSync(join(folder, "data", "admin", "api_key_hash"), "utf8");

/** Answers about the whole chain and the latest state. */
async function everything(): Promise<unknown> {
  const slot = `0x${"07".repeat(32)}`;
  return Promise.all([
    read("node_getBlocks", [1, 50]),
    read("node_getBlocks", [51, 50]),
    read("node_getL2Tips"),
    ...[1, 30, 59].map((block) => read("node_getLowNullifierMembershipWitness", [block, slot])),
    ...[1, 30, 59].map((block) => read("node_getPublicDataWitness", [block, slot])),
    read("node_getCheckpoints", [1, 50]),
  ]);
}

test("the first start prints an admin key on standard output only", async () => {
  await start();
  await svc.shows(/initial sync is complete/);
  await expect.poll(shownKeys).toHaveLength(1);
  [key] = shownKeys();
  expect(hashFile()).toBe(createHash("sha256").update(key).digest("hex"));
  expect(await admin("svcAdmin_pauseSync", [], {})).toMatchObject({ error: { code: -32000 } });
  expect(await admin("svcAdmin_resumeSync")).toEqual({ jsonrpc: "2.0", id: 1, result: null });
  expect(await height()).toBe(59);
});

test("a rollback without resuming keeps its block until sync resumes and restores the chain", async () => {
  const before = await everything();
  expect(await admin("svcAdmin_rollbackTo", [30, false, false])).toMatchObject({ result: null });
  expect(await height()).toBe(30);
  expect(await read("node_getWorldStateSyncStatus")).toMatchObject({ latestBlockNumber: 30 });
  expect(await read("node_getPublicDataWitness", ["latest", `0x${"07".repeat(32)}`])).toBeDefined();
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(await height()).toBe(30);
  expect(await admin("svcAdmin_resumeSync")).toMatchObject({ result: null });
  await expect.poll(height, { timeout: 120_000 }).toBe(59);
  await expect.poll(() => read("node_getProvenBlockNumber"), { timeout: 120_000 }).toBe(59);
  expect(await everything()).toEqual(before);
});

test("a rollback over nodeAdmin_ always resumes sync", async () => {
  expect(await admin("nodeAdmin_rollbackTo", [1])).toEqual({ jsonrpc: "2.0", id: 1, result: null });
  await expect.poll(height, { timeout: 120_000 }).toBe(59);
});

test.each([
  [59, "Target L2 block 59 must be less than current L2 block 59"],
  [0, "Target L2 block 0 not found"],
])("a rollback to block %s is refused", async (target, message) => {
  for (const namespace of ["svcAdmin", "nodeAdmin"]) {
    expect(await admin(`${namespace}_rollbackTo`, [target])).toMatchObject({ error: { code: -32702, message } });
  }
  expect(await height()).toBe(59);
});

test("admin calls for parts that this node lacks are refused with the reason", async () => {
  const message = async (method: string, params: unknown[] = []) => (await admin(method, params)).error?.message;
  expect(await message("svcAdmin_pauseSequencer")).toBe("Cannot pause sequencer: no sequencer is running");
  expect(await message("nodeAdmin_getSlashPayloads")).toBe("Slasher client not enabled");
  expect(await message("svcAdmin_reloadKeystore")).toMatch(/^Cannot reload keystore: node is not using a file-based/);
});

test("a changed configuration is in force and lost at a restart", async () => {
  const { result } = await admin("svcAdmin_getConfig");
  expect(result).toMatchObject({ archiverPollingIntervalMS: 500, disableValidator: true, l1ChainId: 31337 });
  expect(await admin("svcAdmin_setConfig", [{ archiverPollingIntervalMS: 100, maxPendingTxCount: 3 }])).toMatchObject({
    result: null,
  });
  const { result: changed } = await admin("nodeAdmin_getConfig");
  expect(changed).toMatchObject({ archiverPollingIntervalMS: 100, maxPendingTxCount: 3 });
  expect(await admin("nodeAdmin_setConfig", [changed])).not.toHaveProperty("error");
});

test("transactions can be disabled and enabled while the node runs", async () => {
  const ready = (expected: boolean) => vi.waitFor(async () => expect(await read("svc_isReady")).toBe(expected), LIMIT);
  await ready(true);
  await admin("svcAdmin_setConfig", [{ disableTransactions: true }]);
  await ready(false);
  expect((await admin("svcAdmin_getConfig")).result).toMatchObject({ disableTransactions: true });
  await admin("svcAdmin_setConfig", [{ disableTransactions: false }]);
  await ready(true);
});

test("an entry added to the setup allow list is in force at once, with or without 0x", async () => {
  const before = (await read("node_getAllowedPublicSetup")) as object[];
  const entry = { address: "0a".repeat(32), selector: "01020304", onlySelf: true };
  expect(await admin("svcAdmin_setConfig", [{ txPublicSetupAllowListExtend: [entry] }])).toMatchObject({
    result: null,
  });
  const shown = { address: `0x${entry.address}`, selector: "0x01020304", onlySelf: true };
  expect(await read("node_getAllowedPublicSetup")).toEqual([...before, shown]);
  expect((await admin("svcAdmin_getConfig")).result).toMatchObject({ txPublicSetupAllowListExtend: [shown] });
});

test("a configuration key that would have no effect is refused", async () => {
  expect((await admin("svcAdmin_setConfig", [{ realProofs: true, minTxsPerBlock: 3 }])).error).toEqual({
    code: -32702,
    message:
      "realProofs: is read at the start only: set PROVER_REAL_PROOFS and start the node again. " +
      "minTxsPerBlock: this node runs no sequencer. Nothing was changed",
  });
  const { realProofs, l1ChainId } = (await read("svc_getNodeInfo")) as Record<string, unknown>;
  expect((await admin("svcAdmin_getConfig")).result).toMatchObject({ realProofs, l1ChainId, minTxsPerBlock: 1 });
});

test("the admin key appears in no log line of any level", async () => {
  await stop();
  expect(svc.output.stderr.length).toBeGreaterThan(1000);
  expect(svc.output.stderr).not.toContain(key);
});

test("a restart keeps the admin key and prints none; keystore files alone do not make a validator", async () => {
  const keys = join(folder, "keys");
  mkdirSync(keys);
  writeFileSync(join(keys, "key.json"), "{}");
  await start([], { KEY_STORE_DIRECTORY: keys });
  expect(shownKeys()).toEqual([]);
  expect((await admin("svcAdmin_getConfig")).result).toMatchObject({ archiverPollingIntervalMS: 500 });
  expect((await admin("nodeAdmin_reloadKeystore")).error?.message).toBe(
    "Cannot reload keystore: validator is not enabled.",
  );
  await stop();
});

test("a keystore reload replaces validators at once, or changes nothing and names file, field and rule", async () => {
  const file = join(folder, "keys", "key.json");
  const [first, second] = ["11", "22"].map((byte) => `0x${byte.repeat(32)}`);
  const write = (...validators: object[]) => writeFileSync(file, JSON.stringify({ schemaVersion: 1, validators }));
  const validator = (attester: unknown, more: object = {}) => ({
    attester,
    feeRecipient: `0x${"0b".repeat(32)}`,
    ...more,
  });
  write(validator(first));
  await start(["--sequencer"], { KEY_STORE_DIRECTORY: join(folder, "keys") });
  write(validator(first), validator(second, { publisher: first }));
  expect(await admin("svcAdmin_reloadKeystore")).toMatchObject({ result: null });
  await svc.shows(/the keystore files were read again +added=0x[0-9a-f]{40}/);
  write(validator(first, { publisher: second }));
  expect((await admin("nodeAdmin_reloadKeystore")).error?.message).toMatch(/^Cannot reload keystore: validator 0x/);
  write(validator({ path: "none.json", password: "hunter22" }));
  const refused = (await admin("svcAdmin_reloadKeystore")).error?.message;
  expect(refused).toContain(
    `${file}: validators[0].attester names ${join(folder, "keys", "none.json")}, which cannot be`,
  );
  write(validator(second));
  expect(await admin("nodeAdmin_reloadKeystore")).not.toHaveProperty("error");
  await svc.shows(/cannot publish: their L1 accounts were not known at the start/);
  await stop();
  expect(svc.output.stderr).not.toMatch(new RegExp(`hunter22|${"11".repeat(32)}|${"22".repeat(32)}`));
});

test("--reset-admin-api-key without a value makes a new key", async () => {
  await start(["--reset-admin-api-key"]);
  // Standard output may be read after the log.
  await expect.poll(shownKeys).toHaveLength(1);
  const [another] = shownKeys();
  expect(another).not.toBe(key);
  expect(await admin("svcAdmin_getConfig")).toMatchObject({ error: { code: -32000 } });
  key = another;
  expect((await admin("svcAdmin_getConfig")).result).toBeDefined();
  await stop();
});

test("a second node cannot open the same admin port", async () => {
  await start(["--disable-admin-api-key"]);
  const [, port] = await svc.shows(/answering admin JSON-RPC on \S+:(\d+)/);
  const second = await runSvc(
    [...args("--admin-port", port).filter((arg) => arg !== join(folder, "data") && arg !== "--data-directory")],
    environment,
  );
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(second.stderr).toContain(`cannot listen on 127.0.0.1 port ${port}: the port is in use (EADDRINUSE)`);
  expect(await admin("svcAdmin_getConfig", [], {})).toHaveProperty("result");
  await stop();
});
