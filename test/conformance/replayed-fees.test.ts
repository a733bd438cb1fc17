import { afterAll, beforeAll, expect, test } from "vitest";
import { JsonRpcFeeReader } from "../../src/l1/fees/fee-reader.ts";
import { connectRollup } from "../../src/l1/rollup/connect.ts";
import { L1Rpc } from "../../src/l1/rpc/l1-rpc.ts";
import { readBigUint } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { ReplayedL1 } from "../world/l1/replayed-l1.ts";

let l1: ReplayedL1;
beforeAll(async () => {
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(1);
});
afterAll(() => l1?.stop());

test("every recorded checkpoint charged the fees that were predicted before it", { timeout: 180_000 }, async () => {
  const rollup = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: l1.registryAddress,
    ethereumSlotDuration: 12,
  });
  const { identity } = rollup;
  const rpc = new L1Rpc({ urls: [l1.url], logger: silentLogger });
  let time = 0;
  const fees = new JsonRpcFeeReader({ rpc, identity, latestBlock: () => rollup.latestBlock(), now: () => time });
  for (let checkpoint = 2; checkpoint <= 59; checkpoint++) {
    // The L1 block before the proposal is in the same slot, so the current fees are those that will be charged.
    while (!l1.next!.proposes) await l1.replayTo(l1.next!.number);
    time = (await rollup.latestBlock()).timestamp;
    const [current, next, second] = await fees.predictedMinFees("target");
    expect(current).toEqual(await fees.currentMinFees());
    await l1.replayToCheckpoint(checkpoint);
    const { number } = await rollup.latestBlock();
    const [{ header }] = await rollup.checkpoints(number, number);
    const charged = { feePerDaGas: 0n, feePerL2Gas: readBigUint(header, CHECKPOINT_AT.feePerL2Gas, 16) };
    expect({ checkpoint, current, next }).toEqual({ checkpoint, current: charged, next: charged });
    expect(second.feePerDaGas).toBe(0n);
  }
  expect(l1.next?.proposes).toBe(false);
});
