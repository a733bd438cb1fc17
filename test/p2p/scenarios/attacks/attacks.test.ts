import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACKS } from "./attacks.ts";
import { peerNodeSubject } from "./subjects.ts";
import { Trial } from "./trial.ts";
import "../../../support/soak.ts";

// The long form, with one attack at a time and figures for each, is test/p2p/scenarios/attacks/run.ts.

const MIB = 2 ** 20;
const AT_ONCE = 6;
const ATTACK_MS = 1_000;
/** The node holds 12 MiB of transactions; its limits allow it a few hundred more for what peers are sending. */
const MAX_MEMORY = 1_024 * MIB;
/** Two for each of the node's 100 peers, 256 incomplete handshakes, and its own files. */
const MAX_DESCRIPTORS = 600;
/** Kinds that must get through to the node; on a busy machine many peers are too slow to connect in their second. */
const MUST_REACH = 25;

let trial: Trial;
beforeAll(async () => {
  trial = await Trial.start(await peerNodeSubject());
});
afterAll(() => trial.end());

const names = ATTACKS.map(({ name }) => name);
const active = new Set<string>();
const groups = Array.from({ length: Math.ceil(names.length / AT_ONCE) }, (_, i) =>
  names.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
);

test.each(groups.map((group) => [group.join("; "), group] as const))(
  "a node under attack keeps honest peers and forwards their messages: %s",
  async (_, group) => {
    const { counts, memory, descriptors, honest, disconnects } = await trial.attack(group, ATTACK_MS);
    for (const [name, { sent }] of counts) if (sent > 0) active.add(name);
    expect(trial.alive).toBe(true);
    expect({ lost: honest.lost, disconnects }).toEqual({ lost: 0, disconnects: 0 });
    expect(honest.gossip.length).toBeGreaterThan(0);
    expect(memory.peak).toBeLessThan(MAX_MEMORY);
    expect(descriptors.peak).toBeLessThan(MAX_DESCRIPTORS);
    expect(trial.log).not.toMatch(/ERROR|Unhandled|Warning/);
  },
);

test("many kinds of attack reached the node", () => {
  expect(new Set(names).size).toBe(names.length);
  expect(active.size).toBeGreaterThan(MUST_REACH);
});
