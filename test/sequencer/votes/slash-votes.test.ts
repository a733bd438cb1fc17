import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { configuredKeys } from "../../../src/node/keys/proposer-keys.ts";
import { attesterSigning, voteSigner } from "../../../src/node/keys/signers.ts";
import { type RunningPublisher, startPublisher } from "../../../src/node/sequencer/publisher.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { SlashAction, SlashActions } from "../../../src/protocol/slashing/action.ts";
import { OFFENSE_TYPES } from "../../../src/protocol/slashing/offense.ts";
import { Slasher } from "../../../src/slasher/slasher.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import type { SigningGuard } from "../../../src/validator/signing/signing-guard.ts";
import { testSettings } from "../../world/slasher/settings.ts";
import { SlashingL1, VALIDATOR_KEYS } from "../../world/slasher/slashing-l1.ts";
import { TestStore } from "../../world/slasher/stores.ts";
import { closeGuards, recordingGuard } from "../../world/validator/recording-guard.ts";
import { type LogLine, recordingLogger } from "../support/publishing.ts";

const TOKEN = 10n ** 18n;
/** Round 5 votes about round 4, with a quorum of 5, and can be executed from round 7 on. */
const FIRST_SLOT = 40;
const QUORUM = 5;
const EXECUTION_SLOT = 56;

let l1: SlashingL1;
let start: string;
let nowMs: number;
let store: TestStore;
let slasher: Slasher;
let running: RunningPublisher;
let guard: SigningGuard;
let offender: Uint8Array;
const lines: LogLine[] = [];

async function publisherOf(actions: SlashActions): Promise<RunningPublisher> {
  const { identity } = l1.reader;
  const environment = {
    ETHEREUM_HOSTS: l1.url,
    VALIDATOR_PRIVATE_KEYS: VALIDATOR_KEYS.join(","),
    L1_TX_MONITOR_CHECK_INTERVAL_MS: "20",
  };
  const { values } = configure({ flags: new Map(), environment });
  const keys = await configuredKeys(partValues(values).keys, () => {});
  const signing = attesterSigning(() => keys.current, guard);
  return startPublisher({
    values: partValues(values),
    directory: { path: "", temporary: true },
    identity,
    generation: V4,
    keys,
    votes: voteSigner(signing),
    slasher: actions,
    kzg: { load: () => {}, prove: () => Promise.reject(new Error("no blobs here")) },
    now: () => nowMs,
    metrics: new Metrics(() => {}),
    logger: recordingLogger(lines),
  });
}

beforeAll(async () => {
  l1 = await SlashingL1.deploy("tally");
  await l1.fund();
});
afterAll(() => l1?.stop());

beforeEach(async () => {
  start = await l1.call("evm_snapshot");
  lines.length = 0;
  store = new TestStore(4);
  slasher = new Slasher({
    store: store.offenses,
    contracts: l1.contracts,
    factory: undefined,
    settings: testSettings(),
    constants: l1.reader.identity.constants,
    registrationSlot: 0,
    committee: (epoch) => l1.reader.committee(epoch),
    ownValidators: () => [],
    now: () => nowMs,
    logger: silentLogger,
  });
  nowMs = await l1.now();
  await slasher.start();
  guard = recordingGuard(l1.reader.identity.constants, () => nowMs);
  running = await publisherOf(slasher);
  await begin(FIRST_SLOT);
  offender = (await l1.committee(8))[1];
  const offense = { offenseType: OFFENSE_TYPES.duplicateProposal, epochOrSlot: 33n } as const;
  slasher.report([{ validator: offender, amount: 5n * TOKEN, ...offense }]);
});
afterEach(async () => {
  await running.stop();
  await closeGuards();
  slasher.stop();
  await store.close();
  await l1.call("evm_revert", [start]);
});

async function begin(slot: number): Promise<void> {
  await l1.enter(slot);
  nowMs = await l1.now();
}

/** Does in a slot what the node does without a checkpoint. Returns the actions that it sent. */
async function act(slot: number): Promise<string[]> {
  const { address: attester } = await l1.proposerOf(slot);
  const requests = (await running.slashVotes?.requests({ slot, proposer: attester })) ?? [];
  if (requests.length > 0) await running.publisher.publishRequests({ slot, attester, requests });
  return requests.map(({ action }) => action);
}

const counted = async (): Promise<number> => {
  const contract = await l1.contracts.current();
  return contract?.kind === "tally" ? (await contract.round(5)).votes : 0;
};

test("an offense is voted on in each slot once, and its slash executed, through the publisher", async () => {
  for (let slot = FIRST_SLOT; slot < FIRST_SLOT + QUORUM; slot++) {
    if (slot > FIRST_SLOT) await begin(slot);
    expect(await act(slot)).toEqual(["vote-offenses"]);
    expect(await counted()).toBe(slot - FIRST_SLOT + 1);
    expect(await act(slot)).toEqual([]);
  }
  await begin(EXECUTION_SLOT);
  expect(await act(EXECUTION_SLOT)).toEqual(["execute-slash"]);
  expect(await l1.stake(offender)).toBe(95n * TOKEN);
  await begin(EXECUTION_SLOT + 1);
  expect(await act(EXECUTION_SLOT + 1)).toEqual([]);
});

test("an action that would revert is left out, and others are sent", async () => {
  const contract = (await l1.contracts.current())?.address as string;
  const premature: SlashAction = {
    kind: "execute-slash",
    contract,
    slot: FIRST_SLOT,
    round: 5n,
    committees: [[], []],
  };
  const more = await publisherOf({
    actionsFor: async (slot) => [premature, ...(await slasher.actionsFor(slot))],
  });
  const { address: proposer } = await l1.proposerOf(FIRST_SLOT);
  const requests = await more.slashVotes?.requests({ slot: FIRST_SLOT, proposer });
  expect(requests?.map(({ action }) => action)).toEqual(["vote-offenses"]);
  expect(lines.filter(({ message }) => message.startsWith("an action of the slasher would revert"))).toHaveLength(1);
  await more.stop();
});

test("a node without the proposer's key asks the slasher for nothing", async () => {
  const proposer = `0x${"13".repeat(20)}`;
  expect(await running.slashVotes?.requests({ slot: FIRST_SLOT, proposer })).toEqual([]);
});

test("a vote that the guard refuses is left out with the reason", async () => {
  const { address: proposer } = await l1.proposerOf(FIRST_SLOT);
  expect(await running.slashVotes?.requests({ slot: FIRST_SLOT, proposer })).toHaveLength(1);
  // Another vote for the slot by the same keys, as after a restart.
  const other: SlashActions = {
    async actionsFor(slot) {
      const [vote] = await slasher.actionsFor(slot);
      return vote?.kind === "vote-offenses" ? [{ ...vote, votes: new Uint8Array(vote.votes.length).fill(1) }] : [];
    },
  };
  const again = await publisherOf(other);
  expect(await again.slashVotes?.requests({ slot: FIRST_SLOT, proposer })).toEqual([]);
  expect(lines.some(({ message }) => message === "an action of the slasher cannot be sent")).toBe(true);
  await again.stop();
});
