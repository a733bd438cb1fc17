import { afterAll, beforeAll, expect, test } from "vitest";
import { proposerIndex } from "../../../src/l1/committee/sampling.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";
import { SlashingL1, VETOER } from "../../world/slasher/slashing-l1.ts";

const EPOCH_SLOTS = 4;

let l1: SlashingL1;
beforeAll(async () => {
  l1 = await SlashingL1.deploy("none");
});
afterAll(() => l1?.stop());

/** Proposers of an epoch by L1, lower-case 0x text. */
function proposersOnL1(epoch: number): Promise<string[]> {
  const { addresses, constants } = l1.reader.identity;
  const slots = Array.from({ length: EPOCH_SLOTS }, (_, i) => epoch * EPOCH_SLOTS + i);
  return Promise.all(
    slots.map(async (slot) => {
      const at = slotTimestamp(slot, constants).toString(16).padStart(64, "0");
      // getProposerAt(timestamp)
      const call = { to: addresses.rollupAddress, data: `0xc27f08b5${at}` };
      return `0x${(await l1.call<string>("eth_call", [call, "latest"])).slice(26)}`;
    }),
  );
}

async function proposersByReader(epoch: number): Promise<string[]> {
  const { committee = [], seed } = await l1.reader.committee(epoch);
  return Array.from({ length: EPOCH_SLOTS }, (_, i) => {
    const index = proposerIndex(epoch, epoch * EPOCH_SLOTS + i, seed, committee.length) as number;
    return toHex(committee[index]);
  });
}

test("an epoch read before the epoch ahead of it had its first checkpoint gets the committee that L1 has in the end", async () => {
  // No epoch before was set up: the chain had stopped.
  const epoch = 6;
  await l1.enter(epoch * EPOCH_SLOTS - 2);
  expect(await proposersByReader(epoch)).toEqual(await proposersOnL1(epoch));
  const { seed } = await l1.reader.committee(epoch);
  // setupEpoch(), as the first checkpoint of an epoch does it.
  await l1.sendAs(VETOER, l1.reader.identity.addresses.rollupAddress, "0xe3380b79");
  await l1.enter(epoch * EPOCH_SLOTS);
  expect(await proposersByReader(epoch)).toEqual(await proposersOnL1(epoch));
  expect((await l1.reader.committee(epoch)).seed).not.toBe(seed);
});
