import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { rebuildCheckpoint } from "../../src/archiver/rebuild-checkpoint.ts";
import { blockDaGas, blockMana } from "../../src/checkpoints/block-costs.ts";
import type { BlockLimits, ProposedBlock } from "../../src/checkpoints/checkpoint-terms.ts";
import { CheckpointBuildError, EmptyBlockError } from "../../src/checkpoints/errors.ts";
import { siloNullifier } from "../../src/core/derive/nullifier.ts";
import { headerBlockNumber } from "../../src/protocol/block-header.ts";
import { concat, toHex } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import { BYTES_PER_BLOB, NULLIFIER_TREE } from "../../src/protocol/constants.ts";
import { INSTANCE_REGISTRY } from "../../src/protocol/contracts/contract-events.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { fundedBuilder, statesOf, TERMS, tx } from "../world/checkpoints/funded-builder.ts";
import { core, sourceOf } from "../world/execution/avm-vectors.ts";

const headers = (blocks: readonly ProposedBlock[]) => blocks.map(({ record }) => toHex(record.header));

describe("a built checkpoint", () => {
  test("a checkpoint builder inserts the messages once, before the first block", async () => {
    const { builder, fork } = await fundedBuilder({ messages: [fr(1), fr(2)] });
    expect(fork.size(3)).toBe(1024);
    await builder.buildBlock([tx(0x4242)], {});
    await builder.buildBlock([tx(0x4243)], {});
    expect([fork.size(3), fork.size(4)]).toEqual([1024, 3]);
    expect(toHex(fork.leafAt(3, 1))).toBe(toHex(fr(2)));
  });

  test("a built checkpoint is rebuilt identically from its blobs, also from several of them", async () => {
    const { builder } = await fundedBuilder({ previousOutHashes: [fr(8)], messages: [fr(1)] });
    const log = new Uint8Array(16 * 32).fill(1);
    const privateLogs = Array.from({ length: 64 }, () => log);
    for (let block = 0; block < 2; block++) {
      const txs = [1, 2, 3].map((i) =>
        tx(0x1000 + block * 10 + i, {
          nonRevertible: {
            nullifiers: [fr(0x1000 + block * 10 + i)],
            privateLogs,
            l2ToL1Msgs: [{ contractAddress: fr(4), content: fr(i), recipient: new Uint8Array(20).fill(i) }],
          },
        }),
      );
      expect((await builder.buildBlock(txs, {})).block?.txs).toHaveLength(3);
    }
    const built = await builder.complete();
    expect(built.blobs.map(({ length }) => length)).toEqual([BYTES_PER_BLOB, BYTES_PER_BLOB]);
    const rebuilt = rebuildCheckpoint(
      { ...built, blobs: concat(...built.blobs), l1ChainId: 31337, rollupVersion: 77, rollupManaLimit: 200_000_000 },
      core,
      V4,
    );
    expect(rebuilt.blocks.map(({ record }) => record)).toEqual(built.blocks.map(({ record }) => record));
    expect(toHex(rebuilt.outHash)).toBe(toHex(built.outHash));
    expect(toHex(built.outHash)).not.toBe(toHex(fr(0)));
  });

  test("a built checkpoint in an epoch without messages has the known out hash", async () => {
    const { builder } = await fundedBuilder();
    await builder.buildBlock([], { minValidTxs: 0 });
    const { header } = await builder.complete();
    const outHash = header.subarray(CHECKPOINT_AT.epochOutHash, CHECKPOINT_AT.epochOutHash + 32);
    expect(BigInt(toHex(outHash))).toBe(355785372471781095838790036702437931769306153278986832745847530947941691539n);
  });

  test("a checkpoint cannot be completed without blocks, nor begun on another checkpoint than the preceding one", async () => {
    const { builder } = await fundedBuilder();
    await expect(builder.complete()).rejects.toThrow("Cannot complete a checkpoint with no blocks");
    await expect(fundedBuilder({ terms: { checkpointNumber: 2 } })).rejects.toThrow(CheckpointBuildError);
    const messages = Array.from({ length: 1025 }, (_, i) => fr(i + 1));
    await expect(fundedBuilder({ messages })).rejects.toThrow(/got 1025 to a tree of 0$/);
  });
});

