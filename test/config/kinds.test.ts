import { expect, test } from "vitest";
import { boolean, listOf, oneOf, text } from "../../src/config/kinds.ts";
import { byteSize, integer, rollupVersion } from "../../src/config/number-kinds.ts";
import { l1Address, l2Address } from "../../src/config/protocol-kinds.ts";
import { url } from "../../src/config/url-kinds.ts";

test.each([
  ["12", 12],
  [" 5 ", 5],
  ["-4", -4],
  ["9007199254740993", undefined],
  ["1.7", undefined],
  ["0x10", undefined],
  ["1e3", undefined],
  ["abc", undefined],
])("integer %j is %j", (given, value) => {
  expect(integer(-10).parse(given)).toBe(value);
});

test.each([
  ["1", true],
  ["true", true],
  ["TRUE", true],
  ["0", false],
  ["false", false],
  ["FALSE", false],
  ["yes", undefined],
  ["True", undefined],
])("boolean %j is %j", (given, value) => {
  expect(boolean.parse(given)).toBe(value);
});

test.each([
  ["EMPIRE", "empire"],
  [" none ", "none"],
  ["x", undefined],
])("one of tally, empire, none: %j is %j", (given, value) => {
  expect(oneOf(["tally", "empire", "none"]).parse(given)).toBe(value);
});

test.each([
  ["344372055", 344372055],
  ["0x10", 16],
  ["canonical", "canonical"],
  ["newest", undefined],
  ["4294967296", undefined],
])("rollup version %j is %j", (given, value) => {
  expect(rollupVersion.parse(given)).toBe(value);
});

test.each([
  ["1mb", 1048576],
  ["512 KB", 524288],
  ["1.5kb", 1536],
  ["100", 100],
  ["0", undefined],
  ["1tb", undefined],
  ["mb", undefined],
])("size %j is %j bytes", (given, value) => {
  expect(byteSize.parse(given)).toBe(value);
});

test("lists trim their items and drop empty ones; one bad item spoils the list", () => {
  expect(listOf(text).parse(" a, ,b,")).toEqual(["a", "b"]);
  expect(listOf(integer(0)).parse("1,x")).toBeUndefined();
});

test("URLs keep to their schemes, lose trailing slashes, and a file URL has no host", () => {
  expect(url("http", "https").parse(" http://a.example/x/ ")).toBe("http://a.example/x");
  expect(url("http").parse("ws://a.example")).toBeUndefined();
  expect(url("file").parse("file:///var/x")).toBe("file:///var/x");
  expect(url("file").parse("file://host/x")).toBeUndefined();
});

test("addresses have their exact length; an L2 address is a field element", () => {
  expect(l1Address.parse(`0x${"Ab".repeat(20)}`)).toBe(`0x${"ab".repeat(20)}`);
  expect(l1Address.parse(`0x${"ab".repeat(19)}`)).toBeUndefined();
  expect(l2Address.parse(`0x${"00".repeat(31)}07`)?.[31]).toBe(7);
  expect(l2Address.parse(`0x${"ff".repeat(32)}`)).toBeUndefined();
});
