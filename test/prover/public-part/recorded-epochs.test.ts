import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { HEADER_AT, headerSnapshot } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT, TREE_IDS } from "../../../src/protocol/constants.ts";
import { isForPublic } from "../../../src/protocol/tx/accumulated-data.ts";
import { GlobalVariables } from "../../../src/prover/circuits/layouts/values.ts";
import { decode } from "../../../src/prover/codec/codec.ts";
import { jobIdOf } from "../../../src/prover/jobs/job-id.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { executeForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import { type FollowedEpochs, followedEpochs } from "../followed-epochs.ts";

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

it("executing three epochs for proving gives the recorded effects, trees and ids of PUBLIC_VM jobs", () => {
  const { core, chain, world, content, txs } = epochs;
  const [vm, siloing] = [new Vm(), new Siloing(core)];
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
          const { executed, publicPart } = executeForProving(vm, state, tx, { globals, proverId: PROVER_ID });
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
