import { expect, test } from "vitest";
import { boolean, listOf, oneOf, secret, someOf, text } from "../../src/config/kinds/kinds.ts";
import {
  bigInteger,
  byteSize,
  decimal,
  fraction,
  integer,
  integerAnyBase,
  positiveFraction,
  rollupVersion,
} from "../../src/config/kinds/number-kinds.ts";
import {
  enr,
  fieldElement,
  hexText,
  ipv4,
  l1Address,
  l2Address,
  privateKey,
  sha256Hex,
} from "../../src/config/kinds/protocol-kinds.ts";
import { Secret } from "../../src/config/kinds/secret.ts";
import { location, url } from "../../src/config/kinds/url-kinds.ts";
import { OPTIONS } from "../../src/config/options.ts";

test.each([
  ["12", 12],
  [" 5 ", 5],
  ["-4", -4],
  ["9007199254740993", undefined],
  ["1.7", undefined],
  ["0x10", undefined],
  ["1e3", undefined],
  ["abc", undefined],
])("integer option %j is %j", (given, value) => {
  expect(integer(-10, Number.MAX_SAFE_INTEGER).parse(given)).toBe(value);
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
])("boolean option %j is %j", (given, value) => {
  expect(boolean.parse(given)).toBe(value);
});

test.each([
  ["EMPIRE", "empire"],
  [" none ", "none"],
  ["x", undefined],
])("option of tally, empire or none: %j is %j", (given, value) => {
  expect(oneOf(["tally", "empire", "none"]).parse(given)).toBe(value);
});

test.each([
  ["344372055", 344372055],
  ["0x10", 16],
  ["canonical", "canonical"],
  ["newest", undefined],
  ["4294967296", undefined],
])("rollup version option %j is %j", (given, value) => {
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
])("size option %j is %j bytes", (given, value) => {
  expect(byteSize(Number.MAX_SAFE_INTEGER).parse(given)).toBe(value);
});

test("a list option trims its items, drops empty ones and refuses a bad one", () => {
  expect(listOf(text).parse(" a, ,b,")).toEqual(["a", "b"]);
  expect(listOf(integer(0, 9)).parse("1,x")).toBeUndefined();
});

test.each([
  ["svc,node", ["svc", "node"]],
  [" NODE , svc, node", ["svc", "node"]],
  ["node,", ["node"]],
  [",", undefined],
  ["node,admin", undefined],
])("option of some of svc, node: %j is %j", (given, value) => {
  expect(someOf(["svc", "node"]).parse(given)).toEqual(value);
});

test("a URL option has an allowed scheme, no trailing slash, and no host in a file URL", () => {
  expect(url("http", "https").parse(" http://a.example/x/ ")).toBe("http://a.example/x");
  expect(url("http").parse("ws://a.example")).toBeUndefined();
  expect(url("file").parse("file:///var/x")).toBe("file:///var/x");
  expect(url("file").parse("file://host/x")).toBeUndefined();
});

test("an address option has its exact length, and an L2 address is a field element", () => {
  expect(l1Address.parse(`0x${"Ab".repeat(20)}`)).toBe(`0x${"ab".repeat(20)}`);
  expect(l1Address.parse("Ab".repeat(20))).toBe(`0x${"ab".repeat(20)}`);
  expect(l1Address.parse(`0x${"ab".repeat(19)}`)).toBeUndefined();
  expect(l2Address.parse(`${"00".repeat(31)}07`)?.[31]).toBe(7);
  expect(l2Address.parse(`0x${"00".repeat(31)}07`)?.[31]).toBe(7);
  expect(l2Address.parse(`0x${"ff".repeat(32)}`)).toBeUndefined();
});

test.each([
  ["12", 12],
  ["0x10", 16],
  [" 7 ", 7],
  ["0x", undefined],
  ["-1", undefined],
  ["0x20000000000000", undefined],
  ["1e3", undefined],
])("integer option of any base %j is %j", (given, value) => {
  expect(integerAnyBase(0, Number.MAX_SAFE_INTEGER).parse(given)).toBe(value);
});

test.each([
  ["1.2", 1.2],
  ["-20", -20],
  [".5", 0.5],
  ["5e-1", 0.5],
  ["+1", 1],
  ["1e400", undefined],
  ["Infinity", undefined],
  ["NaN", undefined],
  ["0x10", undefined],
  ["1,5", undefined],
])("decimal option %j is %j", (given, value) => {
  expect(decimal().parse(given)).toBe(value);
});

