import { describe, expect, test } from "vitest";
import { writeU32 } from "../../../src/protocol/bytes.ts";
import { blocksPerCheckpoint } from "../../../src/protocol/generations/gas-limits.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { PRIVATE_LAYOUT, PUBLIC_LAYOUT, TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { chonkProof as proofOf, txBytes, txData } from "../../../src/protocol/tx/tx.ts";
import { CHONK_PROOF_BYTES, STRIPPED_PROOF } from "../../world/protocol/v4-txs.ts";

const chonkProof = (bytes: Uint8Array) => proofOf(bytes, V4.transactions.proofFields);

function data(forPublic: boolean, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[0] = forPublic ? 1 : 0;
  return bytes;
}

const truncated = (at: number, width: number, length: number) =>
  `Attempted to read beyond buffer length. Start index: ${at}, Num bytes to read: ${width}, Buffer length: ${length}`;

describe("kernel output", () => {
  test("both forms of the kernel output have the reference sizes, and every offset is the start of a part", () => {
    expect([PRIVATE_LAYOUT.bytes, PUBLIC_LAYOUT.bytes]).toEqual([38_557, 82_722]);
    for (const offset of Object.values(TX_DATA_AT)) expect([...PUBLIC_LAYOUT.at]).toContain(offset);
  });

  test("bytes after the kernel output are ignored", () => {
    expect(txData(data(false, 40_000))).toHaveLength(38_557);
    expect(txData(data(true, 90_000))).toHaveLength(82_722);
  });

  test.each<[boolean, number, string]>([
    [false, 0, truncated(0, 1, 0)],
    [false, 1, truncated(1, 32, 1)],
    [false, 32, truncated(1, 32, 32)],
    [false, 36, truncated(33, 4, 36)],
    [false, 300, truncated(293, 20, 300)],
    [false, 38_556, truncated(38_525, 32, 38_556)],
    [true, 38_557, truncated(38_557, 32, 38_557)],
    [true, 82_721, truncated(82_690, 32, 82_721)],
  ])(
    "a truncated kernel output is refused with the offset (public calls: %s, %i bytes)",
    (forPublic, length, message) => {
      expect(() => txData(data(forPublic, length))).toThrow(message);
    },
  );

  test("a field of the kernel output above the modulus is refused, and an Ethereum address of the same bytes is not", () => {
    const bytes = data(false, 38_557);
    bytes.fill(255, TX_DATA_AT.anchorHeader + 292, TX_DATA_AT.anchorHeader + 312);
    expect(txData(bytes)).toHaveLength(38_557);
    bytes.fill(255, TX_DATA_AT.feePayer, TX_DATA_AT.feePayer + 32);
    expect(() => txData(bytes)).toThrow(`Value 0x${"ff".repeat(32)} is greater or equal to field modulus.`);
  });
});

describe("proof", () => {
  const proof = (count: number, bytes: number) => {
    const out = new Uint8Array(bytes);
    writeU32(out, 0, count);
    return out;
  };

  test("a proof must have 1935 fields, unless it is stripped", () => {
    expect(chonkProof(proof(1935, CHONK_PROOF_BYTES + 7))).toHaveLength(CHONK_PROOF_BYTES);
    expect(chonkProof(STRIPPED_PROOF)).toEqual(STRIPPED_PROOF);
    expect(() => chonkProof(proof(1934, CHONK_PROOF_BYTES))).toThrow("Invalid ChonkProof length: 1934");
    expect(() => chonkProof(proof(0, 4))).toThrow("Invalid ChonkProof length: 0");
  });

  test("a truncated proof is refused with the offset", () => {
    expect(() => chonkProof(new Uint8Array(3))).toThrow(truncated(0, 4, 3));
    expect(() => chonkProof(proof(1935, 100))).toThrow(truncated(100, 32, 100));
    expect(() => chonkProof(proof(2 ** 32 - 1, 4))).toThrow(truncated(4, 32, 4));
  });
});

test("the size of a tx is that of its binary form", () => {
  const tx = {
    data: data(false, 38_557),
    chonkProof: STRIPPED_PROOF,
    contractClassLogFields: [],
    publicFunctionCalldata: [],
  };
  expect(txBytes(tx)).toBe(32 + 38_557 + 61_924 + 2);
  const calldata = [{ values: new Uint8Array(64), hash: new Uint8Array(32) }];
  expect(txBytes({ ...tx, publicFunctionCalldata: calldata })).toBe(txBytes(tx) + 4 + 64 + 32);
});

describe("gas limits of the network", () => {
  const slots = { slotDuration: 72, ethereumSlotDuration: 12 };
  const mainnet = { ...slots, blockDuration: 6, maxBlocks: undefined, rollupManaLimit: 75_000_000 };

  test("a tx's gas limits are an even share of a checkpoint's plus a margin", () => {
    expect(blocksPerCheckpoint(mainnet)).toBe(10);
    expect(V4.transactions.offeredGas(mainnet)).toEqual({
      daGas: Math.ceil(((24_576 - 8) * 32 * 1.5) / 10),
      l2Gas: 6_540_000,
    });
  });

  test("a tx's gas limits never exceed those of a checkpoint, even when it has one block", () => {
    const single = { ...mainnet, blockDuration: undefined, rollupManaLimit: 5_000_000 };
    expect(blocksPerCheckpoint(single)).toBe(1);
    expect(V4.transactions.offeredGas(single)).toEqual({ daGas: (24_576 - 8) * 32, l2Gas: 5_000_000 });
  });

  test.each([
    { maxBlocks: undefined, blockDuration: 3, blocks: 21 },
    { maxBlocks: undefined, blockDuration: 1, blocks: 24 },
    { maxBlocks: 10, blockDuration: 3, blocks: 10 },
    { maxBlocks: 4, blockDuration: 6, blocks: 4 },
    { maxBlocks: 24, blockDuration: 6, blocks: 10 },
  ])("of v5, with $maxBlocks as the most blocks of $blockDuration s, a checkpoint counts as $blocks blocks", (row) => {
    const geometry = { ...mainnet, maxBlocks: row.maxBlocks, blockDuration: row.blockDuration };
    const limits = {
      daGas: Math.min(8475 * 32, Math.ceil(((24_576 - 8 - 6 * (row.blocks - 1)) * 32 * 1.5) / row.blocks)),
      l2Gas: Math.min(6_540_000, Math.ceil((75_000_000 / row.blocks) * 1.2)),
    };
    expect(V5.transactions.offeredGas(geometry)).toEqual(limits);
    expect(V5.transactions.admittedGas(geometry, {})).toEqual(limits);
    // A rollup of v4 knows no such setting.
    expect(V4.transactions.offeredGas(geometry)).toEqual(
      V4.transactions.offeredGas({ ...geometry, maxBlocks: undefined }),
    );
  });
});
