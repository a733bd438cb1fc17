import { expect, test } from "vitest";
import { unwrapMessage } from "../../../src/protocol/consensus/gossip-wrapper.ts";
import { recordedMessages, recordedNetwork } from "../../world/p2p/recorded.ts";
import { compareRows, type DutyQuestion, type DutyRow, dutiesOf, signedBy } from "../live/ha-duties.ts";
import { type SignedMessage, SignedRecord, signedMessages } from "../live/signed-messages.ts";

const network = recordedNetwork();
const signed = recordedMessages().flatMap(({ topic, wrapped, decoded }) =>
  signedMessages(topic as Parameters<typeof signedMessages>[0], unwrapMessage(wrapped)).map((message) => ({
    message,
    decoded,
  })),
);

function recordOf(messages: readonly SignedMessage[]): SignedRecord {
  const record = new SignedRecord();
  for (const message of messages) record.add(message);
  return record;
}

const slotDurationMs = network.settings.AZTEC_SLOT_DURATION * 1000;
const times = { genesisMs: network.genesisTime * 1000, slotDurationMs };
const messages = signed.map(({ message }) => message);
/** Slots in which the network was at peace: four validators, no equivocation. */
const PEACEFUL = [181, 183, 185, 200];

function question(attester: string, seen: readonly SignedMessage[], more: Partial<DutyQuestion> = {}): DutyQuestion {
  const proposers = new Map(PEACEFUL.map((slot) => [slot, String(network.proposers[slot]).toLowerCase()]));
  return { attester, record: recordOf(seen), proposers, rows: [], downtimes: [], outages: [], times, ...more };
}

const startOf = (slot: number) => times.genesisMs + slot * slotDurationMs;

test("each recorded message is read with the signer and slot that the reference saw", () => {
  expect(signed.length).toBeGreaterThan(40);
  for (const { message, decoded } of signed) {
    const signer = message.kind === "ATTESTATION" ? decoded.attester : decoded.sender;
    expect([message.slot, message.signer]).toEqual([decoded.slot, signer.toLowerCase()]);
  }
});

test("exactly the recorded equivocations are duties with two messages", () => {
  const doubles = recordOf(messages).doubles();
  const slots = new Set(doubles.map((duty) => Number(duty.split(" ")[2])));
  expect([...slots].sort()).toEqual([225, 238]);
  expect(recordOf(messages.filter(({ slot }) => PEACEFUL.includes(slot))).doubles()).toEqual([]);
});

test("every validator of the recording did its duties, and one whose messages are taken out missed them", () => {
  const answers = network.validators.map(({ address }) => dutiesOf(question(address.toLowerCase(), messages)));
  for (const { attestations, missed } of answers) {
    expect({ attestations, missed }).toEqual({ attestations: { expected: 4, done: 4 }, missed: [] });
  }
  expect(answers.reduce((sum, { proposals }) => sum + proposals.done, 0)).toBe(4);

  const attester = network.validators[0].address.toLowerCase();
  const without = messages.filter(
    ({ signer, kind, slot }) => signer !== attester || kind !== "ATTESTATION" || slot !== 183,
  );
  expect(dutiesOf(question(attester, without))).toMatchObject({
    attestations: { expected: 4, done: 3 },
    missed: [{ slot: 183, kind: "ATTESTATION" }],
    excused: [],
  });
});

test("a missed duty is excused by an outage in its slot, or by the kill of the node that had taken it", () => {
  const attester = network.validators[0].address.toLowerCase();
  const without = messages.filter(
    ({ signer, kind, slot }) => signer !== attester || kind !== "ATTESTATION" || slot !== 183,
  );
  const middle = startOf(183) + slotDurationMs / 2;
  const reasons = (more: Partial<DutyQuestion>) =>
    dutiesOf(question(attester, without, more)).excused.map(({ reason }) => reason);
  expect(reasons({ outages: [{ from: middle, to: middle + 500 }] })).toEqual(["the database was restarted"]);
  expect(reasons({ outages: [{ from: startOf(184), to: startOf(184) + 500 }] })).toEqual([]);
  const downtimes = [{ attester, node: "a", from: middle, to: startOf(186) }];
  const row = { slot: 183, kind: "ATTESTATION", index: -1, status: "signing", hash: "0x" } as const;
  expect(reasons({ downtimes })).toEqual([]);
  expect(reasons({ downtimes, rows: [{ ...row, node: "b" }] })).toEqual([]);
  expect(reasons({ downtimes, rows: [{ ...row, node: "a" }] })).toEqual(["a was killed when it had taken ATTESTATION"]);
  expect(reasons({ downtimes: [...downtimes, { ...downtimes[0], node: "b" }] })).toEqual([
    "no node of the pair was there",
  ]);
});

test("messages are compared with the rows of their duties", () => {
  const attester = network.validators[0].address.toLowerCase();
  const record = recordOf(messages.filter(({ slot }) => PEACEFUL.includes(slot)));
  const rows: DutyRow[] = record
    .duties(181, 200)
    .filter(({ signer }) => signer === attester)
    .map(({ signer, ...duty }) => ({ ...duty, status: "signed", node: "a" }));
  const slots = { first: 181, last: 200 };
  expect(compareRows(attester, record, rows, slots)).toEqual({ equal: rows.length, unlike: [], unseen: [] });
  const other = [{ ...rows[0], hash: "0x00" }, ...rows.slice(1)];
  expect(compareRows(attester, record, other, slots).unlike).toHaveLength(1);
  const more: DutyRow = { ...rows[0], kind: "ATTESTATION", slot: 190, index: -1 };
  expect(compareRows(attester, record, [...rows, more], slots).unseen).toEqual(["ATTESTATION 190 -1 by a"]);
  expect(signedBy([more, { ...more, node: "b" }, { ...more, status: "signing" }])).toEqual({
    a: { ATTESTATION: 1 },
    b: { ATTESTATION: 1 },
  });
});
