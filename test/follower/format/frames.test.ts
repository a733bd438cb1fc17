import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader, MAX_PAYLOAD_BYTES, type RawFrame } from "../../../src/follower/format/frame-reader.ts";
import { type Frame, frameValues, readFrame } from "../../../src/follower/format/frames.ts";
import { decodePayload, encodeFrame, packValues, unpackValues } from "../../../src/follower/format/payload.ts";
import { decodeRequest, encodeRequest, locatorNumbers } from "../../../src/follower/format/request.ts";
import { BLOCK_HEADER_BYTES } from "../../../src/protocol/block-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const u32 = fc.nat(0xffffffff);
const u48 = fc.maxSafeNat().map((n) => n % 2 ** 48);
const hash = bytes(32);
const l1Block = fc.record({ number: u48, timestamp: u48, hash });
const position = fc.option(fc.record({ number: u48, hash }), { nil: undefined });
const publication = {
  l1: l1Block,
  attestations: fc.array(fc.record({ address: bytes(20), signature: fc.option(bytes(65), { nil: undefined }) }), {
    maxLength: 3,
  }),
  feeAssetPriceModifier: fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }),
};
const mark = fc.record({ checkpoint: u32, archiveRoot: hash });
const kind = <const K extends Frame["kind"]>(name: K) => fc.constant(name);
const anyFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: kind("hello"),
    version: u32,
    identity: fc.string(),
    publicData: fc.uint8Array(),
    rpcPort: fc.nat(65_535),
  }),
  fc.record({
    kind: kind("messages"),
    messages: fc.array(fc.record({ index: u48, leaf: hash, l1BlockNumber: u48, l1BlockHash: hash }), { maxLength: 4 }),
    rollingHash: bytes(16),
  }),
  fc.record({
    kind: kind("checkpoints"),
    checkpoints: fc.array(
      fc.record({
        number: u32,
        header: fc.constantFrom(V4, V5).chain(({ headers }) => bytes(headers.checkpointBytes)),
        archiveRoot: hash,
        words: fc.option(fc.uint8Array({ maxLength: 2_000 }), { nil: undefined }),
        ...publication,
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    kind: kind("proposed"),
    ...{ number: u32, header: bytes(BLOCK_HEADER_BYTES), archiveRoot: hash, checkpointNumber: u32 },
    ...{ indexWithinCheckpoint: u32, body: fc.uint8Array() },
  }),
  fc.record({
    kind: kind("unwind"),
    what: fc.constantFrom("messages", "checkpoints", "proposed"),
    keep: fc.integer({ min: -1, max: 2 ** 40 }),
    next: fc.option(hash, { nil: undefined }),
  }),
  fc.record({ kind: kind("republished"), number: u32, archiveRoot: hash, ...publication }),
  fc.record({
    kind: kind("marks"),
    ...{ proven: mark, finalized: mark, processed: fc.option(l1Block, { nil: undefined }) },
    ...{ checkpointSync: position, messageSync: position, latest: fc.record({ checkpoint: u32, block: u32 }) },
  }),
  fc.record({ kind: kind("ping") }),
  fc.record({ kind: kind("end"), reason: fc.string({ maxLength: 200 }) }),
);

/** Byte strings as plain arrays: the decoded ones are Buffers. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, item) => {
      if (item instanceof Uint8Array) return [...item];
      return typeof item === "bigint" ? String(item) : item;
    }),
    (_, item) => (item?.type === "Buffer" ? item.data : item),
  );

describe("frames of the feed", () => {
  test("any frames come out of their bytes as they were, wherever these are split", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyFrame, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(400), { maxLength: 40 }),
        async (frames, lengths) => {
          const all = Buffer.concat(frames.map((frame) => encodeFrame(frameValues(frame))));
          const reader = new FrameReader();
          const raw: RawFrame[] = [];
          let at = 0;
          for (const length of lengths) {
            raw.push(...reader.push(all.subarray(at, at + length)));
            at += length;
          }
          raw.push(...reader.push(all.subarray(at)));
          expect(reader.atFrameEnd).toBe(true);
          const read = [];
          for (const one of raw) read.push(readFrame(await decodePayload(one)));
          expect(plain(read)).toEqual(plain(frames));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("any bytes are frames, an incomplete frame, or a FrameError", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (garbage, framed) => {
        const head = Buffer.from([0, 0, 0, garbage.length, garbage[0] & 1]);
        try {
          for (const raw of new FrameReader().push(framed ? Buffer.concat([head, garbage]) : garbage)) {
            readFrame(await decodePayload(raw));
          }
        } catch (error) {
          expect((error as Error).name).toBe("FrameError");
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("a frame that claims more than the limit is refused at its head", () => {
    const head = Buffer.from([0, 0, 0, 0, 0]);
    head.writeUInt32BE(MAX_PAYLOAD_BYTES + 1, 0);
    expect(() => new FrameReader().push(head)).toThrow(`frame length must be from 1 to ${MAX_PAYLOAD_BYTES}`);
  });

  test("deflated data that unpacks to more than it says is refused", async () => {
    const frame = encodeFrame(["x".repeat(100_000)]);
    const payload = Uint8Array.from(frame.subarray(5));
    Buffer.from(payload.buffer).writeUInt32BE(1_000, 0);
    await expect(decodePayload({ encoding: 1, payload })).rejects.toThrow("packed frame must be deflated data of 1000");
  });

  test.each([
    ["a list that claims more items than there are bytes", Buffer.from([0xdd, 0x7f, 0xff, 0xff, 0xff, 0]), "a list of"],
    ["a byte string that is cut off", Buffer.from([0x91, 0xc6, 0, 0, 1, 0, 1]), "ends inside a value"],
    ["an extension", Buffer.from([0x91, 0xd4, 1, 2]), "must not hold the MessagePack tag 0xd4"],
    ["a map", Buffer.from([0x81, 1, 2]), "must not hold the MessagePack tag 0x81"],
    ["deep lists", Buffer.from([0x91, 0x91, 0x91, 0x91, 0x91, 1]), "at most 4 levels"],
    ["bytes after the value", Buffer.from([0x91, 1, 1]), "must end after its value"],
    ["no list", Buffer.from([5]), "must be a list"],
  ])("%s is refused", (_, given, rule) => {
    expect(() => unpackValues(given)).toThrow(rule);
  });
});

describe("the request for the feed", () => {
  const entries = (id: number) =>
    fc
      .uniqueArray(fc.record({ number: u48, id: bytes(id) }), { selector: ({ number }) => number, maxLength: 20 })
      .map((list) => list.sort((a, b) => a.number - b.number));

  test("is read as it was written", () => {
    fc.assert(
      fc.property(
        fc.record({ messages: entries(16), checkpoints: entries(64), proposed: entries(32), processed: u48 }),
        (request) => {
          expect(plain(decodeRequest(encodeRequest(request)))).toEqual(plain(request));
        },
      ),
    );
  });

  test("is refused with the field and rule", () => {
    expect(() => decodeRequest(packValues([2, [], [], [], 0]))).toThrow("request version must be 1, got 2");
    const twice = [
      [1, new Uint8Array(16)],
      [1, new Uint8Array(16)],
    ];
    expect(() => decodeRequest(packValues([1, twice, [], [], 0]))).toThrow(
      "request messages must be in ascending order",
    );
    expect(() => decodeRequest(packValues([1, [], [[1, new Uint8Array(3)]], [], 0]))).toThrow(
      "checkpoints id must be 64",
    );
  });

  test("names few of many checkpoints: the last ones all, the lowest one always", () => {
    const numbers = locatorNumbers(1_000_000, 17);
    expect(numbers.length).toBeLessThan(100);
    expect(numbers.slice(0, 1)).toEqual([17]);
    expect(numbers.slice(-64)).toEqual(Array.from({ length: 64 }, (_, i) => 999_937 + i));
    expect(locatorNumbers(0, 1)).toEqual([]);
    expect(locatorNumbers(5, 5)).toEqual([5]);
  });
});
