import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findingLines } from "../../../src/cli/doctor/finding.ts";
import { examine } from "../../../src/cli/doctor/run-doctor.ts";
import { configure } from "../../../src/config/configuration.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { openStore } from "../../../src/storage/store.ts";
import { runSvc } from "../../world/cli/run-svc.ts";
import { type Lie, LyingL1 } from "../../world/l1/lying-l1.ts";
import { LATER_PROTOCOL, rollupOf } from "../../world/l1/other-protocol.ts";
import { type RecordedL1, recordedNetworkEnvironment, startRecordedL1 } from "../../world/node/recorded-node.ts";
import { PostgresServer } from "../../world/validator/postgres-server.ts";

/** A set-up is a healthy one with one thing broken; the doctor has to name that and nothing else as failed. */
const folder = mkdtempSync(join(tmpdir(), "svc-doctor-"));
const disk = join(folder, "disk");
const blobs = join(folder, "blobs");
const HOUR_MS = 3_600_000;
/** File to which what the doctor prints about each set-up is appended. */
const OUTPUT = process.env.SVC_DOCTOR_OUTPUT;
const KEY = `0x${"5d".repeat(32)}`;
let l1: RecordedL1;
/** The recorded L1 as a chain that is not for development, so that clocks and blob sources count. */
let proxy: LyingL1;
let mounted = false;
let postgres: PostgresServer;

const CHAIN = 424_242;
const publicChain: Lie = {
  answer: ({ method }, truth) => (method === "eth_chainId" ? { ...truth, result: `0x${CHAIN.toString(16)}` } : truth),
};

beforeAll(async () => {
  mkdirSync(disk);
  mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "none", disk]).status === 0;
  [l1, postgres] = await Promise.all([startRecordedL1(), PostgresServer.create()]);
  proxy = await LyingL1.inFrontOf(l1.anvil.url);
  proxy.lie = publicChain;
  // Stores of blobs have a folder for each network, which its chain id names.
  const recorded = l1.chain.blobStore.replace("file://", "");
  mkdirSync(blobs);
  for (const name of readdirSync(recorded)) {
    symlinkSync(join(recorded, name), join(blobs, name.replace("-31337-", `-${CHAIN}-`)));
  }
  for (const [method, params] of [
    ["evm_setNextBlockTimestamp", [Math.floor(Date.now() / 1000)]],
    ["evm_mine", []],
  ]) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    await fetch(l1.anvil.url, { method: "POST", headers: { "content-type": "application/json" }, body });
  }
});

afterAll(async () => {
  l1?.stop();
  await Promise.all([proxy?.close(), postgres?.remove()]);
  if (mounted) spawnSync("umount", [disk]);
  rmSync(folder, { recursive: true, force: true });
});

const healthy = (): Record<string, string> => ({
  ...recordedNetworkEnvironment({ l1Url: proxy.url, blobStore: `file://${blobs}` }),
  L1_CHAIN_ID: String(CHAIN),
  DATA_DIRECTORY: join(folder, "data"),
  AZTEC_PORT: "0",
  AZTEC_ADMIN_PORT: "0",
});

interface Examined {
  failed: string[];
  remedies: string[];
  all: string[];
}
async function examined(
  change: Record<string, string | undefined> = {},
  { flags = {}, now = Date.now }: { flags?: Record<string, string>; now?: () => number } = {},
): Promise<Examined> {
  const entries = Object.entries({ ...healthy(), ...change }).filter((pair) => pair[1] !== undefined);
  const environment = Object.fromEntries(entries);
  const given = new Map(Object.entries({ "--node": "true", ...flags }));
  const findings = await examine(configure({ flags: given, environment, homeDirectory: folder }), now);
  const failed = findings.filter(({ verdict }) => verdict === "fail");
  if (OUTPUT !== undefined) {
    const lines = findings.filter(({ verdict }) => verdict !== "skip").flatMap(findingLines);
    appendFileSync(OUTPUT, `${expect.getState().currentTestName}\n\n${lines.join("\n")}\n\n\n`);
  }
  for (const { verdict, remedy } of findings) {
    if (verdict === "fail" || verdict === "warn") expect(remedy).toBeTruthy();
  }
  return {
    failed: failed.map(({ check, text }) => `${check}: ${text}`),
    remedies: failed.map(({ remedy }) => remedy ?? ""),
    all: findings.map(({ check, verdict, text }) => `${verdict} ${check}: ${text}`),
  };
}

