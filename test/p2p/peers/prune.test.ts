import fc from "fast-check";
import { expect, test } from "vitest";
import { prune } from "../../../src/p2p/peers/prune.ts";
import { GoodbyeReason } from "../../../src/p2p/reqresp/codecs/goodbye-reason.ts";

const peer = (id: string, { since = 0, inbound = false } = {}) => ({ id, ip: undefined, since, inbound });
const healthy = () => "healthy" as const;

test("banned peers and peers of low score leave with the reason of each", () => {
  const states = new Map([
    ["bad", "banned"],
    ["low", "disconnect"],
  ] as const);
  const { kept, leave } = prune([peer("bad"), peer("low"), peer("good")], {
    most: 10,
    health: (id) => states.get(id as "bad") ?? "healthy",
    score: () => 0,
  });
  expect(kept.map(({ id }) => id)).toEqual(["good"]);
  expect(leave.map(({ peer: { id }, reason }) => [id, reason])).toEqual([
    ["bad", GoodbyeReason.BANNED],
    ["low", GoodbyeReason.LOW_SCORE],
  ]);
});

test("beyond the limit the lowest scores leave, and among equals the youngest", () => {
  const scores = new Map([["b", -10]]);
  const { kept, leave } = prune([peer("a", { since: 3 }), peer("b", { since: 1 }), peer("c", { since: 2 })], {
    most: 1,
    health: healthy,
    score: (id) => scores.get(id) ?? 0,
  });
  expect(kept.map(({ id }) => id)).toEqual(["c"]);
  expect(leave.map(({ peer: { id }, reason }) => [id, reason])).toEqual([
    ["a", GoodbyeReason.MAX_PEERS],
    ["b", GoodbyeReason.MAX_PEERS],
  ]);
});

test("inbound peers keep at most four fifths of the places, however many and old they are", () => {
  const inbound = Array.from({ length: 100 }, (_, i) => peer(`in ${i}`, { since: i, inbound: true }));
  const outbound = Array.from({ length: 5 }, (_, i) => peer(`out ${i}`, { since: 1_000 + i }));
  const { kept } = prune([...inbound, ...outbound], { most: 20, health: healthy, score: () => 0 });
  expect(kept.filter((each) => each.inbound)).toHaveLength(16);
  expect(kept.filter((each) => !each.inbound).length).toBe(4);
});

test("every peer is either kept or leaves, and never more than the limit are kept", () => {
  const peers = fc.uniqueArray(
    fc.record({ id: fc.string(), ip: fc.constant(undefined), since: fc.nat(), inbound: fc.boolean() }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(peers, fc.nat(20), (all, most) => {
      const { kept, leave } = prune(all, { most, health: healthy, score: ({ length }) => -length });
      expect(kept.length).toBeLessThanOrEqual(most);
      expect([...kept, ...leave.map((each) => each.peer)].map(({ id }) => id).sort()).toEqual(
        all.map(({ id }) => id).sort(),
      );
    }),
  );
});
