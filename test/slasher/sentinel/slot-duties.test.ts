import fc from "fast-check";
import { expect, test } from "vitest";
import { slotDuties } from "../../../src/slasher/sentinel/slot-duties.ts";

const address = (byte: number) => new Uint8Array(20).fill(byte);
const [a, b, c, d] = [1, 2, 3, 4].map(address);

/** Statuses by the first byte of the validator's address. */
function statuses(facts: Partial<Parameters<typeof slotDuties>[0]>): Record<number, string> {
  const duties = slotDuties({
    members: [a, b, c, d],
    proposer: b,
    mined: false,
    attesters: [],
    blockProposed: false,
    ...facts,
  });
  return Object.fromEntries(duties.map(({ validator, status }) => [validator[0], status]));
}

test("a checkpoint in the chain is mined, and members without an attestation missed it", () => {
  expect(statuses({ mined: true, attesters: [a, d] })).toEqual({
    1: "attestation-sent",
    2: "checkpoint-mined",
    3: "attestation-missed",
    4: "attestation-sent",
  });
});

test("a checkpoint that another member attested to was proposed", () => {
  expect(statuses({ attesters: [c] })).toEqual({
    1: "attestation-missed",
    2: "checkpoint-proposed",
    3: "attestation-sent",
    4: "attestation-missed",
  });
});

test("the proposer's own attestation does not show that there was a checkpoint", () => {
  expect(statuses({ attesters: [b], blockProposed: true })).toEqual({ 2: "checkpoint-missed" });
});

test("duties of a slot without a checkpoint only the proposer has missed its duty", () => {
  expect(statuses({ blockProposed: true })).toEqual({ 2: "checkpoint-missed" });
  expect(statuses({})).toEqual({ 2: "blocks-missed" });
});

test("attesters outside of the committee have no entry", () => {
  expect(statuses({ mined: true, attesters: [address(9)] })).not.toHaveProperty("9");
});

test("every member has at most one status, of its own role", () => {
  const facts = fc.record({
    proposer: fc.constantFrom(a, b, c, d),
    mined: fc.boolean(),
    attesters: fc.subarray([a, b, c, d, address(9)]),
    blockProposed: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const found = statuses(given);
      for (const member of [a, b, c, d]) {
        const role = member === given.proposer ? /^(checkpoint|blocks)-/ : /^attestation-|^undefined$/;
        expect(String(found[member[0]])).toMatch(role);
      }
    }),
  );
});