test.each([
  ["0", 0, undefined],
  ["1", 1, 1],
  ["0.7", 0.7, 0.7],
  ["1.01", undefined, undefined],
  ["-0.1", undefined, undefined],
])("fraction option %j is %j, and as a positive fraction %j", (given, share, positive) => {
  expect(fraction.parse(given)).toBe(share);
  expect(positiveFraction.parse(given)).toBe(positive);
  expect(positiveFraction.rule).toBe("must be a decimal number above 0 and at most 1");
});

test.each([
  ["0", 0n],
  ["0x10", 16n],
  ["9007199254740993", 9007199254740993n],
  ["1e+23", 10n ** 23n],
  ["1.5E3", 1500n],
  ["0e999999", 0n],
  ["1500e-2", 15n],
  ["1.55e1", undefined],
  ["1e-1", undefined],
  ["1e999999999", undefined],
  ["-1", undefined],
  ["1.0", undefined],
  [`1${"0".repeat(200)}`, undefined],
])("big integer option %s is %s", (given, value) => {
  expect(bigInteger.parse(given)).toBe(value);
});

test("key options accept 0x or none, and their secrets are listed without it", () => {
  const digits = "aB".repeat(32);
  const keys = secret(listOf(privateKey));
  const value = keys.parse(`0x${digits}, ${digits}`);
  expect(value?.reveal()).toEqual([`0x${digits.toLowerCase()}`, `0x${digits.toLowerCase()}`]);
  expect(value && keys.secrets?.(value)).toEqual([digits.toLowerCase(), digits.toLowerCase()]);
  expect(keys.parse("0x12")).toBeUndefined();
  expect(hexText.parse("0xAB0")).toBeUndefined();
  expect(sha256Hex.parse("A".repeat(64))).toBeUndefined();
  expect(fieldElement.parse("0x1")?.[31]).toBe(1);
  const element = secret(fieldElement);
  expect(element.secrets?.(new Secret(Uint8Array.of(7)))).toEqual(["07"]);
});

test("peer options are ENRs and IPv4 addresses", () => {
  expect(enr.parse("enr:-IS4Q_a")).toBe("enr:-IS4Q_a");
  expect(enr.parse("enode://x")).toBeUndefined();
  expect(ipv4.parse("10.0.0.1")).toBe("10.0.0.1");
  expect(ipv4.parse("10.0.0.256")).toBeUndefined();
});

test("a list option of fixed length has it, and its error names the first bad item", () => {
  const list = listOf(integer(0, 100), 3);
  expect(list.parse("2,10,50")).toEqual([2, 10, 50]);
  expect(list.parse("2,10")).toBeUndefined();
  expect(list.fault?.("2,x,y")).toBe("item 2 of 3");
});

test("a location option is a URL or a path", () => {
  expect(location.parse("/etc/network.json")).toBe("/etc/network.json");
  expect(location.parse("https://x.example/y")).toBe("https://x.example/y");
  expect(location.parse("ftp://x.example/y")).toBeUndefined();
  expect(location.parse("file://host/y")).toBeUndefined();
  expect(location.show("https://x.example/y?key=z")).toBe("https://x.example/[Redacted]");
  expect(location.show("./network.json")).toBe("./network.json");
});

test("an option of fixed names may have aliases", () => {
  const kind = oneOf(["NONE", "CHECKPOINTED"], { PENDING: "CHECKPOINTED" });
  expect(kind.parse("pending")).toBe("CHECKPOINTED");
  expect(kind.rule).toBe("must be one of NONE, CHECKPOINTED, PENDING");
});

test.each([
  ["/", ""],
  ["//", undefined],
  ["/rpc", "/rpc"],
  [" /rpc/ ", "/rpc"],
  ["/v4/net-1.a_b~", "/v4/net-1.a_b~"],
  ["rpc", undefined],
  ["/a//b", undefined],
  ["/a/../b", undefined],
  ["/.", undefined],
  ["/a b", undefined],
  ["/a%20", undefined],
  ["/:name", undefined],
  ["/*", undefined],
  ["/a?b", undefined],
  [`/${"a".repeat(200)}`, undefined],
])("path prefix %j is %j", (given, value) => {
  expect(OPTIONS.apiPrefix.kind.parse(given)).toBe(value);
});
