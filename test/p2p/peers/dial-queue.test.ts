import { expect, test } from "vitest";
import { DialQueue } from "../../../src/p2p/peers/dial-queue.ts";

const MINUTE = 60_000;
const peer = (id: string) => ({ id, address: `/ip4/127.0.0.1/tcp/1`, enr: `enr:${id}` });
const none = () => false;

function queue() {
  const clock = { now: 0 };
  return { clock, queue: new DialQueue(() => clock.now) };
}

test("the queue holds the newest 100 peers and gives them out newest first", () => {
  const { queue: dials } = queue();
  for (let i = 0; i < 150; i++) dials.add(peer(`${i}`));
  const taken = dials.take(200, none).map((each) => each.peer.id);
  expect(taken).toHaveLength(100);
  expect([taken[0], taken[99]]).toEqual(["149", "50"]);
  expect(dials.take(1, none)).toEqual([]);
});

test("peers that waited for five minutes, or are connected by now, are not given out", () => {
  const { clock, queue: dials } = queue();
  dials.add(peer("old"));
  clock.now = 3 * MINUTE;
  dials.add(peer("connected"));
  dials.add(peer("new"));
  clock.now = 5 * MINUTE + 1;
  expect(dials.take(5, (id) => id === "connected").map((each) => each.peer.id)).toEqual(["new"]);
});

test("a peer that fails three times is left alone for five minutes", () => {
  const { clock, queue: dials } = queue();
  dials.failed({ peer: peer("a"), attempts: 0 });
  dials.failed(dials.take(1, none)[0]);
  expect(dials.isTimedOut("a")).toBe(false);
  dials.failed(dials.take(1, none)[0]);
  expect([dials.isTimedOut("a"), dials.has("a")]).toEqual([true, false]);
  clock.now = 5 * MINUTE;
  dials.expire();
  expect(dials.isTimedOut("a")).toBe(false);
});
