import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigUintBytes, concat, readBigUint } from "../../protocol/bytes.ts";

/**
 * Indices of the committee's members in a validator set of `setSize`, in committee order: a Fisher-Yates shuffle from
 * the end with keccak256(seed, step) as random numbers (docs/protocol/04-l1-contracts.md#423-seed-and-committee).
 */
export function sampleCommitteeIndices(setSize: number, committeeSize: number, seed: bigint): number[] {
  if (committeeSize > setSize) {
    throw new RangeError(`a committee of ${committeeSize} cannot be sampled from ${setSize} validators`);
  }
  const seedWord = bigUintBytes(seed, 32);
  /** Positions changed by swaps; any other position x holds x. */
  const moved = new Map<number, number>();
  const valueAt = (x: number) => moved.get(x) ?? x;
  const indices: number[] = [];
  let upper = setSize - 1;
  for (let step = 0; step < committeeSize; step++) {
    const left = BigInt(upper + 1);
    const j = left <= 1n ? 0 : Number(readBigUint(keccak_256(concat(seedWord, bigUintBytes(BigInt(step), 32)))) % left);
    indices.push(valueAt(j));
    if (upper > 0) {
      moved.set(j, valueAt(upper));
      upper--;
    }
  }
  return indices;
}

/** keccak256 of the ABI encoding of the committee's addresses, which L1 stores for a committee. */
export function committeeCommitment(committee: readonly Uint8Array[]): Uint8Array {
  const word = (value: bigint) => bigUintBytes(value, 32);
  const members = committee.map((address) => concat(new Uint8Array(12), address));
  return keccak_256(concat(word(32n), word(BigInt(committee.length)), ...members));
}

/** Position in the committee of the slot's proposer; undefined when there is no committee and anyone may propose. */
export function proposerIndex(epoch: number, slot: number, seed: bigint, committeeSize: number): number | undefined {
  if (committeeSize === 0) return undefined;
  const words = [BigInt(epoch), BigInt(slot), seed].map((value) => bigUintBytes(value, 32));
  return Number(readBigUint(keccak_256(concat(...words))) % BigInt(committeeSize));
}

/** Seed of an epoch from the RANDAO value (below 2^224) that was sampled for it. */
export function sampleSeed(epoch: number, randao: bigint): bigint {
  return readBigUint(keccak_256(concat(bigUintBytes(BigInt(epoch), 32), bigUintBytes(randao, 32))));
}

/** Signatures that a checkpoint needs: more than two thirds of the committee. */
export function quorum(committeeSize: number): number {
  return Math.floor((2 * committeeSize) / 3) + 1;
}