test("a sound set-up has no failed finding, and every part was looked at", async () => {
  const { failed, all } = await examined();
  expect(failed).toEqual([]);
  const checks = ["L1", "L1 logs", "L1 history", "L1 rate", "clock", "rollup", "blobs", "disk room", "disk speed"];
  for (const check of checks) expect(all.filter((line) => line.includes(` ${check}: `))).not.toEqual([]);
  expect(all.join("\n")).toMatch(/ok blobs: \S+ has the blob of L1 block \d+ \([\d.]+ days old\)/);
});

test("an L1 of another chain is named with both chain ids", async () => {
  const { failed } = await examined({ L1_CHAIN_ID: "1" });
  expect(failed[0]).toMatch(/^L1: http:\/\/127\.0\.0\.1:\d+\S* serves chain 424242, --l1-chain-id is 1$/);
});

test("an L1 without the history that the sync needs is named with the block where it begins", async () => {
  proxy.lie = {
    answer: (call, truth) => {
      const [{ fromBlock = "" } = {}] = call.params as { fromBlock?: string }[];
      if (call.method !== "eth_getLogs" || Number(fromBlock) > 150) return publicChain.answer?.(call, truth);
      return { jsonrpc: "2.0", id: truth.id, error: { code: 4444, message: "pruned history unavailable" } };
    },
  };
  const { failed, remedies } = await examined();
  proxy.lie = publicChain;
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(
    /^L1 history: .* block \d+, where the sync begins: error 4444: pruned history unavailable$/,
  );
  expect(remedies[0]).toContain("SYNC_SNAPSHOTS_URLS");
});

/** What an execution client answers that keeps receipts, or its index of transactions, only from block 150 on. */
const pruning: [string, Lie][] = [
  [
    "logs",
    {
      answer: (call, truth) => {
        if (call.method !== "eth_getLogs") return publicChain.answer?.(call, truth);
        const kept = truth.result?.filter(({ blockNumber }: { blockNumber: string }) => Number(blockNumber) > 150);
        return { ...truth, result: kept };
      },
    },
  ],
  [
    "transactions",
    {
      answer: (call, truth) =>
        call.method === "eth_getTransactionByHash" && Number(truth.result?.blockNumber) <= 150
          ? { ...truth, result: null }
          : publicChain.answer?.(call, truth),
    },
  ],
];

test.each(pruning)(
  "an L1 that answers as if there had been no old %s is named as one that prunes",
  async (what, lie) => {
    proxy.lie = lie;
    const { failed, remedies } = await examined();
    proxy.lie = publicChain;
    const history = failed.filter((line) => line.startsWith("L1 history"));
    expect(history).toEqual([
      `L1 history: ${proxy.url} gives no ${what} of L1 block 18, where the rollup has one: it prunes old ones`,
    ]);
    expect(remedies.join()).toContain("SYNC_SNAPSHOTS_URLS");
  },
);

test("a rollup of an unknown protocol is named with what it commits to, what is known and what to do", async () => {
  proxy.lie = rollupOf(LATER_PROTOCOL, publicChain);
  const { failed, remedies } = await examined();
  proxy.lie = publicChain;
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(/^rollup: rollup 0x[0-9a-f]{40} \(version \d+\) /);
  const { vkTreeRoot, protocolContractsHash } = LATER_PROTOCOL;
  expect(failed[0]).toContain(
    `does not know: verification keys ${vkTreeRoot}, protocol contracts ${protocolContractsHash}, genesis archive root 0x`,
  );
  for (const { name, contracts } of [V4, V5]) {
    expect(failed[0]).toContain(
      `${name} (verification keys ${contracts.vkTreeRoot}, protocol contracts ${contracts.protocolContractsHash})`,
    );
  }
  expect(remedies[0]).toBe(
    "run the network's newer software for it, or name a v4 or v5 rollup of this registry by --rollup-version (ROLLUP_VERSION)",
  );
});

test("a rollup without the functions of later protocols is known by its storage", async () => {
  const word = `0x${"7".repeat(64)}`;
  proxy.lie = {
    answer: (call, truth) =>
      call.method === "eth_getStorageAt"
        ? { jsonrpc: "2.0", id: truth.id, result: word }
        : publicChain.answer?.(call, truth),
  };
  const { failed } = await examined();
  proxy.lie = publicChain;
  expect(failed).toHaveLength(1);
  expect(failed[0]).toContain(`does not know: verification keys ${word}, protocol contracts ${word}, genesis archive`);
});

