import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { packageRoot } from "../../../src/process/program-version.ts";
import { freePort } from "../../support/free-port.ts";
import { runSvc, type Svc, spawnSvc } from "../../world/cli/run-svc.ts";

/** Two nodes of one recorded chain as processes. The tests share data directories and run in order. */
let folder: string;
let chain: UnpackedChain;
let anvil: Anvil;
let ports: { first: number; second: number };
const running = new Set<Svc>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-peers-test-"));
  chain = unpackRecordedChain(packageRoot());
  anvil = await startAnvil(chain.l1State, new AbortController().signal);
  ports = { first: await freePort(), second: await freePort() };
});

afterAll(() => {
  for (const svc of running) svc.child.kill("SIGKILL");
  anvil.kill();
  chain.remove();
  rmSync(folder, { recursive: true, force: true });
});

const args = (name: string) => [
  ...["start", "--node", "--port", "0", "--admin-port", "0", "--rpc-host", "127.0.0.1"],
  ...["--data-directory", join(folder, name), "--l1-rpc-urls", anvil.url],
  ...["--registry-address", RECORDED_CHAIN.registryAddress, "--archiver.blobFileStoreUrls", chain.blobStore],
];
const environment = (port: number, more: Record<string, string> = {}) => ({
  ...{
    TEST_ACCOUNTS: "true",
    SPONSORED_FPC: "1",
    PROVER_REAL_PROOFS: "false",
    PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses,
  },
  ...{ P2P_ENABLED: "true", P2P_IP: "127.0.0.1", P2P_LISTEN_ADDR: "127.0.0.1", P2P_PORT: String(port) },
  ...{ P2P_PEER_CHECK_INTERVAL_MS: "500", DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "1", LOG_LEVEL: "debug" },
  ...more,
});

function start(name: string, port: number, more: Record<string, string> = {}): Svc {
  const svc = spawnSvc(args(name), environment(port, more));
  running.add(svc);
  svc.ended.then(() => running.delete(svc));
  return svc;
}

async function ask(svc: Svc, method: string, ...params: unknown[]): Promise<unknown> {
  const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as { result?: unknown }).result;
}

async function stop(svc: Svc): Promise<void> {
  svc.child.kill("SIGTERM");
  await svc.ended;
}

const WAIT = { timeout: 120_000, interval: 50 };

test("two nodes find each other by a trusted peer's record, keep their identities, and are ready only with a peer", async () => {
  const first = start("first", ports.first);
  await first.shows(/listening to peers as (\S+)/);
  const record = (await ask(first, "node_getEncodedEnr")) as string;
  expect(await ask(first, "svc_getEncodedEnr")).toBe(record);
  expect(await ask(first, "p2p_getEncodedEnr")).toBe(record);
  expect(await ask(first, "node_isReady")).toBe(false);

  const second = start("second", ports.second, { P2P_TRUSTED_PEERS: record, SENTINEL_ENABLED: "true" });
  const [, id] = await second.shows(/listening to peers as (\S+)/);
  await expect.poll(() => ask(first, "node_isReady"), WAIT).toBe(true);
  expect(await ask(first, "svc_getPeers")).toEqual([{ id, score: 0, status: "connected" }]);
  expect(await ask(first, "p2p_getPeers", true)).toEqual([{ id, score: 0, status: "connected" }]);
  expect(await ask(first, "svc_getProposalsForSlot", 1)).toEqual({ blockProposals: [], checkpointProposals: [] });
  expect(await ask(first, "p2p_getCheckpointAttestationsForSlot", 1)).toEqual([]);

  expect(await ask(first, "node_getValidatorsStats")).toEqual({ stats: {}, slotWindow: 0 });
  // 24 epochs of 2 slots.
  const stats = { stats: {}, initialSlot: expect.any(Number), slotWindow: 48 };
  await expect.poll(() => ask(second, "node_getValidatorsStats"), WAIT).toMatchObject(stats);

  await stop(first);
  await second.shows(/said goodbye/);
  const back = start("first", ports.first);
  await back.shows(/listening to peers as/);
  expect(await ask(back, "node_getEncodedEnr")).toBe(record);
  await expect.poll(() => ask(back, "node_isReady"), WAIT).toBe(true);
  await stop(back);
  await stop(second);
});

test("a node whose P2P port is taken ends with one line that names the port", async () => {
  const port = await freePort();
  const taken: Server = createServer();
  await new Promise<void>((resolve) => taken.listen(port, "127.0.0.1", resolve));
  const svc = start("taken", port);
  await svc.ended;
  taken.close();
  const fatal = svc.output.stderr.split("\n").filter((line) => / FATAL|ERROR/.test(line));
  expect(fatal).toHaveLength(1);
  expect(fatal[0]).toContain(String(port));
});

test("a start with P2P settings that exclude each other ends before anything runs", async () => {
  const more = { P2P_ALLOW_ONLY_VALIDATORS: "true", P2P_DISABLE_STATUS_HANDSHAKE: "true" };
  const { stderr, code } = await runSvc(args("refused"), environment(ports.first, more));
  expect(code).toBe(1);
  expect(stderr).toContain("P2P_ALLOW_ONLY_VALIDATORS needs the handshake that P2P_DISABLE_STATUS_HANDSHAKE disables");
  expect(stderr).not.toContain("connecting to L1");
});
