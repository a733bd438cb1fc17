import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Sender } from "../../../src/l1/tx/l1-sender.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { observeL1Accounts } from "../../../src/l1/tx/metrics.ts";
import { SampledAccounts, type SendingAccounts } from "../../../src/l1/tx/sampled-accounts.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { ShiftableClock } from "../../../src/node/context/clock.ts";
import { configuredProver } from "../../../src/node/keys/prover-keys.ts";
import { type EpochSubmitter, startEpochSubmitter } from "../../../src/node/prover/epoch-submitter.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";
import type { SubmissionOutcome } from "../../../src/prover/node/epoch-publisher.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";
import {
  type RecordedSubmission,
  recordedSubmissions,
  startThreeEpochs,
  type ThreeEpochs,
} from "../../world/prover/three-epochs.ts";
import { type RemoteSignerServer, startRemoteSigner } from "../../world/sequencer/remote-signer.ts";

// Simulating the verifier takes anvil seconds, and many where it shares processors.
vi.mock("../../../src/node/sequencer/publisher.ts", async (original) => ({
  ...(await original<typeof import("../../../src/node/sequencer/publisher.ts")>()),
  PUBLISHER_TIMEOUT_MS: 120_000,
}));

const [POOR, RICH, REMOTE] = [7201n, 7202n, 7203n].map((key) => bigUintBytes(key, 32));
const addressOf = (key: Uint8Array): string => new LocalSigner(key).address;
const EPOCH_23 = recordedSubmissions().find(({ epoch }) => epoch === 23) as RecordedSubmission;
const FORWARDER = `0x${"f0".repeat(20)}`;
/**
 * EVM code of forward(address target, bytes data): calls `target` with `data`, and returns or reverts with its answer.
 */
const FORWARDER_CODE = "0x60443580606460003760006000826000346004355af13d600060003e6023573d6000fd5b3d6000f3";
const PROVER_ID = `0x${"1d".repeat(20)}`;

const stopping = new AbortController();
let l1: ThreeEpochs;
let reader: ConnectedRollup;
let signer: RemoteSignerServer;
let folder: string;
let snapshot: unknown;
let submitter: EpochSubmitter | undefined;
/** Lines of the metrics of the last submission. */
let exported: () => string[];

async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(l1.url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return ((await response.json()) as { result: T }).result;
}

beforeAll(async () => {
  l1 = await startThreeEpochs();
  reader = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: l1.registryAddress,
    ethereumSlotDuration: 4,
    requireTraces: false,
    timeoutMs: 120_000,
  });
  signer = await startRemoteSigner(REMOTE);
  folder = mkdtempSync(join(tmpdir(), "prover-publishers-"));
  for (const key of [RICH, REMOTE]) await rpc("anvil_setBalance", addressOf(key), "0x56bc75e2d63100000");
  await rpc("anvil_setCode", FORWARDER, FORWARDER_CODE);
});
beforeEach(async () => {
  signer.asked.length = 0;
  snapshot = await rpc("evm_snapshot");
});
afterEach(async () => {
  await submitter?.stop();
  await rpc("evm_revert", snapshot);
});
afterAll(async () => {
  stopping.abort();
  await signer?.stop();
  rmSync(folder, { recursive: true, force: true });
  await l1?.stop();
});

/** Submits with the configuration of a node, and tells who sent the transaction to whom. */
async function submit(environment: Record<string, string>) {
  const { values } = configure({
    flags: new Map([["--prover-node", "true"]]),
    environment: {
      ETHEREUM_HOSTS: l1.url,
      L1_CHAIN_ID: "31337",
      REGISTRY_CONTRACT_ADDRESS: l1.registryAddress,
      L1_TX_MONITOR_CHECK_INTERVAL_MS: "20",
      // Anvil takes long to simulate a verifier on a busy machine.
      ETHEREUM_HTTP_TIMEOUT_MS: "120000",
      ...environment,
    },
  });
  const prover = await configuredProver(partValues(values).keys, () => {});
  const clock = new ShiftableClock();
  clock.set((l1.timestamp + 4) * 1000);
  const metrics = new Metrics((error) => {
    throw error;
  });
  const accounts = new SampledAccounts();
  observeL1Accounts(metrics, accounts);
  const sampleAccounts = (sending: SendingAccounts) => accounts.add(sending);
  const context = { reader, clock, l1Calls: undefined, metrics, sampleAccounts, loggerFor: () => silentLogger };
  submitter = startEpochSubmitter(context as never, partValues(values), { path: folder, temporary: true }, prover);
  const { submission, publicInputs } = EPOCH_23;
  const outcome: SubmissionOutcome = await submitter.publisher.publish({
    epoch: 23,
    submission,
    publicInputs,
    deadline: (l1.timestamp + 3600) * 1000,
  });
  if (outcome.kind !== "submitted") throw new Error(JSON.stringify(outcome));
  const { number } = await reader.latestBlock();
  expect(await reader.provenCheckpointNumber(number)).toBe(EPOCH_23.submission.end);
  const { from, to } = await rpc<{ from: string; to: string }>("eth_getTransactionByHash", outcome.txHash);
  exported = () => prometheusText(metrics.collect()).split("\n");
  return { from, to, id: toHex(prover.id) };
}

