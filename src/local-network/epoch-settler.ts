import { keccak_256 } from "@noble/hashes/sha3.js";
import type { ChainStore } from "../archiver/chain-store.ts";
import { bigUintBytes, concat, readBigUint } from "../protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../protocol/checkpoint-header.ts";
import { epochOfSlot, epochSlots, type L1Constants, slotTimestamp } from "../protocol/time.ts";
import type { DevelopmentL1 } from "./development-l1.ts";

export interface EpochSettlerParts {
  l1: Pick<DevelopmentL1, "storage" | "setStorage" | "setMining">;
  chain: Pick<ChainStore, "checkpoint" | "latestCheckpointNumber" | "provenCheckpointNumber">;
  constants: Pick<L1Constants, "epochDuration" | "slotDuration" | "l1GenesisTime">;
  addresses: { rollupAddress: string; outboxAddress: string };
}

/** An epoch that gets no more checkpoints: all its L2-to-L1 messages can become consumable. */
export interface CompleteEpoch {
  epoch: number;
  lastCheckpoint: number;
  /** Root of the epoch's L2-to-L1 messages. */
  outHash: Uint8Array;
}

/**
 * Storage slot of the rollup's pending and proven checkpoint numbers
 * (docs/protocol/04-l1-contracts.md#42-constants-of-a-rollup).
 */
const TIPS_SLOT = keccak_256(new TextEncoder().encode("aztec.stf.storage"));
/** 2^128: the word packs two checkpoint numbers of 128 bits. */
const HALF = 1n << 128n;

/**
 * Marks complete epochs as proven without a proof, by writing what a proof would have written: the root of the epoch's
 * messages to the outbox, then the proven checkpoint to the rollup
 * (docs/protocol/08-building-and-checkpoints.md#829-time-of-a-local-network).
 */
export class EpochSettler {
  readonly #parts: EpochSettlerParts;
  /** Last settled checkpoint. The node sees it only after reading a later L1 block. */
  #settled = 0;

  constructor(parts: EpochSettlerParts) {
    this.#parts = parts;
  }

  /**
   * The epoch of the first unproven checkpoint, if `timestamp` (seconds) is past the epoch or its last slot has a
   * checkpoint.
   */
  complete(timestamp: number): CompleteEpoch | undefined {
    const next = this.#next();
    return next === undefined || timestamp < next.over ? undefined : next;
  }

  /** End of the first unproven checkpoint's epoch, in seconds; undefined if everything is settled. */
  overAt(): number | undefined {
    return this.#next()?.over;
  }

  #next(): (CompleteEpoch & { over: number }) | undefined {
    const { chain, constants } = this.#parts;
    const latest = chain.latestCheckpointNumber();
    const proven = chain.provenCheckpointNumber();
    // After the chain was rolled back, its epochs are settled again.
    const done = this.#settled > latest ? proven : Math.max(this.#settled, proven);
    const first = chain.checkpoint(done + 1);
    if (first === undefined) return undefined;
    const epoch = epochOfSlot(checkpointSlot(first.header), constants);
    const lastSlot = epochSlots(epoch, constants).last;
    let last = first;
    for (let number = first.number + 1; number <= latest; number++) {
      const next = chain.checkpoint(number);
      if (next === undefined || checkpointSlot(next.header) > lastSlot) break;
      last = next;
    }
    const full = checkpointSlot(last.header) === lastSlot;
    const { epochOutHash } = CHECKPOINT_AT;
    const over = full ? 0 : slotTimestamp(lastSlot + 1, constants);
    return { epoch, over, lastCheckpoint: last.number, outHash: last.header.slice(epochOutHash, epochOutHash + 32) };
  }

  /**
   * Settles all complete epochs. Mining is paused, so that all writes become visible in the same block, the next one.
   * Returns the epochs. Throws an L1Error.
   */
  async settle(timestamp: number): Promise<number[]> {
    if (this.complete(timestamp) === undefined) return [];
    const { l1, addresses } = this.#parts;
    const epochs: number[] = [];
    await l1.setMining(false);
    try {
      // If L1 was restored to an older state, later writes are lost.
      this.#settled = Math.min(this.#settled, Number((await this.#tips()) % HALF));
      for (let next = this.complete(timestamp); next !== undefined; next = this.complete(timestamp)) {
        const { epoch, lastCheckpoint, outHash } = next;
        const pending = (await this.#tips()) / HALF;
        // The node has not noticed yet that L1 went back. With more proven than pending the rollup would refuse reads.
        if (BigInt(lastCheckpoint) > pending) break;
        const rootSlot = keccak_256(concat(bigUintBytes(BigInt(epoch), 32), new Uint8Array(32)));
        await l1.setStorage(addresses.outboxAddress, rootSlot, outHash);
        const tips = pending * HALF + BigInt(lastCheckpoint);
        await l1.setStorage(addresses.rollupAddress, TIPS_SLOT, bigUintBytes(tips, 32));
        this.#settled = lastCheckpoint;
        epochs.push(epoch);
      }
    } finally {
      await l1.setMining(true);
    }
    return epochs;
  }

  async #tips(): Promise<bigint> {
    const { l1, addresses } = this.#parts;
    return readBigUint(await l1.storage(addresses.rollupAddress, TIPS_SLOT), 0, 32);
  }
}