test("a rollup that was deployed for another genesis is named with both roots", async () => {
  const { failed, remedies } = await examined({ SPONSORED_FPC: "false" });
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(
    /^rollup: 0x\S+, version \d+, was deployed for another genesis: 0x[0-9a-f]{64}, configured is 0x[0-9a-f]{64}$/,
  );
  expect(remedies[0]).toContain("SPONSORED_FPC");
});

test("a node of a public chain without a source of blobs is told to name one", async () => {
  const { failed, remedies } = await examined({ BLOB_FILE_STORE_URLS: undefined });
  expect(failed).toEqual(["blobs: no source of blobs is configured"]);
  expect(remedies[0]).toContain("BLOB_FILE_STORE_URLS");
});

test("a source that lacks the oldest blob is told with the block whose blob it is", async () => {
  const lacking = join(folder, "lacking");
  for (const network of readdirSync(blobs)) {
    mkdirSync(join(lacking, network), { recursive: true });
    copyFileSync(join(blobs, network, ".healthcheck"), join(lacking, network, ".healthcheck"));
  }
  const { failed } = await examined({ BLOB_FILE_STORE_URLS: `file://${lacking}` });
  expect(failed[0]).toMatch(/^blobs: \S+ does not have the blob of L1 block \d+ .*, the next that the sync needs: /);
});

test("an empty folder of blobs, as on a new network, is refused by the doctor and the start with a remedy", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const change = { BLOB_FILE_STORE_URLS: `file://${empty}`, DATA_DIRECTORY: join(folder, "new") };
  const [{ failed, remedies }, started] = await Promise.all([
    examined(change),
    runSvc(["start", "--node"], { ...healthy(), ...change }),
  ]);
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(/^blobs: no blob source can be reached: file:\S+: has no \S+\.healthcheck$/);
  expect(remedies[0]).toContain("BLOB_ALLOW_EMPTY_SOURCES=true");
  expect(started.code).toBe(1);
  expect(started.stderr).toContain(`${failed[0].slice("blobs: ".length)}; ${remedies[0]}`);
  expect((await examined({ ...change, BLOB_ALLOW_EMPTY_SOURCES: "true" })).failed).not.toContain(failed[0]);
});

test("a clock an hour ahead, and one an hour behind, is compared with L1", async () => {
  const ahead = await examined({}, { now: () => Date.now() + HOUR_MS });
  expect(ahead.failed[0]).toMatch(
    /^clock: the latest L1 block is 3[6-9]\d\d s old, 300 s are allowed: the clock is ahead/,
  );
  const behind = await examined({}, { now: () => Date.now() - HOUR_MS });
  expect(behind.failed[0]).toMatch(/^clock: 3[0-6]\d\d s behind the latest L1 block$/);
});

test.skipIf(process.getuid?.() !== 0)("a disk without room is named with what is left", async () => {
  expect(mounted).toBe(true);
  const { failed } = await examined({ DATA_DIRECTORY: join(disk, "data") });
  expect(failed).toEqual([`disk room: 0.0 GiB free at ${disk}, at least 1 GiB is needed`]);
});

test("a key file that others may read is named with its mode", async () => {
  const data = join(folder, "open");
  mkdirSync(data);
  writeFileSync(join(data, "p2p-private-key"), "00", { mode: 0o644 });
  const { failed, remedies } = await examined({ DATA_DIRECTORY: data });
  expect(failed).toEqual([`permissions: other users may read ${data}/p2p-private-key (mode 0644)`]);
  expect(remedies).toEqual([`chmod 600 ${data}/p2p-private-key`]);
});

test("a keystore that cannot be read is named with file and rule", async () => {
  const keystore = join(folder, "keystore.json");
  writeFileSync(keystore, '{"schemaVersion": 1, "validators": ', { mode: 0o600 });
  const { failed } = await examined({ KEY_STORE_DIRECTORY: keystore }, { flags: { "--sequencer": "true" } });
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(/^keys: .*keystore\.json/);
});

test("a publisher without ETH is named with its address", async () => {
  const { failed, remedies, all } = await examined(
    { VALIDATOR_PRIVATE_KEYS: KEY },
    { flags: { "--sequencer": "true" } },
  );
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(/^balance: publisher 0x[0-9a-fA-F]{40} has 0\.0000 ETH and cannot publish$/);
  expect(remedies[0]).toMatch(/^send ETH to 0x/);
  expect(all.join()).not.toContain(KEY.slice(2));
});

