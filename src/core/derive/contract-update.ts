import { bigUintBytes, concat, readBigUint } from "../../protocol/bytes.ts";
import { type Fr, fr } from "../../protocol/field.ts";
import type { Core } from "../core.ts";
import { mapEntrySlot, publicDataLeafSlot } from "./public-storage.ts";

/**
 * A class id in public storage that changes after a delay
 * (docs/protocol/01-fields-and-hashing.md#122-delayed-class-updates). Timestamps and delays are seconds, u32.
 */
interface DelayedClassId {
  previous: Fr;
  next: Fr;
  /** From this time on the value is `next`. */
  timestampOfChange: number;
  delayBefore: number | undefined;
  delayAfter: number | undefined;
  delayTimestampOfChange: number;
}

/** Address of the contract instance registry, and the slot of its map of updated classes. */
const INSTANCE_REGISTRY = fr(2);
const UPDATED_CLASSES_SLOT = fr(1);

/**
 * The registry's storage slots for a contract: three value words from `values` on, their hash at `hash`
 * (docs/protocol/01-fields-and-hashing.md#122-delayed-class-updates).
 */
export function contractUpdateSlots(core: Core, contract: Fr): { values: Fr; hash: Fr } {
  const values = mapEntrySlot(core, UPDATED_CLASSES_SLOT, contract);
  return { values, hash: core.field.add(values, fr(3)) };
}

/** Public data tree key of the hash word (docs/protocol/01-fields-and-hashing.md#122-delayed-class-updates). */
export function contractUpdateHashLeafSlot(core: Core, contract: Fr): Fr {
  return publicDataLeafSlot(core, INSTANCE_REGISTRY, contractUpdateSlots(core, contract).hash);
}

function optionalDelay(delay: number | undefined): bigint {
  return delay === undefined ? 0n : (BigInt(delay) << 8n) | 1n;
}

/**
 * The three value words (96 bytes). Word 0 packs the times and delays, starting at its low bit
 * (docs/protocol/01-fields-and-hashing.md#122-delayed-class-updates).
 */
export function delayedClassIdWords(value: DelayedClassId): Uint8Array {
  const packed =
    BigInt(value.timestampOfChange) |
    (BigInt(value.delayTimestampOfChange) << 32n) |
    (optionalDelay(value.delayAfter) << 64n) |
    (optionalDelay(value.delayBefore) << 104n);
  return concat(bigUintBytes(packed, 32), value.previous, value.next);
}

/** Inverse of delayedClassIdWords. */
export function delayedClassIdFromWords(words: Uint8Array): DelayedClassId {
  const packed = readBigUint(words, 0, 32);
  const u32 = (shift: bigint) => Number((packed >> shift) & 0xffffffffn);
  const optional = (shift: bigint) => (((packed >> shift) & 0xffn) === 0n ? undefined : u32(shift + 8n));
  return {
    previous: words.slice(32, 64),
    next: words.slice(64, 96),
    timestampOfChange: u32(0n),
    delayTimestampOfChange: u32(32n),
    delayAfter: optional(64n),
    delayBefore: optional(104n),
  };
}

/** Hash word of the three value words (docs/protocol/01-fields-and-hashing.md#122-delayed-class-updates). */
export function delayedClassIdHash(core: Core, words: Uint8Array): Fr {
  return core.hash(words);
}

/** Class id that applies at a time in seconds. */
export function classIdAt(value: DelayedClassId, timestamp: number): Fr {
  return timestamp < value.timestampOfChange ? value.previous : value.next;
}
