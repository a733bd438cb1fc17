import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { OFFENSE_TYPES, type Offense } from "../../../src/protocol/slashing/offense.ts";
import type { SlasherSettings } from "../../../src/slasher/offenses/settings.ts";
import { NoSlashPayloadsError, Slasher } from "../../../src/slasher/slasher.ts";
import { VotesAgainstOwn } from "../../../src/slasher/tally/votes-against-own.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { testSettings } from "../../world/slasher/settings.ts";
import { SlashingL1, VETOER } from "../../world/slasher/slashing-l1.ts";
import { TestStore } from "../../world/slasher/stores.ts";

const TOKEN = 10n ** 18n;
/** Round 5 votes about round 4, the epochs 8 and 9, and can be executed in rounds 7 to 9; 5 votes are a quorum. */
const OFFENSE_SLOT = 33n;
const VOTING = { first: 40, quorum: 5 };
const EXECUTION_SLOT = 56;

let l1: SlashingL1;
let start: string;
let store: TestStore;
let settings: SlasherSettings;
let slasher: Slasher;
let now: number;
let offender: Uint8Array;
let own: Uint8Array;

beforeAll(async () => {
  l1 = await SlashingL1.deploy("tally");
});
afterAll(() => l1.stop());

beforeEach(async () => {
  start = await l1.call("evm_snapshot");
  store = new TestStore(4);
  settings = testSettings();
  const { constants } = l1.reader.identity;
  slasher = new Slasher({
    store: store.offenses,
    contracts: l1.contracts,
    factory: undefined,
    settings,
    constants,
    registrationSlot: 0,
    committee: (epoch) => l1.reader.committee(epoch),
    ownValidators: () => [toHex(own)],
    now: () => now,
    logger: silentLogger,
  });
  now = await l1.now();
  await slasher.start();
  await l1.enter(VOTING.first);
  offender = (await l1.committee(8))[1];
  const others = (await l1.committee(9)).filter((member) => toHex(member) !== toHex(offender));
  own = others[0];
  const slot: Offense = {
    validator: offender,
    amount: 5n * TOKEN,
    offenseType: OFFENSE_TYPES.duplicateProposal,
    epochOrSlot: OFFENSE_SLOT,
  };
  const epoch: Offense = { validator: own, amount: TOKEN, offenseType: OFFENSE_TYPES.inactivity, epochOrSlot: 9n };
  slasher.report([slot, epoch]);
});
afterEach(async () => {
  slasher.stop();
  await store.close();
  await l1.call("evm_revert", [start]);
});

/** Votes in as many slots as make a quorum. */
async function voteByQuorum(): Promise<void> {
  for (let slot = VOTING.first; slot < VOTING.first + VOTING.quorum; slot++) {
    if (slot > VOTING.first) await l1.enter(slot);
    const actions = await slasher.actionsFor(slot);
    expect(actions.map(({ kind }) => kind)).toEqual(["vote-offenses"]);
    expect(await l1.send(actions[0])).toBe(true);
  }
}

async function executionsIn(slot: number): Promise<string[]> {
  await l1.enter(slot);
  return (await slasher.actionsFor(slot)).map(({ kind }) => kind);
}

test("an offender is voted on by a quorum, and its stake is slashed once the round can be executed", async () => {
  const before = { offender: await l1.stake(offender), own: await l1.stake(own) };
  expect(before.offender).toBe(100n * TOKEN);
  await voteByQuorum();
  expect(await executionsIn(EXECUTION_SLOT - 1)).toEqual([]);
  await l1.enter(EXECUTION_SLOT);
  const [execution, ...rest] = await slasher.actionsFor(EXECUTION_SLOT);
  expect(rest).toEqual([]);
  expect(execution).toMatchObject({ kind: "execute-slash", round: 5n });
  expect(await l1.send(execution)).toBe(true);
  expect(await l1.stake(offender)).toBe(95n * TOKEN);
  expect(await l1.stake(own)).toBe(before.own);
  expect(await executionsIn(EXECUTION_SLOT + 1)).toEqual([]);
});

