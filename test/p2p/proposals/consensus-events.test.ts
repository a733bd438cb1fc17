import { expect, test } from "vitest";
import { ConsensusEvents, type ConsensusListener } from "../../../src/p2p/proposals/consensus-events.ts";

const listener = (executes: boolean): ConsensusListener => ({
  executes: async () => executes,
  blockChecked: () => {},
  checkpointProposed: async () => {},
  signChallenge: async () => undefined,
});

test("consensus events refuse a second listener until the first has left", async () => {
  const events = new ConsensusEvents();
  expect(await events.executes(1)).toBe(false);
  const leave = events.listen(listener(true));
  expect(() => events.listen(listener(false))).toThrow("have a listener already");
  expect(await events.executes(1)).toBe(true);
  leave();
  expect(await events.executes(1)).toBe(false);
  events.listen(listener(true));
  leave();
  expect(await events.executes(1)).toBe(true);
});
