import { beforeAll, describe, expect, test } from "vitest";
import { checkCheckpoint } from "../../src/checkpoints/checkpoint-rules.ts";
import type { CheckpointLimits, CompletedCheckpoint, ProposedBlock } from "../../src/checkpoints/checkpoint-terms.ts";
import { CheckpointRuleError } from "../../src/checkpoints/errors.ts";
import { HEADER_AT } from "../../src/protocol/block-header.ts";
import { writeU32 } from "../../src/protocol/bytes.ts";
import { fundedBuilder, tx } from "../world/checkpoints/funded-builder.ts";

/** Two blocks, with two txs and one. */
let good: CompletedCheckpoint;

beforeAll(async () => {
  const { builder } = await fundedBuilder();
  await builder.buildBlock([tx(0x100), tx(0x110)], {});
  await builder.buildBlock([tx(0x120)], {});
  good = await builder.complete();
});

/** The good checkpoint with its second block changed. */
const second = (change: (block: ProposedBlock) => void): CompletedCheckpoint => {
  const [first, block] = good.blocks;
  const record = { ...block.record, header: block.record.header.slice() };
  const changed = { ...block, record };
  change(changed);
  return { ...good, blocks: [first, changed] };
};

const withRecord = (members: Partial<ProposedBlock["record"]>) =>
  second(({ record }) => Object.assign(record, members));
const withBody = (words: number) => second((block) => Object.assign(block, { body: new Uint8Array(words * 32) }));
const withNumber = (at: number, value: number) => second(({ record }) => writeU32(record.header, at, value));
const withFlip = (at: number) => second(({ record }) => record.header.set([record.header[at] ^ 1], at));

/**
 * For each rule of docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint: its name, a checkpoint and
 * limits that break it, and the error message.
 */
const broken: [string, () => CompletedCheckpoint, CheckpointLimits, string][] = [
  ["blocks", () => ({ ...good, blocks: [] }), {}, "Checkpoint has no blocks"],
  [
    "block count",
    () => ({ ...good, blocks: Array.from({ length: 73 }, () => good.blocks[0]) }),
    {},
    "Checkpoint has 73 blocks, exceeding limit of 72",
  ],
  [
    "archive before",
    () => ({ ...good, header: good.header.slice().fill(1, 0, 32) }),
    {},
    "Checkpoint lastArchiveRoot does not match first block's lastArchive root",
  ],
  [
    "indexes",
    () => withRecord({ indexWithinCheckpoint: 2 }),
    {},
    "Block at index 1 has indexWithinCheckpoint 2, expected 1",
  ],
  [
    "slots",
    () => withNumber(HEADER_AT.slotNumber, 10),
    {},
    "Block 2 has slot 10, expected 9 (all blocks must share the same slot)",
  ],
  ...(["timestamp", "coinbase", "feeRecipient", "feePerDaGas", "feePerL2Gas"] as const).map(
    (name): (typeof broken)[number] => [
      name,
      () => withFlip(HEADER_AT[name]),
      {},
      "Block 2 global variables (slot, timestamp, coinbase, feeRecipient, gasFees) do not match checkpoint header",
    ],
  ),
  [
    "numbers",
    () => withNumber(HEADER_AT.blockNumber, 3),
    {},
    "Block numbers are not sequential: block at index 0 has number 1, block at index 1 has number 3",
  ],
  [
    "archives",
    () => withFlip(HEADER_AT.lastArchive),
    {},
    "Block 2 lastArchive root does not match archive root of block 1",
  ],
  ["mana", () => good, { rollupManaLimit: 2999 }, "Checkpoint mana cost 3000 exceeds rollup limit of 2999"],
  ["DA gas", () => withBody(24_565), {}, "Checkpoint DA gas cost 786464 exceeds limit of 786432"],
  ["blob fields", () => withBody(24_576 - 14 - 12 + 1), {}, "Checkpoint blob field count 24577 exceeds limit of 24576"],
  ["tx count", () => good, { maxTxsPerCheckpoint: 2 }, "Checkpoint tx count 3 exceeds limit of 2"],
  [
    "L2 gas of a block",
    () => good,
    { maxL2BlockGas: 1999 },
    "Block 1 in checkpoint has L2 gas used 2000 exceeding limit of 1999",
  ],
  [
    "DA gas of a block",
    () => good,
    { maxDaBlockGas: 383 },
    "Block 1 in checkpoint has DA gas used 384 exceeding limit of 383",
  ],
  ["txs of a block", () => good, { maxTxsPerBlock: 1 }, "Block 1 in checkpoint has 2 txs exceeding limit of 1"],
];

describe("a checkpoint that breaks a rule", () => {
  for (const [name, checkpoint, limits, text] of broken) {
    test(`a checkpoint that breaks a rule is refused with the rule's message: ${name}`, () => {
      const check = () => checkCheckpoint(checkpoint(), limits);
      expect(check).toThrow(CheckpointRuleError);
      expect(check).toThrow(expect.objectContaining({ message: text, checkpointNumber: 1, slot: 9 }));
    });
  }

  test("a checkpoint whose values equal each limit breaks no rule", () => {
    const limits = {
      rollupManaLimit: 3000,
      maxTxsPerCheckpoint: 3,
      maxL2BlockGas: 2000,
      maxDaBlockGas: 384,
      maxTxsPerBlock: 2,
    };
    expect(() => checkCheckpoint(good, limits)).not.toThrow();
  });
});