describe("a built block", () => {
  test("a block with too few valid txs is not built and leaves the state unchanged", async () => {
    const { builder, fork } = await fundedBuilder();
    const before = statesOf(fork);
    const few = await builder.buildBlock([tx(0x100), tx(0x100), tx(0x110)], { minValidTxs: 3 });
    expect([few.block, few.processed.length, few.unprocessable.length]).toEqual([undefined, 2, 1]);
    expect([statesOf(fork), builder.blocks]).toEqual([before, []]);
    const { block } = await builder.buildBlock([tx(0x100), tx(0x110)], { minValidTxs: 2 });
    const { builder: other } = await fundedBuilder();
    await other.buildBlock([tx(0x100), tx(0x110)], {});
    expect(headers([block!])).toEqual(headers(other.blocks));
  });

  test("only the first block of a checkpoint may be empty, and only on request", async () => {
    const { builder } = await fundedBuilder();
    expect((await builder.buildBlock([], {})).block).toBeUndefined();
    expect((await builder.buildBlock([], { minValidTxs: 0 })).block?.record.txCount).toBe(0);
    const second = builder.buildBlock([], { minValidTxs: 0 });
    await expect(second).rejects.toThrow(EmptyBlockError);
    await expect(second).rejects.toThrow("Cannot add empty block that is not the first block in the checkpoint.");
    expect((await builder.buildBlock([tx(0x100)], {})).block?.record.number).toBe(2);
  });

  test("a built block is the same as without the txs that no block can include", async () => {
    const { builder } = await fundedBuilder();
    const outcome = await builder.buildBlock(
      [
        tx(7),
        tx(0x100),
        tx(0x100),
        tx(0x110, { feePayer: fr(0xabc) }),
        tx(0x120),
        tx(0x130, { maxFees: { da: 0n, l2: 4n } }),
      ],
      {},
    );
    expect(outcome.processed.map(({ index }) => index)).toEqual([1, 4]);
    expect(outcome.unprocessable.map(({ index }) => index)).toEqual([0, 2, 3, 5]);
    const { builder: other } = await fundedBuilder();
    await other.buildBlock([tx(0x100), tx(0x120)], {});
    expect(headers(builder.blocks)).toEqual(headers(other.blocks));
  });

  test("a built block contains the txs before the one that the deadline aborts", async () => {
    const forever = sourceOf([{ address: "0x1001", classId: "0xc1", bytecode: "2300000000" }]);
    // The time stands still until the endless contract is loaded; then the deadline is over.
    let time = 1_700_000_000_000;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => time);
    onTestFinished(() => clock.mockRestore());
    const loadedLate = {
      ...forever,
      contractClass: (id: Uint8Array) => {
        time += 1_000;
        return forever.contractClass(id);
      },
    };
    const prepare: Parameters<typeof fundedBuilder>[0] = {
      contracts: loadedLate,
      prepare: (fork) =>
        fork.insertSequentially(NULLIFIER_TREE, [{ key: siloNullifier(core, INSTANCE_REGISTRY, fr(0x1001)) }]),
      terms: { limits: {} },
    };
    const endless = tx(0x110, {
      app: [{ address: fr(0x1001), sender: fr(1), calldata: new Uint8Array(0) }],
      gasUsed: { daGas: 96, l2Gas: 540_000 },
      gasLimits: { daGas: 500, l2Gas: 2 ** 32 - 1 },
    });
    const soon = () => ({ deadline: Date.now() + 500 });
    const { builder: first, fork } = await fundedBuilder(prepare);
    const before = statesOf(fork);
    const none = await first.buildBlock([endless, tx(0x120)], soon());
    expect([none.block, none.stopped]).toEqual([undefined, { at: 0, why: "deadline" }]);
    expect(statesOf(fork)).toEqual(before);
    await first.buildBlock([tx(0x100)], {});
    const { builder: second } = await fundedBuilder(prepare);
    const some = await second.buildBlock([tx(0x100), endless, tx(0x120)], soon());
    expect([some.processed.length, some.failed, some.stopped]).toEqual([1, [], { at: 1, why: "deadline" }]);
    const { builder: other } = await fundedBuilder(prepare);
    await other.buildBlock([tx(0x100)], {});
    expect(headers(first.blocks)).toEqual(headers(other.blocks));
    expect(headers(second.blocks)).toEqual(headers(other.blocks));
  });

  test("building a block yields to the event loop between its txs", async () => {
    const { builder } = await fundedBuilder();
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const seen: number[] = [];
    const validate: BlockLimits["validate"] = async () => {
      seen.push(turns);
      const until = performance.now() + 2;
      while (performance.now() < until);
      return { result: "valid" };
    };
    await builder.buildBlock(
      Array.from({ length: 8 }, (_, i) => tx(0x100 + i)),
      { validate },
    );
    clearInterval(count);
    expect(new Set(seen).size).toBe(8);
  });

  test("a block cannot begin while another is being built or after the builder is closed", async () => {
    const { builder } = await fundedBuilder();
    const first = builder.buildBlock([tx(0x100)], {});
    await expect(builder.buildBlock([tx(0x110)], {})).rejects.toThrow("a block of the checkpoint is being built");
    expect((await first).block?.record.txCount).toBe(1);
    builder.close();
    await expect(builder.buildBlock([tx(0x110)], {})).rejects.toThrow("building of checkpoint 1 is closed");
    expect((await builder.complete()).blocks).toHaveLength(1);
  });

  test("closing the builder or losing the state under it aborts a block, while earlier blocks can be completed", async () => {
    for (const end of ["close", "invalidate"] as const) {
      const { builder, fork } = await fundedBuilder();
      await builder.buildBlock([tx(0x100)], {});
      const validate: BlockLimits["validate"] = (_, hash) => {
        if (hash[31] === 0x20) end === "close" ? builder.close() : fork.invalidate();
        return { result: "valid" };
      };
      await expect(builder.buildBlock([tx(0x110), tx(0x120), tx(0x130)], { validate })).rejects.toThrow(
        end === "close"
          ? "building of checkpoint 1 is closed"
          : "building block 1 of checkpoint 1 failed: Fork not found",
      );
      await expect(builder.buildBlock([tx(0x110)], {})).rejects.toThrow(CheckpointBuildError);
      expect((await builder.complete()).blocks.map(({ record }) => headerBlockNumber(record.header))).toEqual([1]);
    }
  });
});

