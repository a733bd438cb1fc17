import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from "viem";
import { describe, expect, test } from "vitest";
import { AbiWords } from "../../../src/l1/abi/abi-words.ts";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import { readProposeCall } from "../../../src/l1/checkpoints/propose-call.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";

const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const TYPES = parseAbiParameters("uint64 a, bytes32[] b, (address c, bytes d)[] e, bytes f");
const ENCODED = fromHex(
  encodeAbiParameters(TYPES, [
    7n,
    [word("1"), word("2")],
    [
      { c: `0x${"ab".repeat(20)}`, d: "0x010203" },
      { c: `0x${"cd".repeat(20)}`, d: `0x${"04".repeat(70)}` },
    ],
    "0x",
  ]),
);

describe("words in ABI encoding", () => {
  test("static values, arrays and tuples with tails are read as viem writes them", () => {
    const words = new AbiWords("values", ENCODED);
    expect(toHex(words.uintBytes(0, 8))).toBe("0x0000000000000007");
    expect(words.wordArray(1).map(toHex)).toEqual([word("1"), word("2")]);
    const tuples = words.tupleArray(2);
    expect(tuples.map((tuple) => toHex(tuple.address(0)))).toEqual([`0x${"ab".repeat(20)}`, `0x${"cd".repeat(20)}`]);
    expect(tuples.map((tuple) => toHex(tuple.bytes(1)))).toEqual(["0x010203", `0x${"04".repeat(70)}`]);
    expect(words.bytes(3)).toHaveLength(0);
  });

  test("an encoding that ends early is refused at every length", () => {
    const readAll = (words: AbiWords): void => {
      words.uintBytes(0, 8);
      words.wordArray(1);
      for (const tuple of words.tupleArray(2)) tuple.bytes(1);
      words.bytes(3);
    };
    readAll(new AbiWords("values", ENCODED));
    for (let length = 0; length < ENCODED.length; length++)
      expect(() => readAll(new AbiWords("values", ENCODED.subarray(0, length)))).toThrow(DecodeError);
  });

  test("a number, an offset or a length beyond its range is refused", () => {
    const withByte = (at: number): AbiWords => {
      const changed = Uint8Array.from(ENCODED);
      changed[at] = 1;
      return new AbiWords("values", changed);
    };
    expect(() => withByte(0).uintBytes(0, 8)).toThrow("values: word 0 must fit 8 bytes");
    expect(() => withByte(32).wordArray(1)).toThrow("values: word 1 must fit 6 bytes");
    expect(() => withByte(32 + 26).wordArray(1)).toThrow(DecodeError);
    expect(() => withByte(128).wordArray(1)).toThrow(DecodeError);
    expect(() => withByte(128 + 28).wordArray(1)).toThrow(DecodeError);
  });
});

test("a propose call with negative modifier and signatures is read as viem encodes it", () => {
  const header = {
    ...{ lastArchiveRoot: word("1"), blockHeadersHash: word("2"), blobsHash: word("3"), inHash: word("4") },
    ...{
      outHash: word("5"),
      slotNumber: 6n,
      timestamp: 7n,
      coinbase: `0x${"08".repeat(20)}` as Hex,
      feeRecipient: word("9"),
    },
    ...{ gasFees: { feePerDaGas: 10n, feePerL2Gas: 2n ** 128n - 1n }, totalManaUsed: 12n },
  } as const;
  const call = (timestamp: bigint) =>
    fromHex(
      encodeFunctionData({
        abi: rollupAbi,
        functionName: "propose",
        args: [
          { archive: word("a"), oracleInput: { feeAssetPriceModifier: -3n }, header: { ...header, timestamp } },
          { signatureIndices: "0x80", signaturesOrAddresses: `0x${"1b".repeat(65)}` },
          [`0x${"0d".repeat(20)}`],
          { v: 27, r: word("e"), s: word("f") },
          `0x02${"aa".repeat(48)}${"bb".repeat(48)}`,
        ],
      }),
    );
  const read = readProposeCall(call(7n), V4);
  expect(toHex(read.archiveRoot)).toBe(word("a"));
  expect(read.feeAssetPriceModifier).toBe(-3n);
  expect(toHex(read.header)).toBe(
    `0x${["1", "2", "3", "4", "5"].map((digit) => digit.repeat(64)).join("")}${"6".padStart(64, "0")}${"7".padStart(16, "0")}` +
      `${"08".repeat(20)}${"9".repeat(64)}${"a".padStart(32, "0")}${"f".repeat(32)}${"c".padStart(64, "0")}`,
  );
  expect(toHex(read.signatureIndices)).toBe("0x80");
  expect(read.signaturesOrAddresses).toHaveLength(65);
  expect(read.blobCommitments.map(toHex)).toEqual([`0x${"aa".repeat(48)}`, `0x${"bb".repeat(48)}`]);
  expect(() => readProposeCall(call(2n ** 64n), V4)).toThrow("propose calldata: word 8 must fit 8 bytes");
});
