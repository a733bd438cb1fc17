import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { HEADER_AT, headerSnapshot } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT, TREE_IDS } from "../../../src/protocol/constants.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { isForPublic } from "../../../src/protocol/tx/accumulated-data.ts";
import { GlobalVariables } from "../../../src/prover/circuits/layouts/values.ts";
import { VmPublicInputs } from "../../../src/prover/circuits/layouts/vm-public-inputs.ts";
import { decode, encode } from "../../../src/prover/codec/codec.ts";
import { jobIdOf } from "../../../src/prover/jobs/job-id.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { decodeVmInput } from "../../../src/prover/jobs/vm-input.ts";
import { ProvingRefusedError } from "../../../src/prover/node/errors.ts";
import { type CheckpointToExecute, reexecuteCheckpoint } from "../../../src/prover/node/reexecution.ts";
import { ReexecutionPool } from "../../../src/prover/node/reexecution-pool.ts";
import { executeForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import { type FollowedEpochs, followedEpochs } from "../support/followed-epochs.ts";

/** Id of the PUBLIC_VM job by transaction: recorded for epochs 23 and 25. */
const IDS = JSON.parse(
  readFileSync(new URL("../../fixtures/prover/public-vm-ids.json", import.meta.url), "utf8"),
) as Record<string, string>;
const PROVER_ID = fromHex("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");

let epochs: FollowedEpochs;
beforeAll(async () => {
  epochs = await followedEpochs(loadCore());
});
afterAll(() => epochs?.close());

test("executing three epochs for proving gives the recorded effects, trees and ids of PUBLIC_VM jobs", () => {
  const { core, chain, world, content, txs } = epochs;
  const [vm, siloing] = [new Vm(V4), new Siloing(core, V4)];
  const ids: Record<string, string> = {};
  for (const epoch of [23, 24, 25]) {
    for (const { number, startBlock, blockCount } of chain.checkpointsOfEpoch(epoch)) {
      const messages = messagesOfCheckpoint(chain.messages, number);
      for (let block = startBlock; block < startBlock + blockCount; block++) {
        const { header } = chain.block(block)!;
        const fork = world.fork(block - 1);
        if (block === startBlock) fork.append(L1_TO_L2_MESSAGE_TREE, messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
        const state = new BlockState({ core, fork, globals: globalsOfHeader(header), contracts: content, siloing });
        const globals = decode(GlobalVariables, "globals", header.subarray(HEADER_AT.chainId, HEADER_AT.totalFees));
        for (const { txHash, words } of chain.txEffects(block)) {
          const tx = txs.get(toHex(txHash))!;
          const terms = { globals, proverId: PROVER_ID, generation: V4 };
          const { executed, publicPart } = executeForProving(vm, state, tx, terms);
          expect(toHex(executed.effect.words)).toBe(toHex(words));
          expect(publicPart !== undefined).toBe(isForPublic(tx.tx.data));
          if (publicPart === undefined || epoch === 24) continue;
          ids[toHex(tx.hash)] = jobIdOf(epoch, JOB_TYPES.PUBLIC_VM, publicPart.vmInput);
        }
        for (const tree of TREE_IDS) {
          const [found, stated] = [fork.snapshot(tree), headerSnapshot(header, tree)];
          expect([tree, toHex(found.root), found.size]).toEqual([tree, toHex(stated.root), stated.size]);
        }
      }
    }
  }
  expect(ids).toEqual(IDS);
});

/** A checkpoint of the recorded epochs with public calls, as it is executed again. */
function publicCheckpoint(): { task: CheckpointToExecute; words: string[]; calls: boolean[] } {
  const { chain, txs } = epochs;
  const checkpoint = [23, 24, 25]
    .flatMap((epoch) => chain.checkpointsOfEpoch(epoch))
    .find(({ startBlock }) => chain.txEffects(startBlock).some((effect) => isForPublic(txOf(effect).tx.data)))!;
  const { number, startBlock, blockCount } = checkpoint;
  const effects = Array.from({ length: blockCount }, (_, i) => chain.txEffects(startBlock + i));
  const task = {
    parentBlock: startBlock - 1,
    messages: messagesOfCheckpoint(chain.messages, number),
    blocks: effects.map((each, i) => ({ header: chain.block(startBlock + i)!.header, txs: each.map(txOf) })),
  };
  const all = effects.flat();
  return {
    task,
    words: all.map(({ words }) => toHex(words)),
    calls: all.map((effect) => isForPublic(txOf(effect).tx.data)),
  };

  function txOf({ txHash }: { txHash: Uint8Array }) {
    return txs.get(toHex(txHash))!;
  }
}

test("a contract class that is published after the block before a checkpoint is not seen by its transactions", () => {
  const { core, world, content } = epochs;
  const { task, words } = publicCheckpoint();
  const execute = (publishedAt: number) => {
    const contracts: ContractSource = {
      contractClass: (id) => {
        const found = content.contractClass(id);
        return found && { ...found, blockNumber: publishedAt };
      },
      contractInstance: (address, timestamp) => content.contractInstance(address, timestamp),
    };
    const services = {
      core,
      generation: V4,
      world,
      contracts,
      siloing: new Siloing(core, V4),
      vm: new Vm(V4),
      proverId: PROVER_ID,
    };
    return reexecuteCheckpoint(services, task)
      .flat()
      .map(({ executed }) => toHex(executed.effect.words));
  };
  expect(execute(task.parentBlock)).toEqual(words);
  const seen = (() => {
    try {
      return execute(task.parentBlock + 1);
    } catch (error) {
      return error;
    }
  })();
  expect(seen).not.toEqual(words);
});

describe("threads that execute checkpoints again", () => {
  let pool: ReexecutionPool;
  beforeAll(() => {
    pool = new ReexecutionPool({ chain: epochs.reads, proverId: PROVER_ID, lowPriority: false }, { threads: 1 });
  });
  afterAll(() => pool?.close());

  test("return the effects of a checkpoint, and the public part of each transaction with public calls", async () => {
    const { task, words, calls } = publicCheckpoint();
    const executed = (await pool.execute(task, new AbortController().signal)).flat();
    expect(executed.map((tx) => toHex(tx.words))).toEqual(words);
    expect(executed.map(({ publicPart }) => publicPart !== undefined)).toEqual(calls);
    for (const [i, { publicPart }] of executed.entries()) {
      if (publicPart === undefined) continue;
      const { publicInputs } = decodeVmInput(V4, publicPart.vmInput);
      expect(encode(VmPublicInputs, publicPart.publicInputs), `tx ${i}`).toEqual(encode(VmPublicInputs, publicInputs));
    }
  });

  test("refuse a checkpoint after a block that is not stored, with the reason", async () => {
    const { task } = publicCheckpoint();
    const missing = pool.execute({ ...task, parentBlock: 100_000 }, new AbortController().signal);
    await expect(missing).rejects.toThrow(ProvingRefusedError);
    await expect(missing).rejects.toThrow("after block 100000 again");
  });

  test("end early when their caller gives up, and go on with the next checkpoint", async () => {
    const { task, words } = publicCheckpoint();
    const stopping = new AbortController();
    const given = pool.execute(task, stopping.signal);
    stopping.abort(new Error("given up"));
    await expect(given).rejects.toThrow("given up");
    const executed = await pool.execute(task, new AbortController().signal);
    expect(executed.flat().map((tx) => toHex(tx.words))).toEqual(words);
  });

  test("go on with what is under way when they are released, and start again after it", async () => {
    const { task, words } = publicCheckpoint();
    const signal = new AbortController().signal;
    for (let i = 0; i < 2; i++) {
      const executing = pool.execute(task, signal);
      pool.release();
      expect((await executing).flat().map((tx) => toHex(tx.words))).toEqual(words);
      pool.release();
    }
  });
});
