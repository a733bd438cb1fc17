import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonWriter } from "../../../../src/rpc/codecs/json/json-writer.ts";

function written(write: (out: JsonWriter) => void): string {
  const out = new JsonWriter();
  write(out);
  return Buffer.from(out.take()).toString();
}

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

test("the JSON writer writes hex, base64, words and padding of any bytes", () => {
  const run = fc.uint8Array({ minLength: 0, maxLength: 8 }).map((seed) => {
    const bytes = new Uint8Array(seed.length * 32);
    for (const [i, value] of seed.entries()) bytes.fill(value, i * 32, i * 32 + 32);
    return bytes;
  });
  fc.assert(
    fc.property(run, fc.nat(12), (words, more) => {
      const items = Array.from({ length: words.length / 32 }, (_, i) => hex(words.subarray(i * 32, i * 32 + 32)));
      const padding = Array.from({ length: more }, () => hex(new Uint8Array(32)));
      expect(written((out) => out.words(words, items.length + more))).toBe(JSON.stringify([...items, ...padding]));
      expect(written((out) => out.hex(words))).toBe(JSON.stringify(hex(words)));
      expect(written((out) => out.base64(words))).toBe(JSON.stringify(Buffer.from(words).toString("base64")));
    }),
  );
});

test("the JSON writer writes big-endian integers of any width in decimal", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 32 }), (bytes) => {
      expect(written((out) => out.decimalBytes(bytes, 0, bytes.length))).toBe(`"${BigInt(hex(bytes))}"`);
    }),
  );
  expect(written((out) => out.paddedWord(Uint8Array.of(1, 2, 3, 4), 1, 2))).toBe(`"0x${"0203".padStart(64, "0")}"`);
});

test("the JSON writer does not change output it handed out, and drops what was rewound", () => {
  const out = new JsonWriter();
  const first = out.text("kept").take();
  const mark = out.text("[").length;
  out.text("lost").rewind(mark);
  expect(Buffer.from(out.text("]").take()).toString()).toBe("[]");
  expect(Buffer.from(first).toString()).toBe("kept");
  const long = out.text("l".repeat(200_000)).take();
  out.text("s".repeat(200_000)).take();
  expect(Buffer.from(long).toString()).toBe("l".repeat(200_000));
  expect(written((writer) => writer.value("ü€😀".repeat(10_000)))).toBe(JSON.stringify("ü€😀".repeat(10_000)));
});
