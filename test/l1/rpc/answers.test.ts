import { expect, test } from "vitest";
import { bytes } from "../../../src/l1/rpc/answers.ts";

test("bytes of tens of megabytes are read, as an L1's state has", () => {
  const length = 40 * 2 ** 20;
  expect(bytes(`0x${"0f".repeat(length)}`, "state", length)[length - 1]).toBe(15);
  expect(() => bytes(`0x${"0f".repeat(length)}0g`, "state")).toThrow("state: must be 0x bytes");
});
