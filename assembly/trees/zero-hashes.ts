import { hashWords } from "../poseidon2/sponge";

/** Highest level that a tree of the protocol has (docs/protocol/02-trees.md#21-the-five-trees). */
const LEVELS: usize = 42;
const TABLE = memory.data(1376, 8);
const PAIR = memory.data(64, 8);

/** Z_0 = 0, Z_(k+1) = H(Z_k, Z_k). */
export function deriveZeroHashes(): void {
  for (let level: usize = 0; level < LEVELS; level++) {
    memory.copy(PAIR, zeroHash(level), 32);
    memory.copy(PAIR + 32, zeroHash(level), 32);
    hashWords(zeroHash(level + 1), PAIR, 2);
  }
}

/** Word of an empty subtree's root by level, 0 to 42. */
@inline
export function zeroHash(level: usize): usize {
  return TABLE + (level << 5);
}

/** The table: 43 x 32. */
export function zeroHashes(): usize {
  return TABLE;
}
