import { expect, test } from "vitest";
import { JsonError, parseJson } from "../../src/json/parse-json.ts";

test.each(['{"a":[1,"x",null,{"b":"\\"[[[,,,\\\\"}]}', "1", '""', "[]", '"\\\\"'])("JSON text %s is parsed", (text) => {
  expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
});

test("JSON that nests too deep or has too many values is refused before parsing", () => {
  const refused = (text: string) => () => parseJson(Buffer.from(text));
  expect(refused("[".repeat(10_000_000))).toThrow(new JsonError("nests deeper than 4096 levels"));
  expect(refused(`[${"[],".repeat(3_000_000)}1]`)).toThrow(new JsonError("has more than 2000000 values"));
  expect(parseJson(Buffer.from("[".repeat(4096) + "]".repeat(4096)))).toBeInstanceOf(Array);
});

test("text that is not JSON is refused with its length only", () => {
  expect(() => parseJson(Buffer.from("<html>secret"))).toThrow(new JsonError("is not JSON (12 bytes)"));
});
