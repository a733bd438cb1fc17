import { parseAbi } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { PrivateKey } from "../../../src/keystore/private-key.ts";
import { MULTICALL3_ADDRESS } from "../../../src/l1/abi/multicall3.ts";
import { read } from "../../../src/l1/contracts/contract.ts";
import { deployL1Contracts } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { GovernanceProposer, signalCalldata } from "../../../src/l1/governance/governance-proposer.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { typedDataHash } from "../../../src/l1/tx/local-signer.ts";
import type { ConnectedRollup, RollupIdentity } from "../../../src/l1/types.ts";
import { configuredKeys } from "../../../src/node/keys/proposer-keys.ts";
import { attesterSigning, voteSigner } from "../../../src/node/keys/signers.ts";
import { type RunningPublisher, startPublisher } from "../../../src/node/sequencer/publisher.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { slotAt, slotTimestamp } from "../../../src/protocol/time.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { type Anvil, startAnvil } from "../../world/l1/chain-a.ts";
import { localNetwork } from "../../world/l1/deployed-network.ts";
import { consensusCases } from "../../world/sequencer/consensus-cases.ts";
import { closeGuards, recordingGuard } from "../../world/validator/recording-guard.ts";
import { type LogLine, recordingLogger } from "../support/publishing.ts";

const KEY = new Uint8Array(32).fill(9);
const ATTESTER = new PrivateKey(KEY).address;
const QUORUM = 3;
const ROUND = 4;
const SIGNALS = parseAbi([
  "function signalCount(address instance, uint256 round, address payload) view returns (uint256)",
  "function computeRound(uint256 slot) view returns (uint256)",
]);

let anvil: Anvil;
let rpc: L1Rpc;
let rollup: ConnectedRollup;
/** Address of a contract; signals count only for addresses that have code. */
let payload: string;
let moment: { id: string; nowMs: number };
let nowMs: number;
let running: RunningPublisher;
const lines: LogLine[] = [];

const request = <T = string>(method: string, params: unknown[] = []): Promise<T> =>
  rpc.request({ method, params, parse: (value) => value as T });
const now = () => Math.floor(nowMs / 1000);
const said = (message: string) => lines.filter((line) => line.message === message);

/** Moves L1 and the clock to the start of a slot. */
async function begin(slot: number): Promise<number> {
  const timestamp = slotTimestamp(slot, rollup.identity.constants);
  await request("evm_setNextBlockTimestamp", [timestamp]);
  await request("evm_mine");
  nowMs = timestamp * 1000;
  return slot;
}
const currentSlot = () => slotAt(now(), rollup.identity.constants);
const nextSlot = () => begin(currentSlot() + 1);

function openPublisher(): Promise<RunningPublisher> {
  return publisherOf(rollup.identity, {});
}
async function publisherOf(identity: RollupIdentity, environment: Record<string, string>): Promise<RunningPublisher> {
  const { values } = configure({
    flags: new Map(),
    environment: {
      ETHEREUM_HOSTS: anvil.url,
      VALIDATOR_PRIVATE_KEYS: toHex(KEY),
      L1_TX_MONITOR_CHECK_INTERVAL_MS: "20",
      ...environment,
    },
  });
  const keys = await configuredKeys(partValues(values).keys, () => {});
  const signing = attesterSigning(
    () => keys.current,
    recordingGuard(identity.constants, () => nowMs),
  );
  return startPublisher({
    values: partValues(values),
    directory: { path: "", temporary: true },
    identity,
    generation: V4,
    keys,
    votes: voteSigner(signing),
    kzg: { load: () => {}, prove: () => Promise.reject(new Error("no blobs here")) },
    now: () => nowMs,
    metrics: new Metrics(() => {}),
    logger: recordingLogger(lines),
  });
}

beforeAll(async () => {
  anvil = await startAnvil([]);
  rpc = new L1Rpc({ urls: [anvil.url], logger: silentLogger });
  const { addresses } = await deployL1Contracts({
    ...localNetwork(anvil.url, {
      AZTEC_TARGET_COMMITTEE_SIZE: "1",
      AZTEC_GOVERNANCE_PROPOSER_QUORUM: String(QUORUM),
      AZTEC_GOVERNANCE_PROPOSER_ROUND_SIZE: String(ROUND),
    }),
    validators: [{ attester: ATTESTER, withdrawer: ATTESTER, blsSecretKey: 7n }],
  });
  rollup = await connectRollup({
    l1RpcUrls: [anvil.url],
    l1ChainId: 31337,
    registryAddress: addresses.registryAddress,
    ethereumSlotDuration: 12,
  });
  payload = addresses.coinIssuerAddress;
  await request("anvil_setBalance", [ATTESTER, "0xde0b6b3a7640000"]);
  // The committee is sampled from the validators of some epochs before.
  const { timestamp } = await rollup.latestBlock();
  const { constants } = rollup.identity;
  nowMs = timestamp * 1000;
  const rounds = Math.ceil((slotAt(timestamp, constants) + 10 * constants.epochDuration) / ROUND);
  await begin(rounds * ROUND - 1);
}, 300_000);
afterAll(() => anvil?.stop());
beforeEach(async () => {
  moment = { id: await request("evm_snapshot"), nowMs };
  lines.length = 0;
  running = await openPublisher();
});
afterEach(async () => {
  await running.stop();
  await closeGuards();
  await request("evm_revert", [moment.id]);
  nowMs = moment.nowMs;
});