test("a port that another program has is named with protocol and flag", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const { failed, remedies } = await examined({ AZTEC_PORT: String(port), SVC_RPC_HOST: "127.0.0.1" });
  server.close();
  expect(failed).toEqual([`public port: TCP 127.0.0.1:${port} is in use by another program`]);
  expect(remedies[0]).toContain("--port");
});

test("taken ports of metrics and of the feed are named", async () => {
  const servers = [createServer(), createServer()];
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const [metrics, feed] = servers.map((server) => (server.address() as { port: number }).port);
  const { failed } = await examined({ SVC_METRICS_PORT: String(metrics), SVC_FEED_PORT: String(feed) });
  for (const server of servers) server.close();
  expect(failed).toEqual([
    `metrics port: TCP 127.0.0.1:${metrics} is in use by another program`,
    `feed port: TCP 127.0.0.1:${feed} is in use by another program`,
  ]);
});

test("a data directory of a newer schema is named with both versions", async () => {
  const data = join(folder, "newer");
  const store = openStore({ path: join(data, "chain") });
  const row = Buffer.from(JSON.stringify({ schemaVersion: 99 }));
  store.transaction(() => store.table("identity").put(Buffer.from("identity"), row));
  await store.close();
  const { failed } = await examined({ DATA_DIRECTORY: data });
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(
    /^schema: the chain store has schema version 99, this program reads \d+: a newer one wrote it$/,
  );
});

test("a program for proofs that is not there is named with the option", async () => {
  const { failed, remedies } = await examined({ PROVER_REAL_PROOFS: "true", BB_BINARY_PATH: "/nowhere/bb" });
  expect(failed).toEqual(["proofs: transactions would be refused: /nowhere/bb is not there"]);
  expect(remedies[0]).toContain("correct BB_BINARY_PATH");
});

test("the program for proofs is that of the rollup on L1, also for an empty data directory", async () => {
  const program = join(folder, "bb-4");
  writeFileSync(program, "#!/bin/sh\necho 4.1.2\n", { mode: 0o755 });
  const change = { PROVER_REAL_PROOFS: "true", BB_BINARY_PATH: program, DATA_DIRECTORY: join(folder, "none-yet") };
  const proofsOf = async (more: Record<string, string> = {}) =>
    (await examined({ ...change, ...more })).all.filter((line) => line.includes(" proofs: "));
  expect(await proofsOf()).toEqual([`ok proofs: bb 4.1.2 runs: ${program}`]);
  const { vkTreeRoot, protocolContractsHash } = V5.contracts;
  proxy.lie = rollupOf({ vkTreeRoot, protocolContractsHash }, publicChain);
  const ofV5 = await proofsOf();
  proxy.lie = publicChain;
  expect(ofV5).toEqual([
    `fail proofs: transactions would be refused: ${program} is version 4.1.2; the proofs of this rollup need version 5`,
  ]);
  expect(await proofsOf({ ETHEREUM_HOSTS: "http://127.0.0.1:1" })).toEqual([
    "skip proofs: not tried: which program is needed depends on the rollup",
  ]);
});

test("a database of high-availability signing without tables is told how to make them", async () => {
  const { failed, remedies, all } = await examined({
    VALIDATOR_HA_SIGNING_ENABLED: "true",
    VALIDATOR_HA_NODE_ID: "a",
    VALIDATOR_HA_DATABASE_URL: postgres.url(),
  });
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatch(/^HA database: high-availability database: it has no tables/);
  expect(remedies).toEqual(["DATABASE_URL=... svc migrate-ha-db up"]);
  expect(all.join()).not.toContain(postgres.password);
});

test("svc doctor prints a line for each finding and ends with 1 when one failed", async () => {
  const [sound, broken] = await Promise.all([
    runSvc(["doctor", "--node", "--json"], healthy()),
    runSvc(["doctor", "--node"], { ...healthy(), L1_CHAIN_ID: "1" }),
  ]);
  expect(sound.code).toBe(0);
  expect(JSON.parse(sound.stdout)).toMatchObject({ failed: 0, findings: expect.any(Array) });
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/^fail {2}L1 .*serves chain 424242, --l1-chain-id is 1\n {22}-> give an endpoint/m);
});