describe("random attempts to build blocks", () => {
  const amount = fc.record({ used: fc.integer({ min: 1, max: 900 }), teardown: fc.nat(400), logs: fc.nat(3) });
  const attempt = fc.record({
    txs: fc.array(amount, { maxLength: 5 }),
    minValidTxs: fc.integer({ min: 1, max: 3 }),
    maxTxs: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  });
  const limits = fc.record({
    rollupManaLimit: fc.integer({ min: 500, max: 3000 }),
    maxTxsPerCheckpoint: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    maxL2BlockGas: fc.option(fc.integer({ min: 500, max: 3000 }), { nil: undefined }),
    maxDaBlockGas: fc.option(fc.integer({ min: 200, max: 2000 }), { nil: undefined }),
    maxTxsPerBlock: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  });

  test("random attempts to build blocks exceed no limit, and attempts without a block have no effect", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { maxLength: 4 }), limits, async (attempts, limits) => {
        let nullifier = 0x1000;
        // Some txs use more gas than their limits, which is possible only on a network without proofs.
        const planned = attempts.map(({ txs, ...rest }) => ({
          ...rest,
          txs: txs.map(({ used, teardown, logs }) =>
            tx(++nullifier, {
              gasUsed: { daGas: 0, l2Gas: used + teardown },
              gasLimits: { daGas: 10_000, l2Gas: used + 100 },
              nonRevertible: {
                nullifiers: [fr(nullifier)],
                privateLogs: Array.from({ length: logs }, () => new Uint8Array(320).fill(1)),
              },
            }),
          ),
        }));
        const { builder } = await fundedBuilder({ terms: { limits } });
        const successful = [];
        for (const { txs, ...own } of planned) {
          const { block, processed } = await builder.buildBlock(txs, own);
          if (block !== undefined) successful.push(processed.map(({ index }) => txs[index]));
        }
        const { blocks } = builder;
        const within = (limit: number | undefined, value: number) => expect(value).toBeLessThanOrEqual(limit ?? value);
        for (const block of blocks) {
          within(limits.maxL2BlockGas, blockMana(block));
          within(limits.maxDaBlockGas, blockDaGas(block));
          within(limits.maxTxsPerBlock, block.txs.length);
        }
        within(
          limits.rollupManaLimit,
          blocks.reduce((sum, block) => sum + blockMana(block), 0),
        );
        within(
          limits.maxTxsPerCheckpoint,
          blocks.reduce((sum, { txs }) => sum + txs.length, 0),
        );
        if (blocks.length > 0) expect((await builder.complete()).blocks).toEqual(blocks);

        const { builder: other } = await fundedBuilder();
        for (const txs of successful) await other.buildBlock(txs, {});
        expect(headers(other.blocks)).toEqual(headers(blocks));
      }),
      { numRuns: 40 },
    );
  });
});

test("a checkpoint builder takes the global variables of its terms", async () => {
  const { builder } = await fundedBuilder();
  const { block } = await builder.buildBlock([tx(0x100)], {});
  const { header } = block!.record;
  expect(toHex(header.subarray(212, 376))).toBe(
    toHex(
      concat(
        fr(TERMS.chainId),
        fr(TERMS.version),
        fr(1).subarray(28),
        fr(TERMS.slot).subarray(28),
        fr(TERMS.timestamp).subarray(24),
        TERMS.coinbase,
        TERMS.feeRecipient,
        fr(0).subarray(16),
        fr(5).subarray(16),
      ),
    ),
  );
});
