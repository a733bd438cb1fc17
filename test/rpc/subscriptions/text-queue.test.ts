import { expect, test } from "vitest";
import { TextQueue } from "../../../src/rpc/subscriptions/text-queue.ts";

test("texts of all lengths come out in their order, each in a buffer of its own, while others go in", () => {
  const queue = new TextQueue();
  const model: Uint8Array[] = [];
  for (let i = 0; i < 2_000; i++) {
    // More go in than come out for 100 rounds, then the other way round.
    const grows = Math.floor(i / 100) % 2 === 0;
    const text = new Uint8Array((i * 37) % (i % 50 === 0 ? 5_000 : 100)).fill(i);
    if (i % 3 !== 0 ? grows : !grows) {
      queue.push(text);
      model.push(text.slice());
      text.fill(0);
    } else {
      const first = queue.shift();
      expect(first).toEqual(model.shift());
      expect(first?.buffer.byteLength).toBe(first?.length);
    }
    expect(queue.length).toBe(model.length);
    expect(queue.bytes).toBe(model.reduce((sum, one) => sum + TextQueue.bytesOf(one), 0));
  }
});

test("a cleared queue is empty and takes texts again", () => {
  const queue = new TextQueue();
  queue.push(Uint8Array.of(1));
  queue.clear();
  expect([queue.length, queue.bytes, queue.shift()]).toEqual([0, 0, undefined]);
  queue.push(Uint8Array.of(2));
  expect(queue.shift()).toEqual(Uint8Array.of(2));
});