const voter = (slot: number, more: object = {}) => ({ slot, proposer: ATTESTER, payload, ...more });

/** Votes in a slot as the node does. Returns whether there was a vote to send. */
async function vote(slot: number, more: object = {}): Promise<boolean> {
  const signal = await running.signals.request(voter(slot, more));
  if (signal === undefined) return false;
  await running.publisher.publishRequests({ slot, attester: ATTESTER, requests: [signal] });
  return true;
}

async function counted(slot: number): Promise<bigint> {
  const { rollupAddress, governanceProposerAddress: address } = rollup.identity.addresses;
  const contract = { name: "GovernanceProposer", address, abi: SIGNALS };
  const round = await read(rpc, contract, "computeRound", [BigInt(slot)]);
  return read(rpc, contract, "signalCount", [rollupAddress as `0x${string}`, round, payload as `0x${string}`]);
}
const reasons = () => said("no governance signal for this slot").map(({ facts }) => facts.reason);

test("a governance signal has the reference digest", () => {
  const [{ input, expected }] = consensusCases<{
    input: {
      domain: { chainId: number; verifyingContract: string };
      message: { payload: string; slot: string; instance: string };
    };
    expected: { digest: string };
  }>("governance-signal-digest");
  const { domain, message } = input;
  const addresses = { governanceProposerAddress: domain.verifyingContract, rollupAddress: message.instance };
  const identity = {
    ...rollup.identity,
    l1ChainId: domain.chainId,
    addresses: { ...rollup.identity.addresses, ...addresses },
  };
  const typed = new GovernanceProposer(rpc, identity).signalToSign(message.payload, Number(message.slot));
  expect(toHex(typedDataHash(typed))).toBe(expected.digest);
});

test("a governance signal is counted once for a slot, through Multicall3, and again in the next slot", async () => {
  const slot = await nextSlot();
  expect(await vote(slot)).toBe(true);
  expect(await counted(slot)).toBe(1n);
  expect(said("requests without a checkpoint took effect on L1")).toMatchObject([
    { facts: { slot, successful: ["governance-signal"] } },
  ]);
  const { transactions } = await request<{ transactions: { to: string; from: string }[] }>("eth_getBlockByNumber", [
    "latest",
    true,
  ]);
  expect(transactions).toMatchObject([{ from: ATTESTER, to: MULTICALL3_ADDRESS }]);

  expect(await vote(slot)).toBe(false);
  expect(reasons()).toEqual(["this node signalled for the slot"]);
  const next = await nextSlot();
  expect(await vote(next)).toBe(true);
  expect(await counted(next)).toBe(2n);
});

test("a governance signal is not sent again after a restart in the same slot", async () => {
  const slot = await nextSlot();
  await vote(slot);
  const restarted = await openPublisher();
  expect(await restarted.signals.request(voter(slot))).toBeUndefined();
  expect(reasons()).toEqual([expect.stringMatching(/^the slot has its signal in round \d+$/)]);
  await restarted.stop();
});

test("no governance signal is sent without a payload, its code or the key, or when the round has its quorum", async () => {
  let slot = await nextSlot();
  expect(await vote(slot, { payload: undefined })).toBe(false);
  expect(await vote(slot, { payload: `0x${"00".repeat(20)}` })).toBe(false);
  expect(reasons()).toEqual([]);
  expect(await vote(slot, { payload: `0x${"12".repeat(20)}` })).toBe(false);
  expect(await vote(slot, { proposer: `0x${"13".repeat(20)}` })).toBe(false);
  for (let count = 1n; count <= QUORUM; count++) {
    expect(await vote(slot)).toBe(true);
    expect(await counted(slot)).toBe(count);
    slot = await nextSlot();
  }
  expect(await vote(slot)).toBe(false);
  expect(reasons()).toEqual([
    "the payload has no code",
    "the proposer's key is not here",
    expect.stringMatching(/^round \d+ has its quorum$/),
  ]);
});

test("a governance signal of another attester than the proposer has no effect, and the log has L1's reason", async () => {
  const slot = await nextSlot();
  const stranger = await publisherOf(rollup.identity, { VALIDATOR_PRIVATE_KEYS: toHex(new Uint8Array(32).fill(5)) });
  const proposer = new PrivateKey(new Uint8Array(32).fill(5)).address;
  const wrong = await stranger.signals.request(voter(slot, { proposer }));
  expect(said("the simulation of a governance signal failed, sending it anyway")).toHaveLength(1);
  await running.publisher.publishRequests({ slot, attester: ATTESTER, requests: [wrong!] });
  await stranger.stop();
  expect(await counted(slot)).toBe(0n);
  expect(said("a request to L1 had no effect")).toMatchObject([
    { level: "error", facts: { action: "governance-signal", slot } },
  ]);
});

test("the calldata of a governance signal has the signature as v, r, s", () => {
  const calldata = toHex(
    signalCalldata(
      `0x${"0a".repeat(20)}`,
      Uint8Array.of(...new Uint8Array(32).fill(1), ...new Uint8Array(32).fill(2), 28),
    ),
  );
  const word = (byte: string) => byte.repeat(32);
  expect(calldata).toBe(
    `0xb2406d94${"00".repeat(12)}${"0a".repeat(20)}${"1c".padStart(64, "0")}${word("01")}${word("02")}`,
  );
});
