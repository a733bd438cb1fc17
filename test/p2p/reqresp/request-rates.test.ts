import { expect, test } from "vitest";
import { ByteRoom } from "../../../src/p2p/reqresp/byte-room.ts";
import { RequestRates } from "../../../src/p2p/reqresp/request-rates.ts";

test("a peer may use its quota at once, and then one request in each part of the window", () => {
  let now = 5000;
  const limit = new RequestRates({ perPeer: 5, overall: 100 }, () => now);
  const take = (): string => limit.take("a");
  expect(Array.from({ length: 6 }, take)).toEqual([...Array(5).fill("allowed"), "peer limit"]);
  now += 199;
  expect(take()).toBe("peer limit");
  now += 1;
  expect([take(), take()]).toEqual(["allowed", "peer limit"]);
  now += 1000;
  expect(Array.from({ length: 6 }, take)).toEqual([...Array(5).fill("allowed"), "peer limit"]);
});

test("the overall quota is shared by all peers, and a peer above its own limit does not use it up", () => {
  let now = 0;
  const limit = new RequestRates({ perPeer: 5, overall: 10 }, () => now);
  for (let i = 0; i < 100; i++) limit.take("greedy");
  expect(Array.from({ length: 6 }, (_, i) => limit.take(`peer ${i}`))).toEqual([
    ...Array(5).fill("allowed"),
    "overall limit",
  ]);
  now += 100;
  expect([limit.take("late"), limit.take("later")]).toEqual(["allowed", "overall limit"]);
});

test("peers with their full quota are forgotten, so that their number stays bounded", () => {
  let now = 0;
  const limit = new RequestRates({ perPeer: 5, overall: 200 }, () => now);
  let most = 0;
  for (let i = 0; i < 20_000; i++) {
    now += 1;
    limit.take(`peer ${i}`);
    most = Math.max(most, limit.size);
  }
  expect(most).toBeLessThanOrEqual(400);
  now += 1000;
  limit.take("last");
  expect(limit.size).toBe(1);
});

test("bytes are bounded for each peer and overall", () => {
  const room = new ByteRoom({ overall: 100, perPeer: 60 });
  expect([room.take("a", 60), room.take("a", 1), room.take("b", 41), room.take("b", 40)]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  room.release("a", 30);
  expect([room.used, room.take("a", 31), room.take("a", 30)]).toEqual([70, false, true]);
  room.release("a", 60);
  room.release("b", 40);
  expect(room.used).toBe(0);
});
