import { afterAll, beforeAll, expect, test } from "vitest";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { readBigUint } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";

let chain: ChainA;
let rollup: ConnectedRollup;
let last: { number: number; slot: number; archive: Uint8Array; fee: bigint };

beforeAll(async () => {
  chain = await startChainA();
  rollup = await connectRollup({
    l1RpcUrls: [chain.url],
    l1ChainId: 31337,
    registryAddress: CHAIN_A_REGISTRY,
    ethereumSlotDuration: 12,
  });
  const { number } = await rollup.latestBlock();
  const found = (await rollup.checkpoints(rollup.identity.constants.l1StartBlock, number)).at(-1)!;
  last = {
    number: found.checkpointNumber,
    slot: checkpointSlot(found.header),
    archive: found.archiveRoot,
    fee: readBigUint(found.header, CHECKPOINT_AT.feePerL2Gas, 16),
  };
});
afterAll(() => chain?.stop());

const startOf = (slot: number) => slotTimestamp(slot, rollup.identity.constants);
const anyone = new Uint8Array(20);

test("the recorded rollup answers the number of the next checkpoint for a free slot", async () => {
  const answer = await rollup.proposals.canProposeAt(startOf(last.slot + 1), last.archive, anyone);
  expect(answer).toEqual({ slot: last.slot + 1, checkpointNumber: last.number + 1 });
});

test("the recorded rollup refuses a proposal in a slot that is taken, or on another archive", async () => {
  await expect(rollup.proposals.canProposeAt(startOf(last.slot), last.archive, anyone)).rejects.toMatchObject({
    errorName: "Rollup__SlotAlreadyInChain",
  });
  const wrong = new Uint8Array(32).fill(1);
  await expect(rollup.proposals.canProposeAt(startOf(last.slot + 1), wrong, anyone)).rejects.toMatchObject({
    errorName: "Rollup__InvalidArchive",
  });
});

test("the recorded rollup's min fee is for mana alone and at most a step from the last one", async () => {
  const { feePerDaGas, feePerL2Gas } = await rollup.proposals.minFeesAt(startOf(last.slot + 1));
  expect(feePerDaGas).toBe(0n);
  expect(feePerL2Gas).toBeGreaterThan(0n);
  expect(feePerL2Gas).toBeLessThanOrEqual(2n * last.fee);
});

test("the fee asset's price is not modified where no pool has a price", async () => {
  expect(await rollup.proposals.feeAssetPriceModifier()).toBe(0n);
});
