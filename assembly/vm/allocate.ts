import { memoryExhausted } from "./host";

/**
 * Blocks of powers of two above the static data. A free block holds the address of the next free one of its size in its first
 * word. Memory never shrinks: the host drops an instance that has become large.
 */
const FREE = memory.data(128, 8);

const PAGE_BITS: u32 = 16;
/** WebAssembly pages that the memory grows by at least. */
const STEP: u32 = 16;

let top: usize = (__heap_base + 63) & ~63;
let limitPages: u32 = 16384;

/** Pages of 64 KiB that memory may have. */
export function setMemoryLimit(pages: u32): void {
  limitPages = pages;
}

/** log2 of the block for `bytes`; the smallest has 32. */
@inline
function sizeClass(bytes: usize): u32 {
  return bytes <= 32 ? 5 : 32 - clz<u32>(<u32>bytes - 1);
}

/** Moves the top up; the host is told when that goes beyond the limit, and throws. */
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

/** Gives a block back; `bytes` as it was asked for. */
export function release(block: usize, bytes: usize): void {
  const list = FREE + (sizeClass(bytes) << 2);
  store<u32>(block, load<u32>(list));
  store<u32>(list, <u32>block);
}
