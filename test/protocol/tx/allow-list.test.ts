import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { FR_MODULUS, fr } from "../../../src/protocol/field.ts";
import type { AllowedSetupCall } from "../../../src/protocol/generations/transactions.ts";
import { AllowListError, parseAllowList, printAllowList } from "../../../src/protocol/tx/allow-list.ts";

interface Case {
  category: string;
  input: { raw: string };
  expected: { value?: unknown; error?: string };
}
const vectors: Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../fixtures/vectors/options.json"), "utf8"),
).cases;

/** In the form of the vectors. */
function asText({ selector, ...call }: AllowedSetupCall): unknown {
  const target = "address" in call ? { address: toHex(call.address) } : { classId: toHex(call.classId) };
  return { ...call, ...target, selector: toHex(selector) };
}

test.each(vectors.filter(({ category }) => category === "allow-list"))(
  "an allow list is read or refused as in the vectors: $input.raw",
  ({ input, expected }) => {
    if (expected.error === undefined) expect(parseAllowList(input.raw).map(asText)).toEqual(expected.value);
    else expect(() => parseAllowList(input.raw)).toThrow(expected.error);
  },
);

const TARGET = `0x${"01".repeat(32)}`;

describe("allow list entries that break a rule", () => {
  test.each([
    [`I:${TARGET}:`, "selector is required"],
    [`I:${TARGET}:0x010203`, "selector must be 8 hex digits, with or without 0x"],
    [`I:${TARGET}:0x0102030405`, "selector must be 8 hex digits, with or without 0x"],
    ["I:0x01:0x01020304", "address must be 64 hex digits of a field element, with or without 0x"],
    [
      `C:0x${FR_MODULUS.toString(16)}:0x01020304`,
      "classId must be 64 hex digits of a field element, with or without 0x",
    ],
    [`I:${TARGET}:0x01020304:os:rn`, "more than four parts"],
    [`I:${TARGET}:0x01020304:`, 'unknown flag ""'],
    [`I:${TARGET}:0x01020304:os+`, 'unknown flag ""'],
    [`I:${TARGET}:0x01020304:OS`, 'unknown flag "OS"'],
    [`I:${TARGET}:0x01020304:os+os`, 'flag "os" is given twice'],
    [`I:${TARGET}:0x01020304:cl=1+cl=2`, 'flag "cl" is given twice'],
    [`I:${TARGET}:0x01020304:cl=`, 'invalid calldataLength in flag "cl="'],
    [`I:${TARGET}:0x01020304:cl=1.5`, 'invalid calldataLength in flag "cl=1.5"'],
    [`i:${TARGET}:0x01020304`, 'unknown type "i"'],
  ])("an allow list entry is refused with the rule that it breaks: %s", (entry, rule) => {
    const parse = () => parseAllowList(`C:${TARGET}:0xaabbccdd, ${entry}`);
    expect(parse).toThrow(AllowListError);
    expect(parse).toThrow(`Invalid allow list entry "${entry}": ${rule}`);
  });
});

test("an allow list entry is the same with and without 0x", () => {
  const digits = "01".repeat(32);
  expect(parseAllowList(`I:${digits}:01020304:cl=2,C:${digits}:AABBCCDD`)).toEqual(
    parseAllowList(`I:0x${digits}:0x01020304:cl=2,C:0x${digits}:0xaabbccdd`),
  );
});

test("printed allow list entries parse to the same entries", () => {
  const target = fc.bigInt({ min: 0n, max: FR_MODULUS - 1n }).map((value) => fr(value));
  const call = fc.tuple(
    fc.oneof(
      target.map((address) => ({ address })),
      target.map((classId) => ({ classId })),
    ),
    fc.uint8Array({ minLength: 4, maxLength: 4 }).map((selector) => ({ selector: new Uint8Array(selector) })),
    fc.record(
      {
        onlySelf: fc.constant(true as const),
        rejectNullMsgSender: fc.constant(true as const),
        calldataLength: fc.nat(),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.array(call), (parts) => {
      const calls = parts.map(([where, what, conditions]): AllowedSetupCall => ({ ...where, ...what, ...conditions }));
      expect(parseAllowList(printAllowList(calls)).map(asText)).toEqual(calls.map(asText));
    }),
  );
});
