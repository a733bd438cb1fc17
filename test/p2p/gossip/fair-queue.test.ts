import { expect, test } from "vitest";
import { FairQueue } from "../../../src/p2p/gossip/fair-queue.ts";

interface Item {
  from: string;
  bytes: number;
  name: string;
}

const item = (name: string, bytes = 1): Item => ({ from: name[0], bytes, name });
const names = (items: readonly (Item | undefined)[]) => items.map((of) => of?.name);

function drained(queue: FairQueue<Item>): string[] {
  const served: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) served.push(next.name);
  return served;
}

test("senders are served in turn, each in its own order", () => {
  const queue = new FairQueue<Item>({ messages: 10, bytes: 100 });
  for (const name of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(item(name));
  expect(drained(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  expect([queue.size, queue.bytes]).toEqual([0, 0]);
});

test("a full queue drops the newest item of the sender with the most, whoever sent the last one", () => {
  const queue = new FairQueue<Item>({ messages: 4, bytes: 100 });
  for (const name of ["a1", "a2", "a3", "b1"]) expect(queue.add(item(name))).toEqual([]);
  expect(names(queue.add(item("a4")))).toEqual(["a4"]);
  expect(names(queue.add(item("c1")))).toEqual(["a3"]);
  expect(drained(queue)).toEqual(["a1", "b1", "c1", "a2"]);
});

test("a sender of few large items is the one that loses when the bytes run out", () => {
  const queue = new FairQueue<Item>({ messages: 100, bytes: 100 });
  for (const name of ["a1", "a2", "a3"]) queue.add(item(name, 2));
  queue.add(item("b1", 60));
  expect(names(queue.add(item("b2", 60)))).toEqual(["b2"]);
  expect(names(queue.add(item("a4", 40)))).toEqual(["b1"]);
  expect(queue.bytes).toBe(46);
});

test("an item that is larger than the queue is dropped and nothing else", () => {
  const queue = new FairQueue<Item>({ messages: 10, bytes: 100 });
  queue.add(item("a1", 10));
  expect(names(queue.add(item("b1", 101)))).toEqual(["b1"]);
  expect(drained(queue)).toEqual(["a1"]);
});

test("whatever is added and served, the queue stays within its limits and loses nothing unsaid", () => {
  const queue = new FairQueue<Item>({ messages: 16, bytes: 400 });
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const inside = new Set<string>();
  for (let i = 0; i < 5_000; i++) {
    if (random(3) === 0) {
      const next = queue.next();
      expect(next === undefined ? inside.size === 0 : inside.delete(next.name)).toBe(true);
    } else {
      const added = item(`${"abcde"[random(5)]}${i}`, random(80));
      inside.add(added.name);
      for (const { name } of queue.add(added)) expect(inside.delete(name)).toBe(true);
    }
    expect(queue.size).toBe(inside.size);
    expect(queue.size).toBeLessThanOrEqual(16);
    expect(queue.bytes).toBeLessThanOrEqual(400);
  }
});
