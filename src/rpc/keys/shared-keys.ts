import type { ApiKey } from "./api-key.ts";
import { KeyCounts } from "./key-counts.ts";
import { type KeyMemory, keyMemory } from "./key-limits.ts";
import { KeyRing } from "./key-ring.ts";
import type { KeyAccess } from "./keyed-application.ts";

/** What the threads of a port have in common. Plain data and shared memory. */
export interface SharedKeys {
  readonly required: boolean;
  readonly memory: KeyMemory;
  /** See KeyCounts. */
  readonly counts: SharedArrayBuffer;
}

/** Keys that change. */
export interface KeySource {
  readonly keys: readonly ApiKey[];
  /** Returns an unsubscribe function. */
  onChange(listener: (keys: readonly ApiKey[]) => void): () => void;
}

export function sharedKeys(required: boolean): SharedKeys {
  return { required, memory: keyMemory(), counts: KeyCounts.memory() };
}

/** For the listener of one thread. */
export function keyAccess(ring: KeyRing, { required, memory, counts }: SharedKeys): KeyAccess {
  return { ring, required, memory, counts: new KeyCounts(counts) };
}

/** A ring that has what the source has. */
export function ringOf(source: KeySource): KeyRing {
  const ring = new KeyRing(source.keys);
  source.onChange((keys) => ring.replace(keys));
  return ring;
}
