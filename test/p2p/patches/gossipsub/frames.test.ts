import type { Stream } from "@libp2p/interface";
import { afterEach, expect, test, vi } from "vitest";
import { FrameError, FrameRoom, readFrames } from "../../../../src/p2p/patches/gossipsub/frames.ts";

const LIMITS = { maxBytes: 1_000_000, completeMs: 60_000 };

afterEach(() => {
  vi.useRealTimers();
});

/** A stream that gives the pushed chunks until it is ended or aborted. */
function fakeStream() {
  const chunks: Uint8Array[] = [];
  let wake = () => {};
  let ended = false;
  let failure: Error | undefined;
  const stream = {
    abort(error: Error) {
      failure = error;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (failure !== undefined) throw failure;
        const next = chunks.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  } as unknown as Stream;
  return {
    stream,
    push(...bytes: number[]) {
      chunks.push(Uint8Array.from(bytes));
      wake();
    },
    pushBytes(bytes: Uint8Array) {
      chunks.push(bytes);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    failure: () => failure,
  };
}

async function collected(stream: Stream, room = new FrameRoom(10_000_000), limits = LIMITS): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  for await (const frame of readFrames(stream, room, limits)) frames.push(frame);
  return frames;
}

test("frames come out the same however they are cut into chunks", async () => {
  const frames = [0, 1, 127, 128, 300, 70_000, 200_000].map((length) =>
    Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256),
  );
  const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) | 128, ...varint(value >> 7)]);
  const all = Buffer.concat(frames.flatMap((frame) => [Uint8Array.from(varint(frame.length)), frame]));
  for (const [size, count] of [
    [1, 5],
    [2, 5],
    [3, 5],
    [1_000, 7],
    [65_524, 7],
    [all.length, 7],
  ]) {
    const source = fakeStream();
    const sent = frames.slice(0, count);
    const end = sent.reduce((sum, { length }) => sum + length + varint(length).length, 0);
    for (let at = 0; at < end; at += size) source.pushBytes(all.subarray(at, Math.min(at + size, end)));
    source.end();
    const got = await collected(source.stream);
    // An empty frame says nothing and is left out.
    const full = sent.filter(({ length }) => length > 0);
    expect(got.map(({ length }) => length)).toEqual(full.map(({ length }) => length));
    expect(got.every((frame, i) => Buffer.compare(frame, full[i]) === 0)).toBe(true);
  }
});

test("a frame above the limit, or with an endless length, fails before its bytes are taken", async () => {
  const large = fakeStream();
  large.push(0xc1, 0x84, 0x3d);
  await expect(collected(large.stream)).rejects.toThrow(new FrameError("a frame of 1000001 bytes is too large"));
  const endless = fakeStream();
  endless.push(0x80, 0x80, 0x80, 0x80, 0x80, 0x80);
  await expect(collected(endless.stream)).rejects.toBeInstanceOf(FrameError);
});

test("memory for a frame grows with what arrived, not with what was declared", async () => {
  const room = new FrameRoom(10_000_000);
  const source = fakeStream();
  const reading = collected(source.stream, room);
  source.push(0xc0, 0x84, 0x3d, 1, 2, 3);
  await new Promise(setImmediate);
  expect(room.used).toBe(64 * 1024);
  source.pushBytes(new Uint8Array(100_000));
  await new Promise(setImmediate);
  expect(room.used).toBe(128 * 1024);
  source.end();
  expect(await reading).toEqual([]);
  expect(room.used).toBe(0);
});

test("the stream with the most bytes of an incomplete frame is reset when all together hold too much", async () => {
  const room = new FrameRoom(390_000);
  const small = fakeStream();
  const large = fakeStream();
  const [smallRead, largeRead] = [collected(small.stream, room), collected(large.stream, room)];
  largeRead.catch(() => {});
  for (const { push } of [small, large]) push(0xc0, 0x84, 0x3d);
  small.pushBytes(new Uint8Array(50_000));
  large.pushBytes(new Uint8Array(200_000));
  await new Promise(setImmediate);
  expect(large.failure()).toBeUndefined();
  small.pushBytes(new Uint8Array(40_000));
  await new Promise(setImmediate);
  expect(large.failure()).toBeInstanceOf(FrameError);
  await expect(largeRead).rejects.toBeInstanceOf(FrameError);
  expect(small.failure()).toBeUndefined();
  small.end();
  await smallRead;
  expect(room.used).toBe(0);
});

test("a frame that is not complete in time resets its stream, and an idle stream between frames does not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const source = fakeStream();
  const reading = collected(source.stream);
  reading.catch(() => {});
  source.push(2, 1, 2);
  await new Promise(setImmediate);
  vi.advanceTimersByTime(1_000_000);
  expect(source.failure()).toBeUndefined();
  source.push(2, 1);
  await new Promise(setImmediate);
  vi.advanceTimersByTime(60_000);
  expect(source.failure()).toBeInstanceOf(FrameError);
  await expect(reading).rejects.toThrow("not complete in time");
});

test("a stream of empty frames fails", async () => {
  const source = fakeStream();
  source.pushBytes(new Uint8Array(2_000));
  await expect(collected(source.stream)).rejects.toThrow(FrameError);
});
