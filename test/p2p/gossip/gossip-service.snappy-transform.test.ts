import { randomBytes } from "node:crypto";
import { compressSync } from "snappy";
import { expect, test } from "vitest";
import { snappyTransform } from "../../../src/p2p/gossip/gossip-service.ts";

const compress = (data: Uint8Array) => snappyTransform(() => 0).outboundTransform("", data);
const decompress = (data: Uint8Array, limit: number) => snappyTransform(() => limit).inboundTransform("", data);

/** A block that declares more than it holds: decompressing it would allocate that much first. */
const bomb = (size: number) => {
  const preamble: number[] = [];
  let left = size;
  for (; left >= 0x80; left = Math.floor(left / 128)) preamble.push((left % 128) | 0x80);
  return Uint8Array.of(...preamble, left, 0);
};

test("empty data passes the transform unchanged both ways", () => {
  expect(compress(new Uint8Array(0))).toHaveLength(0);
  expect(decompress(new Uint8Array(0), 10)).toHaveLength(0);
});

test("a message of the largest size passes, one byte more is refused", () => {
  expect(decompress(compressSync(new Uint8Array(1000)), 1000)).toHaveLength(1000);
  expect(() => decompress(compressSync(new Uint8Array(1001)), 1000)).toThrow(/at most 1000 bytes, declares 1001/);
});

test("a declared size above the limit is refused before anything is allocated", () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 200; i++) expect(() => decompress(bomb(2 ** 32 - 1), 512 * 1024)).toThrow(/declares 4294967295/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 26);
});

test("a cut off, too long or too large declared size is refused", () => {
  for (const bytes of [[0x80], [0xff, 0xff], [0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0xff, 0xff, 0xff, 0xff, 0x7f]]) {
    expect(() => decompress(Uint8Array.from(bytes), 1000)).toThrow(/cut off|at most/);
  }
});

test("data that is not snappy, or shorter than declared, is refused", () => {
  expect(() => decompress(Uint8Array.of(10, 0xff, 1, 2, 3), 1000)).toThrow();
  expect(() => decompress(bomb(100), 1000)).toThrow();
});

test("each topic has the limit that the transform was given for it", () => {
  const transform = snappyTransform((topic) => (topic === "small" ? 10 : 100));
  const data = compressSync(new Uint8Array(50));
  expect(() => transform.inboundTransform("small", data)).toThrow(/at most 10 bytes/);
  expect(transform.inboundTransform("large", data)).toHaveLength(50);
});

test("a message that does not fit into a frame of the network is refused when it is sent", () => {
  const noise = randomBytes(4 * 2 ** 20);
  expect(() => compress(noise)).toThrow(/at most 4193280 bytes/);
  expect(compress(noise.subarray(0, 4_190_000)).length).toBeGreaterThan(4_190_000);
});
