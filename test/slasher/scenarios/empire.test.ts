import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { OFFENSE_TYPES } from "../../../src/protocol/slashing/offense.ts";
import type { SlasherSettings } from "../../../src/slasher/offenses/settings.ts";
import { Slasher } from "../../../src/slasher/slasher.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { testSettings } from "../../world/slasher/settings.ts";
import { SlashingL1 } from "../../world/slasher/slashing-l1.ts";
import { TestStore } from "../../world/slasher/stores.ts";

const TOKEN = 10n ** 18n;
/** An offense in round 4 is eligible in round 5, slots 40 to 47; 5 signals are a quorum. */
const FIRST_SLOT = 40;
const QUORUM = 5;
const EXECUTION_SLOT = 56;

describe("slashing by payloads on the network's contracts", () => {
  let l1: SlashingL1;
  let start: string;
  let store: TestStore;
  let settings: SlasherSettings;
  let slasher: Slasher;
  let now: number;
  let offender: Uint8Array;

  beforeAll(async () => {
    l1 = await SlashingL1.deploy("empire");
  });
  afterAll(() => l1.stop());

  beforeEach(async () => {
    start = await l1.call("evm_snapshot");
    store = new TestStore(4);
    settings = testSettings();
    slasher = new Slasher({
      store: store.offenses,
      contracts: l1.contracts,
      factory: l1.factory,
      settings,
      constants: l1.reader.identity.constants,
      registrationSlot: 0,
      committee: (epoch) => l1.reader.committee(epoch),
      ownValidators: () => [],
      now: () => now,
      logger: silentLogger,
    });
    now = await l1.now();
    await slasher.start();
    await l1.enter(FIRST_SLOT);
    now = await l1.now();
    offender = (await l1.committee(8))[1];
    slasher.report([
      { validator: offender, amount: 5n * TOKEN, offenseType: OFFENSE_TYPES.duplicateProposal, epochOrSlot: 33n },
    ]);
  });
  afterEach(async () => {
    slasher.stop();
    await store.close();
    await l1.call("evm_revert", [start]);
  });

  const kindsIn = async (slot: number) => (await slasher.actionsFor(slot)).map(({ kind }) => kind);

  async function act(slot: number): Promise<string[]> {
    const actions = await slasher.actionsFor(slot);
    for (const action of actions) expect(await l1.send(action)).toBe(true);
    return actions.map(({ kind }) => kind);
  }

  test("a payload is created, signalled for by a quorum and executed, and its offenses are done with", async () => {
    expect(await act(FIRST_SLOT)).toEqual(["create-empire-payload", "empire-slashing-signal"]);
    const [payload] = await slasher.payloads();
    expect(payload).toMatchObject({
      slashes: [{ validator: toHex(offender), amount: 5n * TOKEN, offenses: [{ epochOrSlot: 33n, offenseType: 8 }] }],
      votes: 1,
      round: 5,
    });
    expect(payload.timestamp * 1000).toBeGreaterThanOrEqual(now);
    for (let slot = FIRST_SLOT + 1; slot < FIRST_SLOT + QUORUM; slot++) {
      await l1.enter(slot);
      expect(await act(slot)).toEqual(["empire-slashing-signal"]);
    }
    await l1.enter(FIRST_SLOT + QUORUM);
    expect(await kindsIn(FIRST_SLOT + QUORUM)).toEqual([]);
    await l1.enter(EXECUTION_SLOT);
    expect(await slasher.offenses("all")).toHaveLength(1);
    settings.offenseExpirationRounds = 0;
    expect(await act(EXECUTION_SLOT)).toEqual(["execute-empire-payload"]);
    expect(await l1.stake(offender)).toBe(95n * TOKEN);
    await l1.enter(EXECUTION_SLOT + 1);
    expect(await kindsIn(EXECUTION_SLOT + 1)).toEqual([]);
    expect(await slasher.offenses("all")).toEqual([]);
  });

  test("no own payload is created late in a round, and none for validators of the never-list", async () => {
    settings.validatorsNever = [toHex(offender)];
    expect(await kindsIn(FIRST_SLOT)).toEqual([]);
    settings.validatorsNever = [];
    await l1.enter(FIRST_SLOT + 1);
    expect(await kindsIn(FIRST_SLOT + 1)).toEqual(["create-empire-payload", "empire-slashing-signal"]);
    await l1.enter(FIRST_SLOT + 2);
    expect(await kindsIn(FIRST_SLOT + 2)).toEqual([]);
  });

  test("a payload that cannot reach its quorum any more gets no signal", async () => {
    expect(await act(FIRST_SLOT)).toEqual(["create-empire-payload", "empire-slashing-signal"]);
    await l1.enter(FIRST_SLOT + 4);
    expect(await kindsIn(FIRST_SLOT + 4)).toEqual(["empire-slashing-signal"]);
    await l1.enter(FIRST_SLOT + 5);
    expect(await kindsIn(FIRST_SLOT + 5)).toEqual([]);
  });

  test("a configured payload is signalled for whatever was observed", async () => {
    settings.overridePayload = `0x${"ab".repeat(20)}`;
    const actions = await slasher.actionsFor(FIRST_SLOT);
    expect(actions).toMatchObject([{ kind: "empire-slashing-signal", payload: settings.overridePayload }]);
  });

  test("the offenses of a round are those that are eligible in it", async () => {
    const count = async (round: bigint | "current") => (await slasher.offenses(round)).length;
    expect([await count("current"), await count(4n), await count(5n), await count(9n), await count(10n)]).toEqual([
      1, 0, 1, 1, 0,
    ]);
  });
});

test("a rollup without a slasher gives a slasher that knows and does nothing", async () => {
  const l1 = await SlashingL1.deploy("none");
  const store = new TestStore(4);
  try {
    const slasher = new Slasher({
      store: store.offenses,
      contracts: l1.contracts,
      factory: l1.factory,
      settings: testSettings(),
      constants: l1.reader.identity.constants,
      registrationSlot: 0,
      committee: (epoch) => l1.reader.committee(epoch),
      ownValidators: () => [],
      now: () => 0,
      logger: silentLogger,
    });
    await slasher.start();
    slasher.report([{ validator: new Uint8Array(20).fill(1), amount: 1n, offenseType: 8, epochOrSlot: 1n }]);
    expect([await slasher.actionsFor(40), await slasher.offenses("all"), await slasher.payloads()]).toEqual([
      [],
      [],
      [],
    ]);
    slasher.stop();
  } finally {
    await store.close();
    await l1.stop();
  }
});
