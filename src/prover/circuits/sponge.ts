import type { Core } from "../../core/core.ts";
import { writeUint } from "../../protocol/bytes.ts";
import { MAX_FIELDS_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { SpongeBlob } from "./layouts/values.ts";

const CHUNK = 3 * 32;
/** The upper half of the fourth word: the capacity is the number of fields times 2^64. */
const CAPACITY_AT = 3 * 32 + 16;

/** The sponge of a checkpoint before its first block (docs/protocol/01-fields-and-hashing.md#110-blob-sponge). */
export function initialSponge(): SpongeBlob {
  const state = new Uint8Array(4 * 32);
  writeUint(state, CAPACITY_AT + 2, 6, MAX_FIELDS_PER_CHECKPOINT);
  return { cache: new Uint8Array(CHUNK), state, cacheSize: 0, squeezeMode: false, numAbsorbedFields: 0 };
}

/**
 * The sponge after absorbing `words`. Three words wait in the cache until another one follows. Places of the cache that
 * are not in use keep their former words, because they are part of what circuits return.
 */
export function absorb(core: Core, sponge: SpongeBlob, words: Uint8Array): SpongeBlob {
  const waiting = sponge.cache.subarray(0, sponge.cacheSize * 32);
  const pending = new Uint8Array(waiting.length + words.length);
  pending.set(waiting);
  pending.set(words, waiting.length);
  const absorbed = pending.length === 0 ? 0 : Math.floor((pending.length - 32) / CHUNK) * CHUNK;
  const cache = absorbed === 0 ? sponge.cache.slice() : pending.slice(absorbed - CHUNK, absorbed);
  cache.set(pending.subarray(absorbed));
  return {
    cache,
    state: absorbed === 0 ? sponge.state : core.absorb(sponge.state, pending.subarray(0, absorbed)),
    cacheSize: (pending.length - absorbed) / 32,
    squeezeMode: false,
    numAbsorbedFields: sponge.numAbsorbedFields + words.length / 32,
  };
}

/** The hash of what was absorbed. The sponge itself may go on. */
export function squeeze(core: Core, sponge: SpongeBlob): Uint8Array {
  return core.absorb(sponge.state, sponge.cache.subarray(0, sponge.cacheSize * 32)).slice(0, 32);
}
