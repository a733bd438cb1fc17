import { encodeAbiParameters, keccak256, toBytes } from "viem";
import { expect, test } from "vitest";
import { EpochSettler, type EpochSettlerParts } from "../../src/local-network/epoch-settler.ts";
import { bigUintBytes, fromHex, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";

const TIPS = keccak256(toBytes("aztec.stf.storage"));
const rootSlot = (epoch: bigint) =>
  keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [epoch, 0n]));
const ADDRESSES = { rollupAddress: "0xaa", outboxAddress: "0xbb" };
const start = (slot: number): number => 1_000 + 72 * slot;

/** Checkpoints 1, 2, .. in the given slots; epochs of two slots. A checkpoint's epoch out hash ends in its number. */
function settlerOf(slots: number[]) {
  const state = { proven: 0, mining: true };
  const words = new Map<string, Uint8Array>([[`0xaa ${TIPS}`, bigUintBytes(BigInt(slots.length) << 128n, 32)]]);
  const log: string[] = [];
  const headers = slots.map((slot, i) => {
    const header = new Uint8Array(V4.headers.checkpointBytes);
    header[CHECKPOINT_AT.slotNumber + 31] = slot;
    header[CHECKPOINT_AT.epochOutHash + 31] = i + 1;
    return { number: i + 1, header };
  });
  const parts = {
    l1: {
      setMining: async (on: boolean) => {
        state.mining = on;
        log.push(on ? "on" : "off");
      },
      storage: async (address: string, slot: Uint8Array) => words.get(`${address} ${toHex(slot)}`)!,
      setStorage: async (address: string, slot: Uint8Array, word: Uint8Array) => {
        expect(state.mining).toBe(false);
        words.set(`${address} ${toHex(slot)}`, word);
        log.push(address);
      },
    },
    chain: {
      checkpoint: (number: number) => headers[number - 1],
      latestCheckpointNumber: () => headers.length,
      provenCheckpointNumber: () => state.proven,
    },
    constants: { epochDuration: 2, slotDuration: 72, l1GenesisTime: 1_000 },
    addresses: ADDRESSES,
  } as unknown as EpochSettlerParts;
  const proven = () => readBigUint(words.get(`0xaa ${TIPS}`)!) & ((1n << 128n) - 1n);
  const pending = () => readBigUint(words.get(`0xaa ${TIPS}`)!) >> 128n;
  const root = (epoch: bigint) => words.get(`0xbb ${rootSlot(epoch)}`);
  /** Takes L1 back: nothing is settled, and only the first checkpoints exist. */
  const lose = (checkpoints = slots.length) => {
    words.clear();
    words.set(`0xaa ${TIPS}`, bigUintBytes(BigInt(checkpoints) << 128n, 32));
  };
  return { settler: new EpochSettler(parts), state, log, proven, pending, root, lose };
}

test("an epoch that is over is settled with mining off: first the message root, then the proven checkpoint", async () => {
  const { settler, log, proven, pending, root } = settlerOf([2, 4]);
  expect(settler.overAt()).toBe(start(4));
  expect(await settler.settle(start(4) - 1)).toEqual([]);
  expect(log).toEqual([]);
  expect(await settler.settle(start(4))).toEqual([1]);
  expect(log).toEqual(["off", "0xbb", "0xaa", "on"]);
  expect(root(1n)).toEqual(fromHex(`0x${"01".padStart(64, "0")}`));
  expect([proven(), pending()]).toEqual([1n, 2n]);
});

test("a checkpoint in the last slot ends its epoch and determines the message root", async () => {
  const { settler, proven, root } = settlerOf([2, 3]);
  expect(await settler.settle(start(3))).toEqual([1]);
  expect(proven()).toBe(2n);
  expect(root(1n)?.at(-1)).toBe(2);
});

test("an epoch is settled once, even before the node has seen it, and several epochs together", async () => {
  const { settler, log, proven } = settlerOf([2, 5, 9]);
  expect(await settler.settle(start(10))).toEqual([1, 2, 4]);
  expect(proven()).toBe(3n);
  const writes = log.length;
  expect(await settler.settle(start(12))).toEqual([]);
  expect(log).toHaveLength(writes);
  expect(settler.overAt()).toBeUndefined();
});

test("settlements lost when L1 was rolled back are repeated with the next epoch", async () => {
  const { settler, proven, root, lose } = settlerOf([2, 5, 8]);
  expect(await settler.settle(start(6))).toEqual([1, 2]);
  lose();
  expect(await settler.settle(start(10))).toEqual([1, 2, 4]);
  expect(proven()).toBe(3n);
  expect(root(1n)?.at(-1)).toBe(1);
});

test("a checkpoint that a rolled-back L1 lacks is not marked as proven", async () => {
  const { settler, proven, pending, root, lose } = settlerOf([2, 5, 8]);
  lose(1);
  expect(await settler.settle(start(10))).toEqual([1]);
  expect([proven(), pending()]).toEqual([1n, 1n]);
  expect(root(2n)).toBeUndefined();
});
