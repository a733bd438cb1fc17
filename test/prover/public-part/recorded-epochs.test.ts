import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { HEADER_AT, headerSnapshot } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { TREE_IDS } from "../../../src/protocol/constants.ts";
import { isForPublic } from "../../../src/protocol/tx/accumulated-data.ts";
import { GlobalVariables } from "../../../src/prover/circuits/layouts/values.ts";
import { decode } from "../../../src/prover/codec/codec.ts";
import { jobIdOf } from "../../../src/prover/jobs/job-id.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { executeForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import { ThreeEpochsChain } from "./three-epochs-chain.ts";

/** Id of the PUBLIC_VM job by transaction: recorded for epochs 23 and 25. */
const IDS = JSON.parse(
  readFileSync(new URL("../../fixtures/prover/public-vm-ids.json", import.meta.url), "utf8"),
) as Record<string, string>;
const PROVER_ID = fromHex("0x70997970c51812dc3a010c7d01b50e0d17dc79c8");

describe("the public transactions of three recorded epochs, executed for proving", () => {
  const vm = new Vm();
  let chain: ThreeEpochsChain;

  beforeAll(async () => {
    chain = await ThreeEpochsChain.open(loadCore());
  });
  afterAll(() => chain?.remove());

  it("have the recorded ids as hashes of their PUBLIC_VM inputs, and the recorded effects and trees", () => {
    const ids: Record<string, string> = {};
    for (const block of chain.blocks()) {
      const { epoch, header, txs, effects } = block;
      const globals = decode(GlobalVariables, "globals", header.subarray(HEADER_AT.chainId, HEADER_AT.totalFees));
      const state = chain.stateBefore(block);
      for (const [i, tx] of txs.entries()) {
        const { executed, publicPart } = executeForProving(vm, state, tx, { globals, proverId: PROVER_ID });
        expect(toHex(executed.effect.words)).toBe(toHex(effects[i].words));
        expect(publicPart !== undefined).toBe(isForPublic(tx.tx.data));
        if (publicPart === undefined || epoch === 24) continue;
        ids[toHex(tx.hash)] = jobIdOf(epoch, JOB_TYPES.PUBLIC_VM, publicPart.vmInput);
      }
      for (const tree of TREE_IDS) {
        const [found, stated] = [state.fork.snapshot(tree), headerSnapshot(header, tree)];
        expect([tree, toHex(found.root), found.size]).toEqual([tree, toHex(stated.root), stated.size]);
      }
    }
    expect(ids).toEqual(IDS);
  });
});