function keystore(prover: unknown): Record<string, string> {
  const path = join(folder, "keystore.json");
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, prover }), { mode: 0o600 });
  return { KEY_STORE_DIRECTORY: path };
}

test("a prover submits epoch 23 to the rollup's contracts with the next of several keys when the first account cannot pay", async () => {
  const keys = [POOR, RICH].map(toHex).join(",");
  const sent = await submit({ PROVER_PUBLISHER_PRIVATE_KEYS: keys });
  expect(sent).toEqual({ from: addressOf(RICH), to: l1.rollupAddress.toLowerCase(), id: addressOf(POOR) });
});

test("a prover submits epoch 23 to the rollup's contracts and exports the balances of its accounts and the prices of L1, as a sequencer does", async () => {
  const sent = await submit({ PROVER_PUBLISHER_PRIVATE_KEY: toHex(RICH) });
  // Asked when the metrics are read first, after the proof was paid for.
  const balance = String.raw`\{aztec_l1_sender="${sent.from}"\} 99\.999\d+`;
  for (const line of [
    `aztec_l1_publisher_balance_eth${balance}`,
    `aztec_l1_balance_eth${balance}`,
    String.raw`aztec_l1_gas_price_wei [1-9]\d*`,
    String.raw`aztec_l1_blob_base_fee_wei [1-9]\d*`,
  ]) {
    await expect.poll(exported).toContainEqual(expect.stringMatching(`^${line}$`));
  }
  await submitter?.stop();
  expect(exported().filter((line) => /^aztec_l1_(publisher_)?balance/.test(line))).toEqual([]);
});

test("a prover submits epoch 23 to the rollup's contracts with an account that waits for another transaction, unless PROVER_PUBLISHER_ALLOW_INVALID_STATES=false", async () => {
  const key = { PROVER_PUBLISHER_PRIVATE_KEY: toHex(RICH) };
  const status = vi.spyOn(L1Sender.prototype, "status", "get").mockReturnValue("sent");
  try {
    const refused = submit({ ...key, PROVER_PUBLISHER_ALLOW_INVALID_STATES: "false" });
    await expect(refused).rejects.toThrow("all publisher accounts are busy");
    await submitter?.stop();
    expect(await submit(key)).toMatchObject({ from: addressOf(RICH) });
  } finally {
    status.mockRestore();
  }
});

test("a prover submits epoch 23 to the rollup's contracts through a forwarder contract", async () => {
  const sent = await submit({
    PROVER_PUBLISHER_PRIVATE_KEY: toHex(RICH),
    PROVER_PUBLISHER_FORWARDER_ADDRESS: FORWARDER,
  });
  expect(sent).toEqual({ from: addressOf(RICH), to: FORWARDER, id: addressOf(RICH) });
});

test("a prover submits epoch 23 to the rollup's contracts with a key that a remote signer holds", async () => {
  const address = addressOf(REMOTE);
  const sent = await submit({ PROVER_PUBLISHER_ADDRESSES: address, WEB3_SIGNER_URL: signer.url, PROVER_ID });
  expect(sent).toEqual({ from: address, to: l1.rollupAddress.toLowerCase(), id: PROVER_ID });
  expect(signer.asked).toContain("eth_signTransaction");
});

test("a prover submits epoch 23 to the rollup's contracts with the publishers of a keystore's prover, local and remote", async () => {
  const remote = { address: addressOf(REMOTE), remoteSignerUrl: signer.url };
  const sent = await submit(keystore({ id: PROVER_ID, publisher: [toHex(POOR), remote] }));
  expect(sent).toEqual({ from: remote.address, to: l1.rollupAddress.toLowerCase(), id: PROVER_ID });
  expect(signer.asked).toContain("eth_signTransaction");
});

test("a prover submits epoch 23 to the rollup's contracts with the one key of a keystore's prover, whose address is then the prover's id", async () => {
  const sent = await submit(keystore(toHex(RICH)));
  expect(sent).toEqual({ from: addressOf(RICH), to: l1.rollupAddress.toLowerCase(), id: addressOf(RICH) });
});
