import { memoryExhausted } from "./host";

/**
 * Allocator of blocks whose sizes are powers of two, above the static data. The first word of a free block is the
 * address of the next free block of its size. Memory never shrinks; the host drops an instance that has become large.
 */
const FREE = memory.data(128, 8);

const PAGE_BITS: u32 = 16;
/** Minimum number of WebAssembly pages that the memory grows by. */
const STEP: u32 = 16;

let top: usize = (__heap_base + 63) & ~63;
let limitPages: u32 = 16384;

/** Sets the maximum size of the memory, in pages of 64 KiB. */
export function setMemoryLimit(pages: u32): void {
  limitPages = pages;
}

/** log2 of the block for `bytes`; the smallest has 32. */
@inline
function sizeClass(bytes: usize): u32 {
  return bytes <= 32 ? 5 : 32 - clz<u32>(<u32>bytes - 1);
}

/** Moves the top up. Beyond the limit it calls the host, which throws. */
function extend(bytes: usize): usize {
  const at = top;
  const end = <u64>at + <u64>bytes;
  const pages = <u32>((end + 0xffff) >> PAGE_BITS);
  const have = <u32>memory.size();
  if (pages > have) {
    if (pages > limitPages) memoryExhausted();
    if (memory.grow(min(max(pages - have, STEP), limitPages - have)) < 0) memoryExhausted();
  }
  top = <usize>end;
  return at;
}

/** A block of at least `bytes` (below 2^31), aligned to 32; its content is arbitrary. */
export function allocate(bytes: usize): usize {
  const size = sizeClass(bytes);
  const list = FREE + (size << 2);
  const block = <usize>load<u32>(list);
  if (block == 0) return extend(<usize>1 << size);
  store<u32>(list, load<u32>(block));
  return block;
}

/** Frees a block; `bytes` must be the size that was passed to `allocate`. */
export function release(block: usize, bytes: usize): void {
  const list = FREE + (sizeClass(bytes) << 2);
  store<u32>(block, load<u32>(list));
  store<u32>(list, <u32>block);
}
