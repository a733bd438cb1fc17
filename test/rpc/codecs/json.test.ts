import { describe, expect, test } from "vitest";
import { absent, array, type Codec, type Issue, object, optional } from "../../../src/rpc/codecs/json/codec.ts";
import { field, l2Address, txHash } from "../../../src/rpc/codecs/json/field.ts";
import { integer, oneOf, plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import { blockParameter } from "../../../src/rpc/codecs/shared/block-parameter.ts";
import { RpcError } from "../../../src/rpc/jsonrpc/errors.ts";
import { param, readParams } from "../../../src/rpc/registry/registry.ts";

/** Reads one parameter: hex for bytes, `[code, message]` for a refusal. */
function read(codec: Codec<unknown>, value: unknown): unknown {
  try {
    const [result] = readParams([param("it", codec)], [value]);
    return result instanceof Uint8Array ? Buffer.from(result).toString("hex") : result;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return [error.code, error.message];
  }
}

const word = (digits: string) => digits.padStart(64, "0");
const P = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
const tooLarge = (hex: string) => [-32702, `Value 0x${hex} is greater or equal to field modulus.`];

describe("field", () => {
  test.each<[unknown, unknown]>([
    ["0x1", word("1")],
    ["0x001", word("1")],
    ["0xABC", word("abc")],
    ["10", word("a")],
    ["0", word("0")],
    ["0010", word("a")],
    [`0x${"0".repeat(100)}5`, word("5")],
    [`0x${P}`, tooLarge(P)],
    [`0x${"f".repeat(65)}`, tooLarge("f".repeat(65))],
    [BigInt(`0x${P}`).toString(), tooLarge(P)],
    ["9".repeat(500), [-32702, "Value of 500 decimal digits is greater or equal to field modulus."]],
    ["abcd", [-32702, "Tried to create a Fr from an invalid string: abcd"]],
    ["", [-32702, "Tried to create a Fr from an invalid string: "]],
    ["0x", [-32702, 'Invalid hex-encoded string: "0x"']],
    ["0X1", [-32701, "Not a valid hex string (0)"]],
    ["xyz", [-32701, "Not a valid hex string (0)"]],
    ["0x1\n", [-32701, "Not a valid hex string (0)"]],
    [1, [-32701, "Expected string, received number (0)"]],
    [null, [-32701, "Expected string, received null (0)"]],
    [[], [-32701, "Expected string, received array (0)"]],
    [undefined, [-32701, "Required (0)"]],
  ])("field parameter %j is read or refused", (value, expected) => expect(read(field, value)).toEqual(expected));
});

describe("tx hash", () => {
  const short = (length: number) => [
    -32702,
    `Attempted to read beyond buffer length. Start index: 0, Num bytes to read: 32, Buffer length: ${length}`,
  ];
  test.each<[unknown, unknown]>([
    [word("12"), word("12")],
    [`0x${word("12")}`, word("12")],
    [`0x${word("12")}ff`, word("12")],
    ["", short(0)],
    ["0x1", short(0)],
    ["0x12", short(1)],
    ["ff".repeat(32), tooLarge("ff".repeat(32))],
    ["xyz", [-32701, "Not a valid hex string (0)"]],
    [1, [-32701, "Expected string, received number (0)"]],
  ])("tx hash parameter %j is read or refused", (value, expected) => expect(read(txHash, value)).toEqual(expected));
});

describe("L2 address", () => {
  const invalid = [-32701, "Invalid input (0)"];
  test.each<[unknown, unknown]>([
    [`0x${word("5")}`, word("5")],
    [word("5"), word("5")],
    [Buffer.from(word("5"), "hex").toString("base64"), word("5")],
    [{ type: "Buffer", data: [...Buffer.from(word("5"), "hex")] }, word("5")],
    [`0x${P}`, tooLarge(P)],
    ["0x5", invalid],
    ["", invalid],
    [5, invalid],
    [null, invalid],
    [{ type: "Buffer", data: [1] }, invalid],
    [{ type: "Buffer", data: new Array(32).fill("x") }, invalid],
    [{ type: "Buffer" }, invalid],
  ])("L2 address parameter %j is read or refused", (value, expected) =>
    expect(read(l2Address, value)).toEqual(expected),
  );
});

describe("block parameter", () => {
  const invalid = [-32701, "Invalid input (0)"];
  test.each<[unknown, unknown]>([
    ["latest", "latest"],
    [0, 0],
    [1e20, 1e20],
    ["123", word("7b")],
    ["0x1", word("1")],
    [" 1", 1],
    ["1.0", 1],
    ["abcd", [-32702, "Tried to create a Fr from an invalid string: abcd"]],
    ["1e3", [-32702, "Tried to create a Fr from an invalid string: 1e3"]],
    ["0x", [-32702, 'Invalid hex-encoded string: "0x"']],
    [-1, invalid],
    ["-1", invalid],
    [1.5, invalid],
    [Number.POSITIVE_INFINITY, invalid],
    [true, invalid],
    [null, invalid],
    [{}, invalid],
    [[1], invalid],
    ["Latest", invalid],
    ["finalized", invalid],
  ])("block parameter %j is read or refused", (value, expected) =>
    expect(read(blockParameter, value)).toEqual(expected),
  );
});

test.each<[Codec<unknown>, unknown, unknown]>([
  [integer({ least: 1 }), "2", 2],
  [integer({ least: 1 }), "0x10", 16],
  [integer(), -3, -3],
  [integer({ least: 1 }), 0, [-32701, "Number must be greater than or equal to 1 (0)"]],
  [integer({ least: 0 }), 1.5, [-32701, "Expected integer, received float (0)"]],
  [integer({ least: 0 }), "abc", [-32701, "Expected number, received nan (0)"]],
  [integer({ least: 0 }), null, [-32701, "Invalid input (0)"]],
  [integer({ most: 5 }), 6, [-32701, "Number must be less than or equal to 5 (0)"]],
  [plainNumber({ above: 0, most: 50 }), 0, [-32701, "Number must be greater than 0 (0)"]],
  [plainNumber({ above: 0, most: 50 }), 51, [-32701, "Number must be less than or equal to 50 (0)"]],
  [plainNumber(), "1", [-32701, "Expected number, received string (0)"]],
  [oneOf([0, 1]), 1, 1],
  [oneOf([0, 1]), 5, [-32701, "Invalid enum value. Expected 0 | 1, received '5' (0)"]],
  [oneOf([0, 1]), "0", [-32701, "Invalid enum value. Expected 0 | 1, received '0' (0)"]],
  [oneOf([0, 1]), null, [-32701, "Expected 0 | 1, received null (0)"]],
])("number codec %# reads or refuses %j", (codec, value, expected) => expect(read(codec, value)).toEqual(expected));

describe("objects and arrays", () => {
  const logId = object({ blockNumber: integer(), blockHash: field, txHash, txIndex: integer(), logIndex: integer() });
  const filter = object({ fromBlock: absent(integer()), tag: absent(field), afterLog: absent(logId) });

  test("every broken rule is named with its path", () => {
    expect(read(filter, { afterLog: { blockNumber: 1 } })).toEqual([
      -32701,
      "Required (0.afterLog.blockHash). Required (0.afterLog.txHash). " +
        "Invalid input (0.afterLog.txIndex). Invalid input (0.afterLog.logIndex)",
    ]);
    expect(read(filter, { fromBlock: null })).toEqual([-32701, "Invalid input (0.fromBlock)"]);
    expect(read(filter, null)).toEqual([-32701, "Expected object, received null (0)"]);
    expect(read(array(array(field)), [["0x1"], [5]])).toEqual([-32701, "Expected string, received number (0.1.0)"]);
    expect(read(array(field, 1), ["0x1", "0x2"])).toEqual([-32701, "Array must contain at most 1 element(s) (0)"]);
  });

  test("two failing conversions in one object are one answer, that of the first", () => {
    const twice = { fromBlock: 1, tag: "abcd", afterLog: { blockHash: "zz", txHash: "0x" } };
    expect(read(filter, twice)).toEqual([-32702, "Tried to create a Fr from an invalid string: abcd"]);
  });

  test("unknown keys, inherited ones among them, are not looked at", () => {
    expect(read(object({ a: absent(integer()) }), { b: 1 })).toEqual({ a: undefined });
    expect(read(object({ toString: absent(integer()) }), {})).toEqual({ toString: undefined });
  });
});

describe("parameter lists", () => {
  const codecs = [param("a", field), param("b", optional(plainNumber(), 7)), param("c", optional(plainNumber()))];
  const list = (...given: unknown[]) => {
    try {
      return readParams(codecs, given).slice(1);
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("optional ones may be left out or null, surplus ones are ignored, required ones are asked for", () => {
    expect(list("0x1")).toEqual([7, undefined]);
    expect(list("0x1", null, null)).toEqual([7, undefined]);
    expect(list("0x1", 2, 3, 4)).toEqual([2, 3]);
    expect(list()).toBe("Array must contain at least 3 element(s) ()");
    expect(list(1, "2")).toBe("Expected string, received number (0). Expected number, received string (1)");
  });

  test("issues are kept apart between lists", () => {
    const issues: Issue[] = [];
    field.read(1, [0], issues);
    expect(issues).toEqual([{ text: "Expected string, received number", path: [0] }]);
  });
});
