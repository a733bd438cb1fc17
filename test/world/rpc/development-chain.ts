import type { BlockRecord, CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { asker } from "./ask.ts";
import { fakeChain, fakeWorld, GENESIS_BLOCK, wordOf } from "./fakes.ts";

/** Blocks 1 and 2 are in checkpoints 1 and 2, of slots 70 and 75; block 3 is proposed. */
const blocks = [1, 2, 3].map((number) => ({
  block: {
    ...GENESIS_BLOCK,
    number,
    hash: wordOf(0x10 + number),
    archiveRoot: wordOf(0x20 + number),
    checkpointNumber: number,
  } satisfies BlockRecord,
  body: new Uint8Array(),
}));

export function checkpointOf(number: number, slot: number): CheckpointRecord {
  const header = new Uint8Array(V4.headers.checkpointBytes);
  header.set(bigUintBytes(BigInt(slot), 32), CHECKPOINT_AT.slotNumber);
  return {
    number,
    header,
    archiveRoot: wordOf(0x20 + number),
    outHash: wordOf(0),
    startBlock: number,
    blockCount: 1,
    feeAssetPriceModifier: -5n,
    l1: { number: 7, hash: wordOf(9), timestamp: 1_700_000_000 },
    attestations: [
      { address: new Uint8Array(20).fill(1), signature: new Uint8Array(65).fill(0xab) },
      { address: new Uint8Array(20).fill(2), signature: undefined },
    ],
  };
}

export const checkpoints = [checkpointOf(1, 70), checkpointOf(2, 75)];
export const EPOCH = 2;
export const genesisId = { number: 0, hash: toHex(wordOf(0xee)) };
export const tip = (number: number) => ({
  block: { number, hash: toHex(wordOf(0x10 + number)) },
  checkpoint: { number, hash: toHex(wordOf(0x30 + number)) },
});
export const chain = {
  ...fakeChain({
    blocks,
    checkpointed: 2,
    checkpoints,
    epochOf: () => EPOCH,
    messages: [{ leaf: wordOf(5), index: 1024 }],
  }),
  provenBlockNumber: () => 1,
  tips: () => ({
    proposed: { number: 3, hash: toHex(wordOf(0x13)) },
    checkpointed: tip(2),
    proven: tip(1),
    finalized: { block: genesisId, checkpoint: genesisId },
  }),
};
export const world = fakeWorld(3);
export const svc = (services: Partial<NodeServices> = {}) => asker({ chain, world, ...services });
