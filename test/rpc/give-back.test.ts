import { expect, test } from "vitest";
import { giveBack } from "../../src/rpc/give-back.ts";
import { BodyCollector } from "../../src/rpc/http/body-collector.ts";

const LARGE = 100_000;

test("memory that large bytes have to themselves is given back", () => {
  const bytes = new Uint8Array(LARGE);
  giveBack(bytes);
  expect(bytes.buffer.byteLength).toBe(0);
});

test.each([
  ["a part of a larger buffer", () => new Uint8Array(2 * LARGE).subarray(0, LARGE)],
  ["few bytes", () => new Uint8Array(100)],
  ["shared memory", () => new Uint8Array(new SharedArrayBuffer(LARGE))],
])("%s stays as it is", (_what, make) => {
  const bytes = make();
  const { byteLength } = bytes.buffer;
  giveBack(bytes);
  expect(bytes.buffer.byteLength).toBe(byteLength);
});

test("a body that came in pieces is whole, and its pieces are gone", () => {
  const pieces = [1, 2, 3].map((byte) => new Uint8Array(LARGE).fill(byte));
  const collector = new BodyCollector(10 * LARGE);
  for (const piece of pieces) collector.push(piece);
  const body = collector.take();
  expect(body).toHaveLength(3 * LARGE);
  expect([0, LARGE, 2 * LARGE].map((at) => body[at])).toEqual([1, 2, 3]);
  expect(pieces.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0]);
});
