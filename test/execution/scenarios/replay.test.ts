import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { processTxs } from "../../../src/execution/process-txs.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { HEADER_AT, headerSnapshot } from "../../../src/protocol/block-header.ts";
import { readBigUint, toHex } from "../../../src/protocol/bytes.ts";
import { ARCHIVE, TREE_IDS, TREE_NAMES } from "../../../src/protocol/constants.ts";
import { isForPublic } from "../../../src/protocol/tx/accumulated-data.ts";
import { type RecordedBlock, RecordedChain } from "../../world/execution/recorded-chain.ts";
import { CHAIN_A, V5_CHAIN } from "../../world/l1/recorded-networks.ts";

const RECORDED = [
  {
    network: CHAIN_A,
    // The network created the first four itself when it started.
    first: 5,
    counts: { blocks: 55, txs: 64, public: 52, reverted: 3 },
  },
  {
    network: V5_CHAIN,
    first: 5,
    counts: { blocks: 129, txs: 137, public: 132, reverted: 13 },
  },
];

/** Blocks of recorded chains, re-executed from the transactions that clients sent, each on the state before it. */
describe.each(RECORDED)("the re-executed recorded chain of $network.generation.name", (recorded) => {
  const { generation } = recorded.network;
  const core = loadCore();
  const vm = new Vm(generation);
  const siloing = new Siloing(core, generation);
  let chain: RecordedChain;
  let blocks: RecordedBlock[];

  beforeAll(async () => {
    chain = await RecordedChain.open(core, recorded.network);
    blocks = chain.blocks();
  });
  afterAll(() => chain?.remove());

  test("the re-executed recorded chain has every transaction that a client sent", () => {
    const txs = blocks.flatMap(({ effects }) => effects);
    const { chain: stored } = chain.services;
    const numbers = Array.from({ length: stored.latestBlockNumber() }, (_, i) => i + 1);
    const withTxs = numbers.filter((number) => stored.txEffects(number).length > 0);
    expect(withTxs.filter((number) => number >= recorded.first)).toEqual(blocks.map(({ number }) => number));
    expect({
      blocks: blocks.length,
      txs: txs.length,
      public: blocks.flatMap((block) => block.txs).filter(({ tx }) => isForPublic(tx.data)).length,
      reverted: txs.filter(({ revertCode }) => revertCode !== 0).length,
    }).toEqual(recorded.counts);
  });

  test("re-executing the recorded chain gives the recorded effects, fees, mana and roots", async () => {
    for (const block of blocks) {
      const { number, header, txs, effects } = block;
      const state = chain.stateBefore(block, siloing);
      const { processed, totalGas: _, ...rest } = await processTxs(vm, state, txs, { mode: "reexecute" });
      expect({ ...rest, blobFields: 0 }, `block ${number}`).toEqual({
        unprocessable: [],
        failed: [],
        skipped: [],
        blobFields: 0,
      });
      expect(
        processed.map(({ effect }) => toHex(effect.words)),
        `block ${number}`,
      ).toEqual(effects.map(({ words }) => toHex(words)));
      const fees = processed.reduce((sum, { effect }) => sum + readBigUint(effect.transactionFee), 0n);
      const mana = processed.reduce((sum, { gasUsed }) => sum + gasUsed.billedGas.l2Gas, 0);
      expect(fees).toBe(readBigUint(header, HEADER_AT.totalFees, 32));
      expect(BigInt(mana)).toBe(readBigUint(header, HEADER_AT.totalManaUsed, 32));
      for (const tree of TREE_IDS) {
        const { root, size } = state.fork.snapshot(tree);
        const stated = headerSnapshot(header, tree);
        expect([TREE_NAMES[tree], toHex(root), size]).toEqual([TREE_NAMES[tree], toHex(stated.root), stated.size]);
      }
      state.fork.append(ARCHIVE, [block.hash]);
      expect(toHex(state.fork.snapshot(ARCHIVE).root)).toBe(toHex(block.archiveRoot));
    }
  });
});
