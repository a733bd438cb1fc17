import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { blockHash } from "../../../../src/core/derive/block-hash.ts";
import { blockHeadersHash } from "../../../../src/core/derive/block-headers-hash.ts";
import { loadCore } from "../../../../src/core/load-core.ts";
import { bigUintBytes, concat, fromHex, isZero, toHex } from "../../../../src/protocol/bytes.ts";
import { checkpointHash, checkpointSlot } from "../../../../src/protocol/checkpoint-header.ts";
import { readTxEffectBytes, txEffectToBytes } from "../../../../src/protocol/consensus/l2-block.ts";
import { WireReader } from "../../../../src/protocol/consensus/wire-reader.ts";
import { ARCHIVE, TREE_HEIGHTS } from "../../../../src/protocol/constants.ts";
import { fr } from "../../../../src/protocol/field.ts";
import { V5 } from "../../../../src/protocol/generations/v5/v5.ts";
import { blobsHash } from "../../../../src/protocol/sha-trees.ts";
import { readVectors } from "./vectors.ts";

const core = loadCore();
const { hashing, headers, genesis } = V5;
const headersHash = (hashes: Uint8Array[]) => blockHeadersHash(core, hashes, hashing.blockHeaderNodes);

interface BlockVector {
  number: number;
  headerBytes: string;
  hash: string;
  archive: string;
  inArchive: string;
}

interface HeaderText {
  lastArchiveRoot: string;
  blockHeadersHash: string;
  blobsHash: string;
  inHash: string;
  epochOutHash: string;
  slotNumber: number;
  timestamp: string;
  coinbase: string;
  feeRecipient: string;
  gasFees: { feePerDaGas: string; feePerL2Gas: string };
  totalManaUsed: string;
  accumulatedFees: string;
}

function headerBytes(header: HeaderText): Uint8Array {
  const uint = (value: string | number, width: number) => bigUintBytes(BigInt(value), width);
  return concat(
    ...[header.lastArchiveRoot, header.blockHeadersHash, header.blobsHash, header.inHash, header.epochOutHash].map(
      fromHex,
    ),
    uint(header.slotNumber, 32),
    uint(header.timestamp, 8),
    fromHex(header.coinbase),
    fromHex(header.feeRecipient),
    uint(header.gasFees.feePerDaGas, 16),
    uint(header.gasFees.feePerL2Gas, 16),
    fromHex(header.totalManaUsed),
    fromHex(header.accumulatedFees),
  );
}

const blocks = readVectors<BlockVector[]>("blocks");

describe("block headers of v5", () => {
  test("every recorded header has its hash", () => {
    expect(blocks).toHaveLength(161);
    for (const block of blocks)
      expect(toHex(blockHash(core, fromHex(block.headerBytes))), `${block.number}`).toBe(block.hash);
  });

  test("the hash of several block headers is a tree with a separator of its own", () => {
    expect(toHex(headersHash([fr(1), fr(2), fr(3)]))).toBe(
      "0x0bc34e464ac1a1e01385387f18c33c32ac5818eca148dd6378268d206e6c7e14",
    );
    expect(headersHash([fr(7)])).toEqual(fr(7));
    expect(isZero(headersHash([]))).toBe(true);
  });

  test("the archive after each recorded block has the tree of all block hashes before", () => {
    const node = (left: Uint8Array, right: Uint8Array) =>
      core.hashWithSeparator(hashing.treeNodes[ARCHIVE]!, concat(left, right));
    // Filled subtrees left of the next leaf, by height.
    const frontier: Uint8Array[] = [];
    const empty: Uint8Array[] = [new Uint8Array(32)];
    for (let level = 0; level < TREE_HEIGHTS[ARCHIVE]; level++) empty.push(node(empty[level], empty[level]));
    const append = (leaf: Uint8Array, index: number): string => {
      let hash = leaf;
      for (let level = 0; level < TREE_HEIGHTS[ARCHIVE]; level++) {
        if (((index >> level) & 1) === 0) {
          frontier[level] = hash;
          hash = node(hash, empty[level]);
        } else {
          hash = node(frontier[level], hash);
        }
      }
      return toHex(hash);
    };
    const genesis = fromHex("0x131556e4f55c73279d525c6e412be86202519f3a1a3614bbcb48066bcc8a9ad5");
    expect(append(genesis, 0)).toBe(blocks[0].inArchive);
    for (const { number, hash, archive } of blocks) expect(append(fromHex(hash), number), `${number}`).toBe(archive);
  });
});