test("own validators are voted on only where that is allowed, and those of the never-list in no case", async () => {
  const votes = async () => {
    const [vote] = await slasher.actionsFor(VOTING.first);
    return vote?.kind === "vote-offenses" ? toHex(vote.votes) : undefined;
  };
  const onlyOffender = await votes();
  settings.selfAllowed = true;
  const both = await votes();
  expect(both).not.toBe(onlyOffender);
  settings.validatorsNever = [toHex(own)];
  expect(await votes()).toBe(onlyOffender);
  settings.validatorsNever = [toHex(own), toHex(offender)];
  expect(await votes()).toBeUndefined();
  const third = (await l1.committee(8)).map(toHex).find((member) => !settings.validatorsNever.includes(member));
  settings.validatorsAlways = [third as string];
  expect(await votes()).toMatch(/^0x.*[3c]/);
});

test("a vetoed round is not executed", async () => {
  await voteByQuorum();
  await l1.enter(EXECUTION_SLOT);
  const proposer = await l1.contracts.current();
  if (proposer?.kind !== "tally") throw new Error("not a tally");
  const slashes = await proposer.tally(5, await proposer.targetCommittees(5));
  expect(slashes).toEqual([{ validator: toHex(offender), amount: 5n * TOKEN }]);
  const payload = await proposer.payloadAddress(5, slashes);
  await l1.sendAs(VETOER, proposer.slasher.address, `0xcc5953ff${payload.slice(2).padStart(64, "0")}`);
  expect(await executionsIn(EXECUTION_SLOT + 1)).toEqual([]);
});

test("no round is executed while slashing is disabled", async () => {
  await voteByQuorum();
  const proposer = await l1.contracts.current();
  await l1.sendAs(VETOER, proposer?.slasher.address as string, `0x3d357473${"".padStart(64, "0")}`);
  expect(await executionsIn(EXECUTION_SLOT)).toEqual([]);
});

test("an old round is executed within the look-back and the contract's lifetime", async () => {
  await voteByQuorum();
  settings.executeRoundsLookBack = 0;
  expect(await executionsIn(64)).toEqual([]);
  settings.executeRoundsLookBack = 1;
  expect(await executionsIn(65)).toEqual(["execute-slash"]);
  settings.executeRoundsLookBack = 4;
  expect(await executionsIn(79)).toEqual(["execute-slash"]);
  expect(await executionsIn(80)).toEqual([]);
});

test("a round below its quorum is not executed", async () => {
  const [vote] = await slasher.actionsFor(VOTING.first);
  await l1.send(vote);
  expect(await executionsIn(EXECUTION_SLOT)).toEqual([]);
});

test("votes on L1 against own validators are counted for the round in progress, and each is warned of", async () => {
  const warned: object[] = [];
  const votes = (validator: Uint8Array) =>
    new VotesAgainstOwn({
      contracts: l1.contracts,
      constants: l1.reader.identity.constants,
      ownValidators: () => [toHex(validator)],
      now: () => now,
      logger: { ...silentLogger, warn: (facts) => warned.push(facts) },
    });
  const [ofOffender, ofOwn] = [votes(offender), votes(own)];
  await l1.send((await slasher.actionsFor(VOTING.first))[0]);
  now = await l1.now();
  await ofOffender.read();
  await ofOwn.read();
  expect([ofOffender.count, ofOwn.count]).toEqual([1, 0]);
  await l1.enter(VOTING.first + 1);
  await l1.send((await slasher.actionsFor(VOTING.first + 1))[0]);
  await ofOffender.read();
  await ofOffender.read();
  expect(ofOffender.count).toBe(2);
  expect(warned).toEqual(Array(2).fill({ round: 5, validators: [toHex(offender)] }));
  await l1.enter(VOTING.first + 8);
  now = await l1.now();
  await ofOffender.read();
  expect(ofOffender.count).toBe(0);
});

test("the offenses of a round are those that its proposers vote about", async () => {
  const kinds = async (round: bigint | "all" | "current") =>
    (await slasher.offenses(round)).map(({ offenseType }) => offenseType);
  now = await l1.now();
  expect(await kinds("all")).toEqual([8, 3]);
  expect(await kinds("current")).toEqual([8, 3]);
  expect(await kinds(5n)).toEqual([8, 3]);
  expect(await kinds(4n)).toEqual([]);
  expect(await kinds(0n)).toEqual([]);
  await expect(slasher.payloads()).rejects.toThrow(NoSlashPayloadsError);
});

test("the registry tells when the rollup became canonical", async () => {
  const { l1GenesisTime } = l1.reader.identity.constants;
  const time = (await l1.registration()) as number;
  expect(time).toBeGreaterThanOrEqual(l1GenesisTime);
  expect(time).toBeLessThanOrEqual(await l1.now());
});