describe("checkpoint headers of v5", () => {
  const checkpoints =
    readVectors<{ number: number; headerJson: HeaderText; headerBytes: string; headerHash: string }[]>("checkpoints");

  test("every recorded header has its bytes and hash", () => {
    expect(checkpoints).toHaveLength(161);
    for (const { number, headerJson, headerBytes: text, headerHash } of checkpoints) {
      const header = headerBytes(headerJson);
      expect(header).toHaveLength(headers.checkpointBytes);
      expect(toHex(header), `${number}`).toBe(text);
      expect(toHex(checkpointHash(header)), `${number}`).toBe(headerHash);
      expect(checkpointSlot(header)).toBe(headerJson.slotNumber);
      expect(toHex(header.subarray(headers.accumulatedFeesAt))).toBe(headerJson.accumulatedFees);
    }
  });

  test("the headers of the contracts' own tests have the hashes that the contracts compute", () => {
    interface Checkpoint {
      header: Omit<HeaderText, "epochOutHash" | "totalManaUsed" | "accumulatedFees"> &
        Record<"outHash", string> &
        Record<"totalManaUsed" | "accumulatedFees", number>;
      headerHash: string;
      blobCommitments: string;
    }
    const file = new URL("../../../fixtures/v5/l1-tests/checkpoints.json", import.meta.url);
    const cases: Record<string, Checkpoint> = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.keys(cases)).toHaveLength(6);
    for (const [name, { header, headerHash, blobCommitments }] of Object.entries(cases)) {
      const { outHash: epochOutHash, totalManaUsed: mana, accumulatedFees: fees, ...same } = header;
      const texts = { ...same, epochOutHash, totalManaUsed: toHex(fr(mana)), accumulatedFees: toHex(fr(fees)) };
      expect(toHex(checkpointHash(headerBytes(texts))), name).toBe(headerHash);
      const bytes = fromHex(blobCommitments);
      const commitments = Array.from({ length: bytes[0] }, (_, i) => bytes.subarray(1 + i * 48, 49 + i * 48));
      const versioned = commitments.map((commitment) => {
        const hash = Uint8Array.from(createHash("sha256").update(commitment).digest());
        hash[0] = 1;
        return hash;
      });
      expect(toHex(blobsHash(versioned)), name).toBe(header.blobsHash);
    }
  });

  test("the hash of the all-zero header is that of checkpoint 0", () => {
    expect(toHex(checkpointHash(new Uint8Array(headers.checkpointBytes)))).toBe(genesis.checkpointHash);
  });

  test("accumulated fees come last", () => {
    const small = (value: number) => toHex(fr(value));
    const header = headerBytes({
      lastArchiveRoot: small(1),
      blockHeadersHash: small(2),
      blobsHash: small(3),
      inHash: small(4),
      epochOutHash: small(5),
      slotNumber: 6,
      timestamp: "7",
      coinbase: toHex(bigUintBytes(8n, 20)),
      feeRecipient: small(9),
      gasFees: { feePerDaGas: "10", feePerL2Gas: "11" },
      totalManaUsed: small(12),
      accumulatedFees: small(13),
    });
    expect(toHex(checkpointHash(header))).toBe("0x00eee7759cca93851a9dfbcaf894bcd46a410c6086a7cf2a966aadfaf9de6b70");
  });
});

describe("effects of v5's transactions", () => {
  const effects =
    readVectors<{ block: number; txHash: string; effectBytes: string; blobFields: string[] }[]>("tx-blob-fields");

  test.each(effects)("of block $block as bytes and as words of blobs", ({ txHash, effectBytes, blobFields }) => {
    const effect = readTxEffectBytes(new WireReader(fromHex(effectBytes), "tx effect"));
    expect(toHex(effect.txHash)).toBe(txHash);
    expect(toHex(effect.words)).toBe(toHex(concat(...blobFields.map(fromHex))));
    expect(toHex(txEffectToBytes(effect))).toBe(effectBytes);
  });
});
